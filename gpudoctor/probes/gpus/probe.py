"""All GPUs of the machine: NVML first, the PCI bus beside it, nvidia-smi and the CUDA driver where NVML is mute."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.host.port import Host
from gpudoctor.probes.gpus import platform as gpus_platform
from gpudoctor.probes.gpus.pci import SOURCE as PCI
from gpudoctor.probes.gpus.pci import read_bus
from gpudoctor.probes.host_files import exists
from gpudoctor.probes.nvidia.children import DEADLINE, NVML, CudaFacts, NvmlFacts, begin_cuda, begin_nvml
from gpudoctor.sources.nvidia_codes import NVML_NO_GPU, SMI

if TYPE_CHECKING:
    from gpudoctor.probes.gpus.smi import Smi

#: What was seen, and what NVML and the CUDA driver answered.
Seen = tuple[Gpus | Gap | None, NvmlFacts, CudaFacts]


class _Bus(msgspec.Struct, frozen=True):
    """What was seen without any NVIDIA software. `gap` says why that is not all there is."""

    gpus: tuple[Gpu, ...] = ()
    nvswitches: int | None = None
    gap: Gap | None = None
    source: Source = PCI


def probe(host: Host, deadline: float = DEADLINE) -> Seen:
    """The GPUs, and what NVML and the CUDA driver answered. `deadline` in seconds is for each of those. Never raises.

    None means that the hardware was looked at and holds no GPU; where it cannot be looked at, that is a Gap.
    """
    return begin(host, deadline)()


def begin(host: Host, deadline: float = DEADLINE) -> Callable[[], Seen]:
    """Begin to ask NVML and the CUDA driver, each in a child; the call that is returned does the rest."""
    asked_cuda, asked_nvml = begin_cuda(host, deadline), begin_nvml(host, deadline)

    def finish() -> Seen:
        nvml = asked_nvml()
        bus = _read_hardware(host, ask_driver=nvml.nvml.outcome not in ("timed-out", "stuck"))
        smi = _ask_smi(host, deadline) if _smi_may_know_more(nvml) else None
        cuda = asked_cuda()
        return _gpus(host, nvml, cuda, bus, smi), _facts(nvml, smi), cuda

    return finish


def _ask_smi(host: Host, deadline: float) -> "Smi | None":
    if host.tool("nvidia-smi") is None:
        return None
    # Imported here: few machines have it where NVML is mute.
    from gpudoctor.probes.gpus.smi import read_smi

    return read_smi(host, deadline)


def _read_hardware(host: Host, *, ask_driver: bool) -> _Bus:
    if host.platform == "darwin":
        return _of_system(gpus_platform.read_macos(host))
    if host.platform == "win32":
        return _of_system(gpus_platform.read_windows(host))
    found = read_bus(host, ask_driver=ask_driver)
    if isinstance(found, Gap):
        return _Bus(gap=found)
    integrated = None if any(gpu.vendor == "nvidia" for gpu in found.gpus) else gpus_platform.read_tegra(host)
    gpus = (*found.gpus, integrated) if integrated else found.gpus
    return _Bus(gpus, found.nvswitches, _wsl_gap(host))


def _of_system(found: tuple[Gpu, ...] | Gap) -> _Bus:
    if isinstance(found, Gap):
        return _Bus(gap=found)
    return _Bus(found, source=found[0].source or PCI) if found else _Bus()


def _wsl_gap(host: Host) -> Gap | None:
    """In WSL the GPU belongs to Windows: the bus shows none, whether there is one or not."""
    release = host.read_text("/proc/sys/kernel/osrelease")
    if exists(host, "/dev/dxg") or (isinstance(release, str) and "microsoft" in release.lower()):
        return Gap(reason="in WSL the PCI bus does not show the GPUs of Windows", tried=(PCI,))
    return None


def _smi_may_know_more(nvml: NvmlFacts) -> bool:
    """NVML gave no GPU, not because it says so or hangs (then nvidia-smi, which asks NVML, does too)."""
    return not nvml.gpus and nvml.nvml.outcome in ("no-library", "not-asked", "crashed", "garbage")


def _gpus(host: Host, nvml: NvmlFacts, cuda: CudaFacts, bus: _Bus, smi: "Smi | None") -> Gpus | Gap | None:
    by_smi = smi.gpus if smi is not None else ()
    if not (nvml.gpus or by_smi or cuda.devices or bus.gpus):
        return _none_seen(nvml, bus, smi)
    # Imported here: many machines have none.
    from gpudoctor.probes.gpus.listed import gpus_of

    return gpus_of(host, nvml, cuda, by_smi, (bus.gpus, bus.source), bus.nvswitches)


def _none_seen(nvml: NvmlFacts, bus: _Bus, smi: "Smi | None") -> Gap | None:
    """Nothing is listed: that is no GPU only if the bus, NVML and nvidia-smi all leave no doubt."""
    answer = nvml.nvml
    if smi is not None and (how := _leaves_doubt(smi.answer)):
        return Gap(reason=f"the PCI bus shows no GPU, but nvidia-smi {how}", tried=(PCI, SMI))
    if answer.ok and answer.device_count == 0:
        return None
    if bus.gap is not None:
        return msgspec.structs.replace(bus.gap, tried=(*bus.gap.tried, NVML))
    if answer.outcome in ("no-library", "not-asked") or answer.code in NVML_NO_GPU:
        return None
    what = answer.name or answer.outcome
    return Gap(
        reason=f"the PCI bus shows no GPU, but NVML fails in another way than without one ({what})", tried=(PCI, NVML)
    )


def _leaves_doubt(answer: Answer) -> str | None:
    """What nvidia-smi does that it does on no machine without a GPU."""
    if answer.outcome == "answered":
        return None if answer.ok or answer.code in NVML_NO_GPU else f"answers {answer.name}"
    return None if answer.outcome in ("no-library", "not-asked") else f"did not end well ({answer.outcome})"


def _facts(nvml: NvmlFacts, smi: "Smi | None") -> NvmlFacts:
    """NVML's facts, with what nvidia-smi printed of them where NVML itself could not be asked."""
    if smi is None:
        return nvml
    unasked = nvml.nvml.outcome in ("no-library", "not-asked") and smi.answer.outcome != "not-asked"
    return msgspec.structs.replace(
        nvml, nvml=smi.answer if unasked else nvml.nvml, release=nvml.release or smi.release, cuda=nvml.cuda or smi.cuda
    )
