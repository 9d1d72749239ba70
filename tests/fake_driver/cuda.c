/* A libcuda.so.1 that starts and lists devices as a scenario says. The functions are those of cuda.h. */
#include "scenario.h"

#define NO_DEVICE 100
#define INVALID_DEVICE 101
#define CANNOT 801

static int initialized;

#define ON(gpu, name)                  \
    int code = enter(gpu, #name);      \
    if (code) return code;             \
    if (!initialized) return 3;        \
    if ((gpu) >= devices()) return INVALID_DEVICE;

/* What CUDA says of a GPU, where it is another thing than NVML's. */
static const char *of_cuda(int gpu, const char *name) {
    char own[60];
    snprintf(own, sizeof own, "cuda_%s", name);
    const char *found = fact(gpu, own);
    return found ? found : fact(gpu, name);
}
static int devices(void) {
    const char *own = find("cuda_count"), *count = own ? own : find("count");
    return count ? atoi(count) : 0;
}

/* The GPUs that CUDA_VISIBLE_DEVICES shows, in its order: up to the first entry that is none; all are hidden by one that
 * stands there twice. */
static int shown[128];
static int visible(void) {
    const char *mask = getenv("CUDA_VISIBLE_DEVICES");
    int all = devices(), found = 0;
    for (int i = 0; !mask && i < all && i < 128; i++) shown[found++] = i;
    for (; mask && *mask && found < 128; mask += strcspn(mask, ","), mask += *mask == ',') {
        char *end;
        long number = strtol(mask, &end, 10);
        if (end == mask || !strchr(",", *end)) {
            for (number = 0; number < all; number++) {
                const char *uuid = of_cuda((int)number, "uuid");
                if (uuid && strcspn(mask, ",") > 4 && !strncmp(uuid, mask, strcspn(mask, ","))) break;
            }
        }
        if (number < 0 || number >= all) break;
        for (int i = 0; i < found; i++) if (shown[i] == number) return 0;
        shown[found++] = (int)number;
    }
    return found;
}

API int cuDriverGetVersion(int *out) {
    int code = enter(-1, "cuDriverGetVersion");
    const char *version = find("cuda");
    *out = version ? atoi(version) : 0;
    return code;
}
API int cuInit(unsigned flags) {
    int code = enter(-1, "cuInit");
    if (!code && !visible()) code = NO_DEVICE;
    initialized = code == 0;
    return code;
}
API int cuDeviceGetCount(int *out) { ON(-1, cuDeviceGetCount) *out = visible(); return 0; }
API int cuDeviceGet(int *out, int ordinal) {
    ON(ordinal, cuDeviceGet)
    if (ordinal >= visible()) return INVALID_DEVICE;
    *out = shown[ordinal];
    return 0;
}
API int cuDeviceGetName(char *out, int size, int d) { ON(d, cuDeviceGetName) return put_text(of_cuda(d, "name"), out, size) ? 1 : 0; }
API int cuDeviceGetPCIBusId(char *out, int size, int d) {
    ON(d, cuDeviceGetPCIBusId)
    return put_text(of_cuda(d, "bus_id"), out, size) ? 1 : 0;
}
API int cuDeviceGetUuid_v2(unsigned char *out, int d) {
    ON(d, cuDeviceGetUuid_v2)
    const char *text = of_cuda(d, "uuid"); /* GPU-01234567-... */
    for (int i = 0; i < 16 && text; i++) {
        const char *digits = text + 4 + 2 * i + (i >= 4) + (i >= 6) + (i >= 8) + (i >= 10);
        out[i] = (unsigned char)strtoul((char[]){digits[0], digits[1], 0}, NULL, 16);
    }
    return text ? 0 : 1;
}
/* What a Tesla T4 answers to the attributes that frameworks ask for before they list a GPU; the others are 0. */
static int attribute_of_t4(int attribute) {
    switch (attribute) {
        case 1: case 2: case 3: case 39: return 1024; /* threads: of a block, its x, its y, of a multiprocessor */
        case 4: return 64;                            /* z of a block */
        case 5: return 2147483647;                    /* x of a grid */
        case 6: case 7: return 65535;                 /* y, z of a grid */
        case 8: return 49152;                         /* shared memory of a block, bytes */
        case 10: return 32;                           /* threads of a warp */
        case 12: case 81: case 82: case 97: return 65536; /* registers and shared memory */
        case 13: return 1590000;                      /* clock, kHz */
        case 16: return 40;                           /* multiprocessors */
        case 36: return 5001000;                      /* memory clock, kHz */
        case 37: return 256;                          /* memory bus, bits */
        case 38: return 4194304;                      /* level 2 cache, bytes */
        default: return 0;
    }
}
API int cuDeviceGetAttribute(int *out, int attribute, int d) {
    ON(d, cuDeviceGetAttribute)
    const char *text = of_cuda(d, "capability"); /* 8,9 */
    if (!text) return 1;
    *out = attribute == 75 ? atoi(text) : attribute == 76 ? atoi(strchr(text, ',') + 1) : attribute_of_t4(attribute);
    return 0;
}
API int cuDeviceTotalMem_v2(size_t *out, int d) {
    ON(d, cuDeviceTotalMem_v2)
    const char *text = of_cuda(d, "memory"); /* GB10: NVML tells none */
    *out = text ? strtoull(text, NULL, 0) << 20 : 0;
    return text ? 0 : 1;
}
/* Frameworks look at the state of a context before they make one. None can be made: this driver computes nothing. */
API int cuDevicePrimaryCtxGetState(int d, unsigned *flags, int *active) {
    ON(d, cuDevicePrimaryCtxGetState)
    *flags = *active = 0;
    return 0;
}
API int cuDevicePrimaryCtxSetFlags_v2(int d, unsigned flags) { ON(d, cuDevicePrimaryCtxSetFlags_v2) return 0; }
API int cuDevicePrimaryCtxSetFlags(int d, unsigned flags) { ON(d, cuDevicePrimaryCtxSetFlags) return 0; }
API int cuDevicePrimaryCtxRetain(void **out, int d) { ON(d, cuDevicePrimaryCtxRetain) return CANNOT; }
API int cuCtxGetCurrent(void **out) { ON(-1, cuCtxGetCurrent) *out = NULL; return 0; }
API int cuCtxSetCurrent(void *context) { ON(-1, cuCtxSetCurrent) return 0; }
