/* A libcuda.so.1 that starts and lists devices as a scenario says. The functions are those of cuda.h. */
#include "scenario.h"

#define NO_DEVICE 100
#define INVALID_DEVICE 101

static int initialized;

#define ON(gpu, name)                  \
    int code = enter(gpu, #name);      \
    if (code) return code;             \
    if (!initialized) return 3;        \
    if ((gpu) >= devices()) return INVALID_DEVICE;

static int devices(void) {
    const char *count = find("count");
    return count ? atoi(count) : 0;
}

API int cuDriverGetVersion(int *out) {
    int code = enter(-1, "cuDriverGetVersion");
    const char *version = find("cuda");
    *out = version ? atoi(version) : 0;
    return code;
}
API int cuInit(unsigned flags) {
    int code = enter(-1, "cuInit");
    if (!code && !devices()) code = NO_DEVICE;
    initialized = code == 0;
    return code;
}
API int cuDeviceGetCount(int *out) { ON(-1, cuDeviceGetCount) *out = devices(); return 0; }
API int cuDeviceGet(int *out, int ordinal) { ON(ordinal, cuDeviceGet) *out = ordinal; return 0; }
API int cuDeviceGetName(char *out, int size, int d) { ON(d, cuDeviceGetName) return put_text(fact(d, "name"), out, size) ? 1 : 0; }
API int cuDeviceGetPCIBusId(char *out, int size, int d) {
    ON(d, cuDeviceGetPCIBusId)
    return put_text(fact(d, "bus_id"), out, size) ? 1 : 0;
}
API int cuDeviceGetUuid_v2(unsigned char *out, int d) {
    ON(d, cuDeviceGetUuid_v2)
    const char *text = fact(d, "uuid"); /* GPU-01234567-... */
    for (int i = 0; i < 16 && text; i++) {
        const char *digits = text + 4 + 2 * i + (i >= 4) + (i >= 6) + (i >= 8) + (i >= 10);
        out[i] = (unsigned char)strtoul((char[]){digits[0], digits[1], 0}, NULL, 16);
    }
    return text ? 0 : 1;
}
API int cuDeviceGetAttribute(int *out, int attribute, int d) {
    ON(d, cuDeviceGetAttribute)
    const char *text = fact(d, "capability"); /* 8,9 */
    if (!text || (attribute != 75 && attribute != 76)) return 1;
    *out = atoi(attribute == 75 ? text : strchr(text, ',') + 1);
    return 0;
}
API int cuDeviceTotalMem_v2(size_t *out, int d) {
    ON(d, cuDeviceTotalMem_v2)
    const char *text = fact(d, "memory");
    *out = text ? strtoull(text, NULL, 0) << 20 : 0;
    return text ? 0 : 1;
}
