"""All GPUs of the machine: NVML first, the PCI bus beside it, nvidia-smi and the CUDA driver where NVML is mute."""

import msgspec

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import DeviceNode, Gpu, Gpus
from gpudoctor.host.background import Aside
from gpudoctor.host.port import Host
from gpudoctor.probes.driver.nodes import read_node
from gpudoctor.probes.gpus import platform as gpus_platform
from gpudoctor.probes.gpus.agree import contradictions
from gpudoctor.probes.gpus.merge import from_cuda, merge
from gpudoctor.probes.gpus.pci import SOURCE as PCI
from gpudoctor.probes.gpus.pci import read_bus
from gpudoctor.probes.gpus.plausible import plausible
from gpudoctor.probes.gpus.processes import name_processes
from gpudoctor.probes.gpus.smi import Smi, read_smi
from gpudoctor.probes.nvidia.answers import CUDA, NVML, CudaFacts, NvmlFacts
from gpudoctor.probes.nvidia.children import DEADLINE, ask_cuda, ask_nvml
from gpudoctor.probes.reading import exists, names_in
from gpudoctor.sources.nvidia_codes import NVML_NO_GPU
from gpudoctor.sources.nvidia_smi import SOURCE as SMI


class _Bus(msgspec.Struct, frozen=True):
    """What was seen without any NVIDIA software. `gap` says why that is not all there is."""

    gpus: tuple[Gpu, ...] = ()
    nvswitches: int | None = None
    gap: Gap | None = None
    source: Source = PCI


def probe(host: Host, deadline: float = DEADLINE) -> tuple[Gpus | Gap | None, NvmlFacts, CudaFacts]:
    """The GPUs, and what NVML and the CUDA driver answered. `deadline` in seconds is for each of those. Never raises.

    None means that the hardware was looked at and holds no GPU; where it cannot be looked at, that is a Gap.
    """
    beside = Aside(lambda: ask_cuda(host, deadline))
    nvml = ask_nvml(host, deadline)
    bus = _read_hardware(host, ask_driver=nvml.nvml.outcome not in ("timed-out", "stuck"))
    smi = read_smi(host, deadline) if _smi_may_know_more(nvml) else None
    cuda = beside.result()
    return _gpus(host, nvml, cuda, bus, smi), _facts(nvml, smi), cuda


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


def _gpus(host: Host, nvml: NvmlFacts, cuda: CudaFacts, bus: _Bus, smi: Smi | None) -> Gpus | Gap | None:
    listed, source = _best_list(nvml, cuda, smi)
    devices = merge(listed, bus.gpus)
    if not devices:
        return _none_seen(nvml, bus, smi)
    return Gpus(
        devices=tuple(name_processes(host, plausible(gpu)) for gpu in devices),
        sources=tuple(source for source in (source, bus.source if bus.gpus else None) if source is not None),
        nvswitches=bus.nvswitches,
        peer_links=nvml.peer_links,
        amd_nodes=_amd_nodes(host) if any(gpu.vendor == "amd" for gpu in devices) else None,
        contradictions=contradictions(nvml.gpus, cuda.devices),
    )


def _amd_nodes(host: Host) -> tuple[DeviceNode, ...] | None:
    names = names_in(host, "/dev") if host.platform.startswith("linux") else None
    return None if names is None else tuple(read_node(host, f"/dev/{name}") for name in names if name == "kfd")


def _best_list(nvml: NvmlFacts, cuda: CudaFacts, smi: Smi | None) -> tuple[tuple[Gpu, ...], Source | None]:
    if nvml.gpus:
        return nvml.gpus, NVML
    if smi is not None and smi.gpus:
        return smi.gpus, SMI
    if cuda.devices:
        return from_cuda(cuda.devices, CUDA), CUDA
    return (), None


def _none_seen(nvml: NvmlFacts, bus: _Bus, smi: Smi | None) -> Gap | None:
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


def _facts(nvml: NvmlFacts, smi: Smi | None) -> NvmlFacts:
    """NVML's facts, with what nvidia-smi printed of them where NVML itself could not be asked."""
    if smi is None:
        return nvml
    unasked = nvml.nvml.outcome in ("no-library", "not-asked") and smi.answer.outcome != "not-asked"
    return msgspec.structs.replace(
        nvml, nvml=smi.answer if unasked else nvml.nvml, release=nvml.release or smi.release, cuda=nvml.cuda or smi.cuda
    )
