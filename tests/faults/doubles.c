/* Programs that misbehave as a hung or crashing driver makes real ones misbehave. The first argument says how.
   Any further argument is a mark by which the tests find what is left over. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void wait_long(void) {
    for (int i = 0; i < 200; i++) usleep(100000); /* ends by itself after 20 s, should a test fail to end it */
    _exit(0);
}

static void ignore_term(void) { signal(SIGTERM, SIG_IGN); puts("here"); fflush(stdout); wait_long(); }

/* A parent inside vfork(2) sleeps in state D until its child lets go. */
static void sleep_in_vfork(void) { if (vfork() == 0) wait_long(); }

static void flood(void) {
    static char block[65536];
    memset(block, 'y', sizeof block);
    for (;;) if (write(1, block, sizeof block) < 0) _exit(9);
}

static void drip(void) { for (int i = 0; i < 1000; i++) { write(1, ".", 1); usleep(20000); } }

static void leave_orphan(void) {
    if (fork() == 0) wait_long(); /* it holds standard output */
    puts("done");
}

static void fork_again(int number) { (void)number; if (fork() != 0) _exit(0); }
static void fork_on_term(void) { signal(SIGTERM, fork_again); wait_long(); }
static void fork_on_exit(void) { if (fork() != 0) exit(0); wait_long(); }

static void stop(void) { raise(SIGSTOP); wait_long(); }

static void segv(void) { *(volatile int *)8 = 1; }

static void bus(void) {
    int file = memfd_create("short", 0);
    volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    (void)page[0]; /* behind the end of the file */
}

static void ill(void) {
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#endif
    raise(SIGILL);
}

static void fpe(void) {
    volatile int zero = 0;
    volatile int one = 1;
    one = one / zero; /* not every processor minds */
    raise(SIGFPE);
}

static void overflow(int depth) { volatile char frame[65536]; frame[0] = (char)depth; overflow(depth + frame[0]); }
static void stack(void) { overflow(1); }

static void kill_self(void) { raise(SIGKILL); }
static void term_self(void) { raise(SIGTERM); }
static void pipe_self(void) { raise(SIGPIPE); }
static void real_time(void) { raise(SIGRTMIN + 3); }

static const struct { const char *name; void (*act)(void); } acts[] = {
    {"ignore-term", ignore_term}, {"vfork", sleep_in_vfork}, {"flood", flood}, {"drip", drip},
    {"orphan", leave_orphan}, {"fork-on-term", fork_on_term}, {"fork-on-exit", fork_on_exit}, {"stop", stop},
    {"segv", segv}, {"abrt", abort}, {"bus", bus}, {"ill", ill}, {"fpe", fpe}, {"stack", stack},
    {"kill", kill_self}, {"term", term_self}, {"pipe", pipe_self}, {"real-time", real_time}, {"sleep", wait_long},
};

int main(int count, char **words) {
    for (size_t i = 0; count > 1 && i < sizeof acts / sizeof *acts; i++)
        if (strcmp(words[1], acts[i].name) == 0) { acts[i].act(); return 0; }
    return 2;
}
