/* A file system whose server takes every question and answers none but the first: whoever asks sleeps in state D, and
   SIGKILL does not wake it, as with a driver that does not come back. Mounted in a mount namespace of its own, so that
   no other program meets it. Prints "ready" when it is there; needs /dev/fuse and the right to mount. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static char question[1 << 18];

static int answer_init(int device) {
    struct fuse_in_header *in = (struct fuse_in_header *)question;
    struct { struct fuse_out_header head; struct fuse_init_out body; } out;
    if (read(device, question, sizeof question) < 0 || in->opcode != FUSE_INIT) return -1;
    memset(&out, 0, sizeof out);
    out.head.len = sizeof out;
    out.head.unique = in->unique;
    out.body.major = FUSE_KERNEL_VERSION;
    out.body.minor = FUSE_KERNEL_MINOR_VERSION;
    out.body.max_write = 65536;
    return write(device, &out, sizeof out) == sizeof out ? 0 : -1;
}

int main(int count, char **words) {
    char options[64];
    int device = open("/dev/fuse", O_RDWR);
    if (count < 2 || device < 0 || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) return 1;
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
    if (mount("stuck", words[1], "fuse", MS_NOSUID | MS_NODEV, options) || answer_init(device)) return 1;
    puts("ready");
    fflush(stdout);
    alarm(30);
    while (read(device, question, sizeof question) >= 0) {}
    return 0;
}
