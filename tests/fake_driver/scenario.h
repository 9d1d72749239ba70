/* What the fake driver libraries are told to be: lines `key=value` in the file named by FAKE_DRIVER.
 *
 *   count=2  driver=580.65.06  cuda=13000      the system
 *   gpu.0.name=...   gpu.*.power=35000         a GPU, or all; a missing key is NOT_SUPPORTED, as on real GPUs
 *   err.FUNCTION=18  err.1.FUNCTION=15         what a function returns, for all GPUs or for one; err.1.*=15
 *   gate.FUNCTION=/dev/nvidiactl,9,4           what it returns where that file is not there, or may not be opened
 *   do.FUNCTION=hang | deaf | stop | spin | segv | ill | bus | fpe | abort | exit | exit0 | kill | close | term | hup
 *                 | quit                         do.1.FUNCTION for one GPU
 *   do.FUNCTION=print | forge | flood          what it prints; forge: broken lines of the asking script's own
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
#define MOST 400
#define NOT_SUPPORTED 3
#define INSUFFICIENT_SIZE 7

static char keys[MOST][64], values[MOST][200];
static int known = -1;

static void take_line(const char *line) {
    const char *sign = strchr(line, '=');
    if (!sign || known >= MOST) return;
    snprintf(keys[known], sizeof keys[0], "%.*s", (int)(sign - line), line);
    snprintf(values[known++], sizeof values[0], "%s", sign + 1);
}

/* Be as `text` says, in place of the file: for tests that go through thousands of scenarios in one process. */
API void fake_scenario(const char *text) {
    char line[300];
    known = 0;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        take_line(line);
    }
}

static void load(void) {
    static char text[60000];
    const char *path = getenv("FAKE_DRIVER");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (file) fread(text, 1, sizeof text - 1, file), fclose(file);
    fake_scenario(text);
}

static const char *find(const char *key) {
    if (known < 0) load();
    for (int i = 0; i < known; i++)
        if (!strcmp(keys[i], key)) return values[i];
    return NULL;
}

static const char *fact(int gpu, const char *name) {
    char key[100];
    snprintf(key, sizeof key, "gpu.%d.%s", gpu, name);
    const char *found = find(key);
    snprintf(key, sizeof key, "gpu.*.%s", name);
    return found ? found : find(key);
}

static int error_of(int gpu, const char *function) {
    char key[100];
    const char *found;
    snprintf(key, sizeof key, "err.%d.%s", gpu, function);
    if ((found = find(key))) return atoi(found);
    snprintf(key, sizeof key, "err.%d.*", gpu);
    if ((found = find(key))) return atoi(found);
    snprintf(key, sizeof key, "err.%s", function);
    return (found = find(key)) ? atoi(found) : 0;
}

/* Write `text` where the asking script writes: it has its own number for standard output, which nobody is told. */
static void forge(const char *text) {
    for (int number = 3; number < 40; number++)
        if (text) dprintf(number, "@gpudoctor %s\n@gpudoctor [\"=\", 0, \"\xff\xfe\"]\n", text);
}

/* What a function returns that needs a file: 0 where it can be opened. */
static int gate(const char *function) {
    char key[100], path[200];
    int absent, denied;
    snprintf(key, sizeof key, "gate.%s", function);
    const char *text = find(key);
    if (!text || sscanf(text, "%199[^,],%d,%d", path, &absent, &denied) != 3 || !access(path, R_OK | W_OK)) return 0;
    return errno == ENOENT ? absent : denied;
}

/* Misbehave as the scenario says, then give the code to return; 0 is to go on. */
static int enter(int gpu, const char *function) {
    char key[100];
    snprintf(key, sizeof key, "do.%d.%s", gpu, function);
    const char *action = find(key);
    snprintf(key, sizeof key, "do.%s", function);
    if (!action) action = find(key);
    if (action && !strcmp(action, "hang")) for (;;) pause();
    if (action && !strcmp(action, "segv")) *(volatile int *)0 = 0;
    if (action && !strcmp(action, "abort")) abort();
    if (action && !strcmp(action, "exit")) exit(3);
    if (action && !strcmp(action, "kill")) kill(getpid(), SIGKILL);
    if (action && !strcmp(action, "deaf")) for (signal(SIGTERM, SIG_IGN), signal(SIGINT, SIG_IGN);;) pause();
    if (action && !strcmp(action, "stop")) kill(getpid(), SIGSTOP);
    if (action && !strcmp(action, "spin")) for (volatile unsigned turns = 0;; turns++);
    if (action && !strcmp(action, "ill")) raise(SIGILL);
    if (action && !strcmp(action, "bus")) raise(SIGBUS);
    if (action && !strcmp(action, "fpe")) raise(SIGFPE);
    if (action && !strcmp(action, "term")) raise(SIGTERM);
    if (action && !strcmp(action, "hup")) raise(SIGHUP);
    if (action && !strcmp(action, "quit")) raise(SIGQUIT);
    if (action && !strcmp(action, "exit0")) exit(0);
    if (action && !strcmp(action, "close")) for (int number = 3; number < 40; number++) close(number);
    if (action && !strcmp(action, "flood")) for (;;) printf("%0999d\n", 7);
    if (action && !strcmp(action, "forge")) forge(find("forged"));
    if (action && !strcmp(action, "print")) {
        printf("@gpudoctor [\"?\", \"gpu 7\"\n{not json \xff\xfe banner without an end");
        fflush(stdout);
    }
    int closed = gate(function);
    return closed ? closed : error_of(gpu, function);
}

static int put_text(const char *text, char *out, unsigned size) {
    if (!text) return NOT_SUPPORTED;
    if (strlen(text) + 1 > size) return INSUFFICIENT_SIZE;
    strcpy(out, text);
    return 0;
}
