"""One line for each layer of the stack, bottom to top: what is there, and its state."""

from collections.abc import Container, Iterable
from typing import Literal

from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import SEVERITIES, Finding
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.frameworks import descriptors

#: absent: looked for, and not there. unseen: could not be looked at.
State = Literal["ok", "error", "warning", "info", "absent", "unseen"]

#: Which families of rules speak of which line.
FAMILIES: dict[str, tuple[str, ...]] = {
    "Hardware": ("GPU", "HST", "BOX"),
    "Driver": ("DRV",),
    "CUDA": ("TLK", "ENV"),
    "Libraries": ("LIB",),
    "Python": ("PYT",),
    "Framework": ("FRM", "PRF"),
    "Training": ("SMK",),
}


class StackLine(Fact, frozen=True, kw_only=True):
    """One layer."""

    layer: str
    text: str
    state: State


def stack_lines(snapshot: Snapshot, findings: Iterable[Finding]) -> tuple[StackLine, ...]:
    """The six lines, hardware first; and what training showed, where frameworks were run."""
    texts = {
        "Hardware": _hardware(snapshot.gpus),
        "Driver": _driver(snapshot.driver),
        "CUDA": _cuda(snapshot.driver, snapshot.toolkits),
        "Libraries": _libraries(snapshot.libraries),
        "Python": _python(snapshot.interpreter),
        "Framework": _frameworks(snapshot.frameworks),
    }
    if isinstance(snapshot.live, Live) and snapshot.live.smoke:
        texts["Training"] = _training(snapshot.live)
    findings = tuple(findings)
    return tuple(
        StackLine(layer=layer, text=text, state=_state(state, layer, findings, texts))
        for layer, (text, state) in texts.items()
    )


def _state(seen: State, layer: str, findings: tuple[Finding, ...], shown: Container[str]) -> State:
    """The gravest finding of the layer, notes left out; else how it was seen."""
    families = FAMILIES[layer]
    if layer == "Framework" and "Training" not in shown:
        families += FAMILIES["Training"]
    grave = [f.severity for f in findings if f.code[:3] in families and f.severity != "info"]
    return min(grave, key=SEVERITIES.index) if grave else seen


def _gap(gap: Gap) -> tuple[str, State]:
    return f"not seen: {gap.reason}", "unseen"


def _hardware(gpus: Gpus | Gap | None) -> tuple[str, State]:
    if isinstance(gpus, Gap):
        return _gap(gpus)
    if gpus is None or not gpus.devices:
        return "no GPU", "absent"
    counted: dict[str, int] = {}
    for gpu in gpus.devices:
        counted[_gpu(gpu)] = counted.get(_gpu(gpu), 0) + 1
    return ", ".join(f"{n} x {text}" if n > 1 else text for text, n in counted.items()), "ok"


def _gpu(gpu: Gpu) -> str:
    facts = []
    if gpu.memory_total_mib:
        facts.append(f"{gpu.memory_total_mib / 1024:.0f} GB")
    if gpu.capability is not None:
        facts.append(f"compute capability {gpu.capability}")
    name = gpu.name or _nameless(gpu)
    return f"{name} ({', '.join(facts)})" if facts else name


def _nameless(gpu: Gpu) -> str:
    """A GPU of which only some of maker, place and PCI id is known."""
    maker = f"{gpu.vendor.upper()} GPU" if gpu.vendor else "GPU of unknown maker"
    number = f"{maker} {gpu.index}" if gpu.index is not None else maker
    known = [f"PCI id {gpu.pci_id}"] if gpu.pci_id else [f"at {gpu.pci_bus_id}"] if gpu.pci_bus_id else []
    return ", ".join((number, *known, "not named by the driver" if gpu.refusals else "model not known"))


def _driver(driver: Driver | Gap | None) -> tuple[str, State]:
    if isinstance(driver, Gap):
        return _gap(driver)
    if driver is None:
        return "no NVIDIA driver", "absent"
    release = f"{driver.release}" if driver.release else "release not known"
    flavour = f", {driver.module_flavour} kernel module" if driver.module_flavour else ""
    return f"{release}{flavour}", "ok" if driver.release else "unseen"


def _cuda(driver: Driver | Gap | None, toolkits: Toolkits | Gap | None) -> tuple[str, State]:
    parts = []
    if isinstance(driver, Driver) and driver.cuda:
        parts.append(f"driver offers {driver.cuda}")
    if isinstance(toolkits, Toolkits) and toolkits.found:
        kinds = sorted({f"{toolkit.version}" for toolkit in toolkits.found if toolkit.version})
        parts.append(f"toolkit {', '.join(kinds) or 'of unknown version'}")
    elif toolkits is None or isinstance(toolkits, Toolkits):
        parts.append("no toolkit (needed to compile extensions only)")
    return "; ".join(parts) or "not seen", "ok" if parts else "unseen"


def _libraries(libraries: Libraries | Gap | None) -> tuple[str, State]:
    if isinstance(libraries, Gap):
        return _gap(libraries)
    if libraries is None or not (libraries.copies or libraries.resolutions):
        return "no CUDA libraries (none needed by what is installed)", "absent"
    taken = [
        f"{r.framework} takes cuDNN {r.version or 'of unknown version'} ({r.origin or 'origin unknown'})"
        for r in libraries.resolutions or ()
        if r.family == "cudnn" and r.path and ".so." in r.soname and "_" not in r.soname
    ]
    missing = {r.framework: len(libraries.missing(r.framework)) for r in libraries.resolutions or () if not r.path}
    taken += [f"{framework} misses {count}" for framework, count in missing.items()]
    text = "; ".join(dict.fromkeys(taken)) or f"{len(libraries.copies)} CUDA library files"
    return text, "absent" if missing else "ok"


def _python(interpreter: Interpreter | Gap | None) -> tuple[str, State]:
    if isinstance(interpreter, Gap):
        return _gap(interpreter)
    if interpreter is None:
        return "none found", "absent"
    kind = f", {interpreter.environment}" if interpreter.environment else ""
    return f"{interpreter.version or 'version not known'}{kind}, {interpreter.executable}", "ok"


def _frameworks(frameworks: Frameworks | Gap | None) -> tuple[str, State]:
    if isinstance(frameworks, Gap):
        return _gap(frameworks)
    found = [f for one in descriptors() if frameworks and (f := frameworks.get(one.name))]
    if not found:
        return "none of TensorFlow, PyTorch, JAX installed", "absent"
    return ", ".join(_framework(framework) for framework in found), "ok"


def _training(live: Live) -> tuple[str, State]:
    from gpudoctor.report.smoke_summary import training

    text, well = training(live)
    return text, "ok" if well else "error"


def _framework(framework: Framework) -> str:
    built = {"cpu": "CPU build", "rocm": "ROCm build", "xpu": "XPU build", "mps": "Apple build"}
    if framework.variant == "cuda":
        return f"{framework.label} (CUDA {framework.cuda or 'build'})"
    return f"{framework.label} ({built[framework.variant]})" if framework.variant in built else framework.label
