"""Asks NVML for driver and GPUs, in a process of its own, since a driver may hang or crash.

Run by gpudoctor's own Python: `python -I -S -B ask_nvml.py`, with the folder of pynvml and then the libraries to try on
standard input, one a line. The answers are written as `driver_query` says; units are those of nvml.h.
"""

import ctypes
import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from driver_query import Transcript, believed, load, loaded_path, read_lines

# NOT_SUPPORTED, FUNCTION_NOT_FOUND, ARGUMENT_VERSION_MISMATCH: an older call may still know.
TRY_THE_NEXT = (3, 13, 25)
FUNCTION_NOT_FOUND = 13

# Numbers of nvml.h; releases of the binding differ in which of them they have names for.
MEMORY_V2 = 0x02000028
CLOCK_SM, CLOCK_MEMORY = 1, 2
THRESHOLD_SLOWDOWN, THRESHOLD_GPU_MAX = 1, 3
CORRECTED, UNCORRECTED, VOLATILE, AGGREGATE = 0, 1, 0, 1
RETIRED_SINGLE_BIT, RETIRED_DOUBLE_BIT = 0, 1
VIRTUALIZATION_VGPU = 2
SENSOR_GPU = 0
P2P_READ = 0
MOST_LINKS = 36
REPLAYS, RECOVERIES = 0, 1

# Each line: a fact, then the calls that can answer it, best first; each call with its arguments after the handle.
IDENTITY = (
    ("name", ("nvmlDeviceGetName",)),
    ("uuid", ("nvmlDeviceGetUUID",)),
    ("pci", ("nvmlDeviceGetPciInfo",)),
    ("capability", ("nvmlDeviceGetCudaComputeCapability",)),
    ("architecture", ("nvmlDeviceGetArchitecture",)),
    ("memory", ("nvmlDeviceGetMemoryInfo", MEMORY_V2), ("nvmlDeviceGetMemoryInfo",)),
    ("vbios", ("nvmlDeviceGetVbiosVersion",)),
)
DETAILS = (
    ("processes.compute", ("nvmlDeviceGetComputeRunningProcesses_v3",), ("nvmlDeviceGetComputeRunningProcesses_v2",)),
    (
        "processes.graphics",
        ("nvmlDeviceGetGraphicsRunningProcesses_v3",),
        ("nvmlDeviceGetGraphicsRunningProcesses_v2",),
    ),
    ("pcie.generation", ("nvmlDeviceGetCurrPcieLinkGeneration",)),
    ("pcie.generation_max", ("nvmlDeviceGetMaxPcieLinkGeneration",)),
    ("pcie.width", ("nvmlDeviceGetCurrPcieLinkWidth",)),
    ("pcie.width_max", ("nvmlDeviceGetMaxPcieLinkWidth",)),
    ("power.draw", ("nvmlDeviceGetPowerUsage",)),
    ("power.limit", ("nvmlDeviceGetPowerManagementLimit",), ("nvmlDeviceGetEnforcedPowerLimit",)),
    ("power.default_limit", ("nvmlDeviceGetPowerManagementDefaultLimit",)),
    ("power.constraints", ("nvmlDeviceGetPowerManagementLimitConstraints",)),
    ("temperature", ("nvmlDeviceGetTemperature", SENSOR_GPU), ("nvmlDeviceGetTemperatureV", SENSOR_GPU)),
    ("temperature_slowdown", ("nvmlDeviceGetTemperatureThreshold", THRESHOLD_SLOWDOWN)),
    ("temperature_max_operating", ("nvmlDeviceGetTemperatureThreshold", THRESHOLD_GPU_MAX)),
    ("clock_sm", ("nvmlDeviceGetClockInfo", CLOCK_SM)),
    ("clock_sm_max", ("nvmlDeviceGetMaxClockInfo", CLOCK_SM)),
    ("clock_memory", ("nvmlDeviceGetClockInfo", CLOCK_MEMORY)),
    ("clock_memory_max", ("nvmlDeviceGetMaxClockInfo", CLOCK_MEMORY)),
    ("throttle_reasons", ("nvmlDeviceGetCurrentClocksEventReasons",), ("nvmlDeviceGetCurrentClocksThrottleReasons",)),
    ("utilization", ("nvmlDeviceGetUtilizationRates",)),
    ("performance_state", ("nvmlDeviceGetPerformanceState",)),
    ("ecc_mode", ("nvmlDeviceGetEccMode",)),
    ("ecc_uncorrected_volatile", ("nvmlDeviceGetTotalEccErrors", UNCORRECTED, VOLATILE)),
    ("ecc_uncorrected_aggregate", ("nvmlDeviceGetTotalEccErrors", UNCORRECTED, AGGREGATE)),
    ("ecc_corrected_volatile", ("nvmlDeviceGetTotalEccErrors", CORRECTED, VOLATILE)),
    ("retired_pages.single_bit", ("nvmlDeviceGetRetiredPages", RETIRED_SINGLE_BIT)),
    ("retired_pages.double_bit", ("nvmlDeviceGetRetiredPages", RETIRED_DOUBLE_BIT)),
    ("retired_pages_pending", ("nvmlDeviceGetRetiredPagesPendingStatus",)),
    ("row_remaps", ("nvmlDeviceGetRemappedRows",)),
    ("compute_mode", ("nvmlDeviceGetComputeMode",)),
    ("persistence", ("nvmlDeviceGetPersistenceMode",)),
    ("display_attached", ("nvmlDeviceGetDisplayMode",)),
    ("display_active", ("nvmlDeviceGetDisplayActive",)),
    ("virtualization", ("nvmlDeviceGetVirtualizationMode",)),
)
SYSTEM = (
    ("driver_release", ("nvmlSystemGetDriverVersion",)),
    ("cuda_version", ("nvmlSystemGetCudaDriverVersion_v2",), ("nvmlSystemGetCudaDriverVersion",)),
)


class Questioner:
    """Puts questions to NVML through its binding and writes the answers to a transcript."""

    def __init__(self, nvml, transcript):
        self.nvml = nvml
        self.transcript = transcript
        self.vgpus = set()

    def ask(self, subject, fact, calls, *handles):
        """The first answer that one of `calls` gives; None if all refuse."""
        for name, *arguments in calls:
            code, value = self.transcript.ask(subject, fact, name, self._asking(name, handles, arguments))
            if code not in TRY_THE_NEXT:
                return value if code == 0 else None
        return None

    def ask_everything(self):
        """Who all GPUs are, then their state, then how they reach one another: the most needed first."""
        for fact, *calls in SYSTEM:
            self.ask("system", fact, calls)
        count = self.ask("system", "count", [("nvmlDeviceGetCount",)])
        gpus = []
        for index in range(believed(count)):
            handle = self.ask("gpu {}".format(index), "handle", [("nvmlDeviceGetHandleByIndex", index)])
            if handle is not None:
                gpus.append((index, handle))
        for questions in (IDENTITY, DETAILS):
            for index, handle in gpus:
                for fact, *calls in questions:
                    value = self.ask("gpu {}".format(index), fact, calls, handle)
                    if fact == "virtualization" and value == VIRTUALIZATION_VGPU:
                        self.vgpus.add(index)
        for index, handle in gpus:
            self.ask_links(index, handle)
            self.ask_mig(index, handle)
            self.ask_fabric(index, handle)
            self.ask_licence(index, handle)
        self.ask_peers(gpus)

    def ask_links(self, index, handle):
        """The state of every NVLink, up to the first number that the GPU does not have."""
        for link in range(MOST_LINKS):
            subject = "link {} {}".format(index, link)
            active = self.ask(subject, "active", [("nvmlDeviceGetNvLinkState", link)], handle)
            if active is None:
                return
            self.ask(subject, "version", [("nvmlDeviceGetNvLinkVersion", link)], handle)
            for fact, counter in (("replays", REPLAYS), ("recoveries", RECOVERIES)) if active else ():
                self.ask(subject, fact, [("nvmlDeviceGetNvLinkErrorCounter", link, counter)], handle)

    def ask_mig(self, index, handle):
        """The MIG devices of a GPU that is cut up into them."""
        mode = self.ask("gpu {}".format(index), "mig_mode", [("nvmlDeviceGetMigMode",)], handle)
        if not mode or mode[0] != 1:
            return
        most = self.ask("gpu {}".format(index), "mig_count", [("nvmlDeviceGetMaxMigDeviceCount",)], handle)
        for number in range(most or 0):
            subject = "mig {} {}".format(index, number)
            device = self.ask(subject, "handle", [("nvmlDeviceGetMigDeviceHandleByIndex", number)], handle)
            if device is not None:
                self.ask(subject, "uuid", [("nvmlDeviceGetUUID",)], device)
                self.ask(subject, "name", [("nvmlDeviceGetName",)], device)
                self.ask(subject, "memory", [("nvmlDeviceGetMemoryInfo",)], device)

    def ask_fabric(self, index, handle):
        """How far the GPU has come in joining the fabric of its NVSwitches: [state, status]."""

        def asked():
            # The binding fills a structure of the caller's, named after the version of the call.
            info = self.nvml.c_nvmlGpuFabricInfo_v2_t()
            self._asking("nvmlDeviceGetGpuFabricInfoV", (handle,), (ctypes.byref(info),))()
            return [int(info.state), int(info.status)]

        self._ask_by("fabric", "nvmlDeviceGetGpuFabricInfoV", index, asked)

    def ask_licence(self, index, handle):
        """Whether a vGPU is licensed, by feature; other GPUs need no licence and are not asked."""
        if index not in self.vgpus:
            return

        def asked():
            known = self._asking("nvmlDeviceGetGridLicensableFeatures_v4", (handle,), ())()
            features = known.gridLicensableFeatures[: known.licensableFeaturesCount]
            return [bool(feature.featureState) for feature in features] if known.isGridLicenseSupported else []

        self._ask_by("licence", "nvmlDeviceGetGridLicensableFeatures_v4", index, asked)

    def _ask_by(self, fact, name, index, asked):
        """Ask with a function of our own; what an older binding lacks is not supported."""

        def guarded():
            try:
                return asked()
            except AttributeError:
                raise self.nvml.NVMLError(FUNCTION_NOT_FOUND) from None

        self.transcript.ask("gpu {}".format(index), fact, name, guarded)

    def ask_peers(self, gpus):
        """Whether each pair of GPUs can read the memory of one another."""
        for position, (a, first) in enumerate(gpus):
            for b, second in gpus[position + 1 :]:
                subject = "peers {} {}".format(a, b)
                self.ask(subject, "status", [("nvmlDeviceGetP2PStatus", P2P_READ)], first, second)

    def _asking(self, name, handles, arguments):
        mismatch = getattr(self.nvml, "NVMLLibraryMismatchError", AttributeError)

        def asked():
            try:
                return getattr(self.nvml, name)(*handles, *arguments)
            except (AttributeError, mismatch):  # an older binding, or an older library
                raise self.nvml.NVMLError(FUNCTION_NOT_FOUND) from None

        return asked


def binding(folder):
    """The pynvml module in `folder`; nothing else of that folder is loaded, the standard library comes first."""
    if folder not in sys.path:
        sys.path.append(folder)
    return __import__("pynvml")


def main(transcript, folder, libraries):
    """Ask everything; stop where NVML cannot be loaded or does not start."""
    # The binding opens the library by its short name, which then is the one that is loaded already.
    code, _ = transcript.ask("system", "library", "dlopen", lambda: load(libraries))
    if code == 0:
        code, nvml = transcript.ask("system", "binding", "import pynvml", lambda: binding(folder))
    if code == 0:
        code, _ = transcript.ask("system", "init", "nvmlInit", nvml.nvmlInit)
        transcript.ask("system", "library_path", "/proc/self/maps", lambda: loaded_path("libnvidia-ml.so"))
    if code == 0:
        Questioner(nvml, transcript).ask_everything()
    transcript.finish()


if __name__ == "__main__":
    FOLDER, *LIBRARIES = read_lines()
    main(Transcript(), FOLDER, LIBRARIES)
