"""Why a framework does not list a GPU that is present."""

from collections.abc import Iterator
from typing import Literal

from gpudoctor.diagnosis.proof import how_it_ended
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.live import AgentRun, DeviceList
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container
from gpudoctor.knowledge.causes import all_causes

_BUILDS = {"cuda": "NVIDIA", "rocm": "AMD", "xpu": "Intel", "mps": "Apple"}
#: Families that tell that it is hidden, not why.
_LATE = ("SMK", "PRF")


def why_hidden(
    snapshot: Snapshot, gpu: Gpu, listed: DeviceList, findings: tuple[Finding, ...], *, masked: bool
) -> tuple[Literal["hidden", "unknown"], str]:
    """Whether it is known that the framework does not see it, and the first reason that holds, as one clause."""
    if listed.devices is None:
        return "unknown", f"{listed.framework} could not tell: {how_it_ended(listed.run)}"
    for key, why in _reasons(snapshot, gpu, listed, findings, masked=masked):
        same = [finding for finding in findings if _says(finding, key)]
        about = [finding for finding in same if key == "mask" or computes(listed) in finding.summary.lower()]
        return "hidden", f"{why} ({about[0].code})" if about else why
    cause = next((f for f in findings if f.severity == "error" and not f.because_of and f.code[:3] not in _LATE), None)
    if cause is not None:
        return "hidden", f"{listed.framework} does not list it; the likely cause is {cause.code} {cause.name}"
    words = _own_words(listed.run)
    return "hidden", f"{listed.framework} does not list it" + (f" and says: {words}" if words else "; why is not known")


def _says(finding: Finding, reason: str) -> bool:
    """Whether the finding is about this reason, as the record of its cause has it."""
    record = all_causes().get(finding.name)
    return record is not None and record.hides_gpu == reason


def _own_words(run: AgentRun | None) -> str | None:
    """The first error that a question about devices raised, in its first line."""
    errors = [stage.error for stage in run.stages if stage.error is not None] if run is not None else []
    return f"{errors[0].type}: {errors[0].text.strip().partition(chr(10))[0][:300]}" if errors else None


def computes(listed: DeviceList) -> str:
    """The framework that computes: Keras leaves that to its backend."""
    return (listed.backend or "tensorflow") if listed.framework == "keras" else listed.framework


def _reasons(
    snapshot: Snapshot, gpu: Gpu, listed: DeviceList, findings: tuple[Finding, ...], *, masked: bool
) -> Iterator[tuple[str, str]]:
    name = computes(listed)
    build = _build(snapshot.frameworks, listed)
    if build == "cpu":
        yield "cpu", f"the installed {name} is built for the CPU only"
    if name == "tensorflow" and any(finding.name == "tf-windows-native" for finding in findings):
        yield "windows", "TensorFlow uses no GPU on native Windows"
    maker = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "apple": "Apple"}.get(gpu.vendor or "")
    if build in _BUILDS and maker and maker != _BUILDS[build]:
        yield "vendor", f"the installed {name} is built for GPUs of {_BUILDS[build]}"
    if masked:
        yield "mask", "CUDA_VISIBLE_DEVICES leaves it out"
    yield from _of_driver(snapshot, gpu)
    missing = snapshot.libraries.missing(name) if isinstance(snapshot.libraries, Libraries) else ()
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        yield "library", f"{name} does not find {missing[0].soname}{more}"
    subject = [finding for finding in findings if _says(finding, "architecture") and name in finding.summary]
    if subject:
        yield (
            "architecture",
            f"the installed {name} has no code for compute capability {gpu.capability or 'of this GPU'}",
        )
    if gpu.mig_enabled and gpu.mig_instances is not None:
        parts = f"only its {len(gpu.mig_instances)} parts can be used" if gpu.mig_instances else "it has no part yet"
        yield "mig", f"it is divided (MIG): {parts}"


def _of_driver(snapshot: Snapshot, gpu: Gpu) -> Iterator[tuple[str, str]]:
    if gpu.vendor != "nvidia":
        return
    if snapshot.driver is None:
        yield "driver", "there is no NVIDIA driver"
    if gpu.bound_driver in ("vfio-pci", "pci-stub", "xen-pciback"):
        yield "virtual", "it is reserved for a virtual machine"
    answer = snapshot.driver.cuda_init if isinstance(snapshot.driver, Driver) else None
    if answer is not None and not answer.ok and answer.outcome != "not-asked":
        yield "driver", f"the CUDA driver answers {answer.name or answer.code or answer.outcome}"
    container = snapshot.container
    if gpu.index is None and isinstance(container, Container) and container.kind not in ("none", None):
        yield "container", "it was not given to this container"


def _build(frameworks: Frameworks | Gap | None, listed: DeviceList) -> str | None:
    """What the framework was built for: as it says itself, else as its files say."""
    if listed.built_with_cuda:
        return "cuda"
    if listed.built_with_rocm:
        return "rocm"
    found: Framework | None = frameworks.get(computes(listed)) if isinstance(frameworks, Frameworks) else None
    if found is not None and found.variant is not None:
        return found.variant
    return "cpu" if listed.built_with_cuda is False else None
