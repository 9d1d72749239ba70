/* A libnvidia-ml.so.1 that answers from a scenario. The functions and their arguments are those of nvml.h. */
#include <stdarg.h>
#include "scenario.h"

typedef unsigned long long u64;
typedef struct { u64 total, free, used; } memory_v1;
typedef struct { unsigned version; u64 total, reserved, free, used; } memory_v2;
typedef struct { char legacy[16]; unsigned domain, bus, device, pci_id, subsystem; char bus_id[32]; } pci_info;
typedef struct { unsigned pid; u64 used; unsigned gpu_instance, compute_instance; } process;
typedef struct { unsigned gpu, memory; } utilization;
typedef struct { unsigned version; unsigned char cluster[16]; unsigned status, clique, state, health; } fabric_info;
typedef struct {
    unsigned code, state;
    char info[128], product[128];
    unsigned enabled;
    struct { unsigned year; unsigned short month, day, hour, minute, second; unsigned char status; } expiry;
} licence;
typedef struct { int supported; unsigned count; licence features[3]; } licences;

static int initialized;

#define UNINITIALIZED 1
#define INVALID_ARGUMENT 2
#define NOT_FOUND 6
/* A handle is index + 1, a MIG device's handle that + 1000 for each place before it, + 1000. */
#define INDEX(device) ((int)((intptr_t)(device) - 1) % 1000)
#define MIG_PLACE(device) ((int)((intptr_t)(device) - 1) / 1000 - 1)

/* Open a function of the system (gpu -1) or of a GPU. */
#define ON(gpu, name)                      \
    int code = enter(gpu, #name);          \
    if (code) return code;                 \
    if (!initialized) return UNINITIALIZED;
#define TEXT(name, key) \
    API int name(char *out, unsigned size) { ON(-1, name) return put_text(find(key), out, size); }
#define SYSTEM(name, key) \
    API int name(unsigned *out) { ON(-1, name) return put_numbers(find(key), 1, out); }
#define NUMBER(name, key) \
    API int name(void *d, unsigned *out) { ON(INDEX(d), name) return put_numbers(fact(INDEX(d), key), 1, out); }
#define PAIR(name, key) \
    API int name(void *d, unsigned *a, unsigned *b) { ON(INDEX(d), name) return put_numbers(fact(INDEX(d), key), 2, a, b); }
#define CHOSEN(name, key) \
    API int name(void *d, unsigned which, unsigned *out) { ON(INDEX(d), name) return put_numbers(numbered(INDEX(d), key, which), 1, out); }
#define WIDE(name, key)                                                \
    API int name(void *d, u64 *out) {                                  \
        unsigned low = 0;                                              \
        ON(INDEX(d), name)                                             \
        code = put_numbers(fact(INDEX(d), key), 1, &low);              \
        *out = low;                                                    \
        return code;                                                   \
    }
#define MEMORY(name, kind) \
    API int name(void *d, kind *out) { ON(INDEX(d), name) return memory_of(d, &out->total, &out->free, &out->used); }
#define PROCESSES(name, key) \
    API int name(void *d, unsigned *count, process *out) { ON(INDEX(d), name) return processes_of(fact(INDEX(d), key), count, out); }

static int put_numbers(const char *text, int count, ...) {
    va_list out;
    if (!text) return NOT_SUPPORTED;
    va_start(out, count);
    for (; count--; text += strcspn(text, ","), text += *text == ',') *va_arg(out, unsigned *) = strtoul(text, NULL, 0);
    va_end(out);
    return 0;
}

static const char *numbered(int gpu, const char *key, unsigned which) {
    char full[60];
    snprintf(full, sizeof full, "%s.%u", key, which);
    return fact(gpu, full);
}

/* Mebibytes in the scenario, bytes in the answer. */
static int memory_of(void *d, u64 *total, u64 *free, u64 *used) {
    const char *all = fact(INDEX(d), MIG_PLACE(d) < 0 ? "memory" : "mig.memory"), *taken = fact(INDEX(d), "memory_used");
    if (!all) return NOT_SUPPORTED;
    *total = strtoull(all, NULL, 0) << 20, *used = taken ? strtoull(taken, NULL, 0) << 20 : 0, *free = *total - *used;
    return 0;
}

/* pid:mebibytes,pid:mebibytes; a pid without a size has none that is known. */
static int processes_of(const char *text, unsigned *count, process *out) {
    unsigned room = *count, found = 0;
    char *end;
    if (!text) return NOT_SUPPORTED;
    for (; *text; text += strcspn(text, ","), text += *text == ',', found++) {
        if (found >= room || !out) continue;
        out[found].pid = strtoul(text, &end, 10);
        out[found].used = *end == ':' ? strtoull(end + 1, NULL, 10) << 20 : (u64)-1;
    }
    *count = found;
    return found > room ? INSUFFICIENT_SIZE : 0;
}

API int nvmlInitWithFlags(unsigned flags) {
    int code = enter(-1, "nvmlInitWithFlags");
    initialized = code == 0;
    return code;
}
TEXT(nvmlSystemGetDriverVersion, "driver")
SYSTEM(nvmlSystemGetCudaDriverVersion, "cuda")
SYSTEM(nvmlDeviceGetCount_v2, "count")
API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out) {
    ON((int)index, nvmlDeviceGetHandleByIndex_v2)
    *out = (void *)(intptr_t)(index + 1);
    return 0;
}
API int nvmlDeviceGetName(void *d, char *out, unsigned size) {
    ON(INDEX(d), nvmlDeviceGetName)
    return put_text(fact(INDEX(d), MIG_PLACE(d) < 0 ? "name" : "mig.name"), out, size);
}
API int nvmlDeviceGetUUID(void *d, char *out, unsigned size) {
    char uuid[40];
    ON(INDEX(d), nvmlDeviceGetUUID)
    snprintf(uuid, sizeof uuid, "MIG-%d-%d", INDEX(d), MIG_PLACE(d));
    return put_text(MIG_PLACE(d) < 0 ? fact(INDEX(d), "uuid") : uuid, out, size);
}
API int nvmlDeviceGetVbiosVersion(void *d, char *out, unsigned size) {
    ON(INDEX(d), nvmlDeviceGetVbiosVersion)
    return put_text(fact(INDEX(d), "vbios"), out, size);
}
API int nvmlDeviceGetPciInfo_v3(void *d, pci_info *out) {
    ON(INDEX(d), nvmlDeviceGetPciInfo_v3)
    memset(out, 0, sizeof *out);
    code = put_numbers(fact(INDEX(d), "pci_id"), 1, &out->pci_id);
    return code ? code : put_text(fact(INDEX(d), "bus_id"), out->bus_id, sizeof out->bus_id);
}
PAIR(nvmlDeviceGetCudaComputeCapability, "capability")
MEMORY(nvmlDeviceGetMemoryInfo, memory_v1)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, "compute")
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, "graphics")
WIDE(nvmlDeviceGetCurrentClocksThrottleReasons, "reasons")
#ifndef OLD_DRIVER /* what newer drivers have beside the older form */
SYSTEM(nvmlSystemGetCudaDriverVersion_v2, "cuda")
MEMORY(nvmlDeviceGetMemoryInfo_v2, memory_v2)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, "compute")
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, "graphics")
WIDE(nvmlDeviceGetCurrentClocksEventReasons, "reasons")
NUMBER(nvmlDeviceGetArchitecture, "architecture")
#endif
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "pcie_generation")
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_generation_max")
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width")
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "pcie_width_max")
NUMBER(nvmlDeviceGetPowerUsage, "power")
NUMBER(nvmlDeviceGetPowerManagementLimit, "power_limit")
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "power_limit_enforced")
NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, "power_limit_default")
PAIR(nvmlDeviceGetPowerManagementLimitConstraints, "power_constraints")
CHOSEN(nvmlDeviceGetTemperature, "temperature")
CHOSEN(nvmlDeviceGetTemperatureThreshold, "threshold")
CHOSEN(nvmlDeviceGetClockInfo, "clock")
CHOSEN(nvmlDeviceGetMaxClockInfo, "clock_max")
API int nvmlDeviceGetUtilizationRates(void *d, utilization *out) {
    ON(INDEX(d), nvmlDeviceGetUtilizationRates)
    return put_numbers(fact(INDEX(d), "utilization"), 1, &out->gpu);
}
NUMBER(nvmlDeviceGetPerformanceState, "performance_state")
PAIR(nvmlDeviceGetEccMode, "ecc_mode")
API int nvmlDeviceGetTotalEccErrors(void *d, unsigned kind, unsigned counter, u64 *out) {
    unsigned low = 0;
    ON(INDEX(d), nvmlDeviceGetTotalEccErrors)
    code = put_numbers(numbered(INDEX(d), kind ? "ecc_uncorrected" : "ecc_corrected", counter), 1, &low);
    *out = low;
    return code;
}
API int nvmlDeviceGetRetiredPages(void *d, unsigned cause, unsigned *count, u64 *out) {
    unsigned room = *count;
    ON(INDEX(d), nvmlDeviceGetRetiredPages)
    code = put_numbers(numbered(INDEX(d), "retired", cause), 1, count);
    for (unsigned i = 0; !code && out && i < *count && i < room; i++) out[i] = i;
    return code ? code : !out || *count > room ? INSUFFICIENT_SIZE : 0;
}
NUMBER(nvmlDeviceGetRetiredPagesPendingStatus, "retired_pending")
API int nvmlDeviceGetRemappedRows(void *d, unsigned *correctable, unsigned *uncorrectable, unsigned *pending, unsigned *failed) {
    ON(INDEX(d), nvmlDeviceGetRemappedRows)
    return put_numbers(fact(INDEX(d), "row_remaps"), 4, correctable, uncorrectable, pending, failed);
}
NUMBER(nvmlDeviceGetComputeMode, "compute_mode")
NUMBER(nvmlDeviceGetPersistenceMode, "persistence")
NUMBER(nvmlDeviceGetDisplayMode, "display_attached")
NUMBER(nvmlDeviceGetDisplayActive, "display_active")
NUMBER(nvmlDeviceGetVirtualizationMode, "virtualization")
API int nvmlDeviceGetGpuFabricInfoV(void *d, fabric_info *out) {
    ON(INDEX(d), nvmlDeviceGetGpuFabricInfoV)
    return put_numbers(fact(INDEX(d), "fabric"), 2, &out->state, &out->status);
}
API int nvmlDeviceGetGridLicensableFeatures_v4(void *d, licences *out) {
    ON(INDEX(d), nvmlDeviceGetGridLicensableFeatures_v4)
    out->supported = (int)(out->count = 1);
    return put_numbers(fact(INDEX(d), "licensed"), 1, &out->features[0].state);
}
PAIR(nvmlDeviceGetMigMode, "mig_mode")
NUMBER(nvmlDeviceGetMaxMigDeviceCount, "mig_most")
API int nvmlDeviceGetMigDeviceHandleByIndex(void *d, unsigned place, void **out) {
    unsigned there = 0;
    ON(INDEX(d), nvmlDeviceGetMigDeviceHandleByIndex)
    if (put_numbers(fact(INDEX(d), "mig_count"), 1, &there) || place >= there) return NOT_FOUND;
    *out = (void *)(intptr_t)(INDEX(d) + 1 + 1000 * (place + 1));
    return 0;
}
API int nvmlDeviceGetNvLinkState(void *d, unsigned link, unsigned *out) {
    unsigned links = 0;
    ON(INDEX(d), nvmlDeviceGetNvLinkState)
    code = put_numbers(fact(INDEX(d), "nvlinks"), 1, &links);
    *out = 1;
    return code ? code : link < links ? 0 : INVALID_ARGUMENT;
}
API int nvmlDeviceGetNvLinkVersion(void *d, unsigned link, unsigned *out) {
    ON(INDEX(d), nvmlDeviceGetNvLinkVersion)
    return put_numbers(fact(INDEX(d), "nvlink_version"), 1, out);
}
API int nvmlDeviceGetNvLinkErrorCounter(void *d, unsigned link, unsigned which, unsigned long long *out) {
    unsigned count = 0;
    ON(INDEX(d), nvmlDeviceGetNvLinkErrorCounter)
    code = put_numbers(numbered(INDEX(d), "nvlink_errors", which), 1, &count);
    *out = count;
    return code;
}
API int nvmlDeviceGetP2PStatus(void *a, void *b, unsigned which, unsigned *out) {
    ON(INDEX(a), nvmlDeviceGetP2PStatus)
    return put_numbers(fact(INDEX(a), "p2p"), 1, out);
}
