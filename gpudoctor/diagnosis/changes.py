"""Lists the differences of two snapshots in users' words."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from gpudoctor.diagnosis.change import Change, listed, scalar
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Frameworks, Interpreter, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, Environ, System
from gpudoctor.tables import rows_of

_KINDS: dict[str, type] = {
    "driver": Driver,
    "host": System,
    "container": Container,
    "interpreter": Interpreter,
    "toolkits": Toolkits,
    "frameworks": Frameworks,
    "packages": Packages,
    "gpus": Gpus,
    "environ": Environ,
    "libraries": Libraries,
    "live": Live,
}
_SEPARATED = frozenset({"PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "DYLD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH"})


def changes(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Every difference between what both saw."""
    for section, empty in _KINDS.items():
        old, new = getattr(before, section), getattr(after, section)
        if isinstance(old, Gap) or isinstance(new, Gap):
            continue
        if (old is None) != (new is None):
            yield Change(
                section=section,
                what=_ABSENT.get(section, section),
                before=_there(old),
                after=_there(new),
            )
        if old is None and new is None:
            continue
        if section == "interpreter" and (old is None or new is None):
            continue
        yield from _of_section(section, old or empty(), new or empty())


_ABSENT = {"driver": "NVIDIA driver", "gpus": "GPUs", "frameworks": "frameworks"}


def _there(value: object) -> str:
    return "none" if value is None else "present"


def _of_section(section: str, old: Any, new: Any) -> Iterator[Change]:
    for field, what, difference in _fields(section):
        yield from difference(section, what, getattr(old, field), getattr(new, field))
    if section in _READERS:
        yield from _READERS[section](old, new)


@cache
def _fields(section: str) -> tuple[tuple[str, str, Callable[..., Iterator[Change]]], ...]:
    """What is told of a section as it stands: the field, the words for it, how the two are compared."""
    rows = (row[1:] for row in rows_of("diagnosis/changes") if row[0] == section)
    return tuple(
        (field.removesuffix(" ..."), what, listed if field.endswith(" ...") else scalar) for field, what in rows
    )


def _driver(old: Driver, new: Driver) -> Iterator[Change]:
    for field, what in (("nvml", "answer of NVML"), ("cuda_init", "answer of CUDA")):
        was, now = getattr(old, field), getattr(new, field)
        if was is not None and now is not None:
            yield from scalar("driver", what, _answer(was), _answer(now))


def _answer(answer: Any) -> str:
    if answer.ok:
        count = f", {answer.device_count} GPUs" if answer.device_count is not None else ""
        return f"well{count}"
    return str(answer.name or answer.outcome)


def _frameworks(old: Frameworks, new: Frameworks) -> Iterator[Change]:
    had, has = {one.name: one for one in old.found}, {one.name: one for one in new.found}
    for name in dict.fromkeys((*had, *has)):
        was, now = had.get(name), has.get(name)
        if was is None or now is None:
            yield Change(section="frameworks", what=name, before=_version(was), after=_version(now), item=name)
            continue
        yield from scalar("frameworks", name, was.version, now.version, name)
        if was.version == now.version or "+" not in f"{was.version}{now.version}":
            yield from scalar("frameworks", f"build of {name}", was.variant, now.variant, name)
            yield from scalar("frameworks", f"CUDA of {name}", was.cuda, now.cuda, name)
        yield from scalar("frameworks", f"cuDNN of {name}", was.cudnn, now.cudnn, name)
        yield from scalar("frameworks", f"place of {name}", was.location, now.location, name)
        if was.archs and now.archs:
            yield from listed("frameworks", f"GPU code of {name}", was.archs, now.archs, name)


def _version(framework: Any) -> str:
    return "not installed" if framework is None else framework.version or "installed"


def _packages(old: Packages, new: Packages) -> Iterator[Change]:
    had, has = ({one.name: one for one in packages.installed} for packages in (old, new))
    for name in sorted({*had, *has}):
        was, now = had.get(name), has.get(name)
        if was is None or now is None:
            if old.excerpt or new.excerpt:
                continue
            before, after = (one.version if one else "not installed" for one in (was, now))
            yield Change(section="packages", what=name, before=before, after=after)
            continue
        yield from scalar("packages", name, was.version, now.version)
        yield from scalar("packages", f"build of {name}", was.build, now.build)


def _gpus(old: Gpus, new: Gpus) -> Iterator[Change]:
    had, has = ({_identity(gpu): gpu for gpu in gpus.devices} for gpus in (old, new))
    for name in dict.fromkeys((*had, *has)):
        was, now = had.get(name), has.get(name)
        if was is None or now is None:
            known = was or now
            assert known is not None
            yield Change(
                section="gpus",
                what=known.label,
                before="there" if was else "not there",
                after="there" if now else "not there",
            )
            continue
        for field, what, difference in _fields("gpu"):
            yield from difference("gpus", f"{what} of {now.label}", getattr(was, field), getattr(now, field))
        if was.pcie and now.pcie:
            yield from scalar("gpus", f"PCIe width of {now.label}", was.pcie.width, now.pcie.width)
        if was.power and now.power:
            yield from scalar("gpus", f"power limit of {now.label}, W", was.power.limit, now.power.limit)


def _identity(gpu: Gpu) -> str:
    return gpu.pci_bus_id or gpu.uuid or f"{gpu.index} {gpu.name}"


def _environ(old: Environ, new: Environ) -> Iterator[Change]:
    partial = old.excerpt or new.excerpt
    for name in sorted({*old.variables, *new.variables}):
        was, now = old.get(name), new.get(name)
        if was == now or (partial and (was is None or now is None)):
            continue
        if name in _SEPARATED or name.endswith("PATH"):
            separator = ";" if ";" in f"{was}{now}" else ":"
            yield from listed("environ", name, (was or "").split(separator), (now or "").split(separator), name)
        else:
            yield Change(section="environ", what=name, before=was or "not set", after=now or "not set", item=name)


def _libraries(old: Libraries, new: Libraries) -> Iterator[Change]:
    had, has = ({(one.framework, one.soname): one for one in libs.resolutions or ()} for libs in (old, new))
    for key in dict.fromkeys((*had, *has)):
        was, now = had.get(key), has.get(key)
        if was is not None and now is not None and was.path != now.path:
            what = f"{key[1]} that {key[0]} gets"
            yield Change(section="libraries", what=what, before=was.path or "not found", after=now.path or "not found")
    yield from scalar("libraries", "libstdc++ that is found first", old.libstdcxx, new.libstdcxx)


def _toolkits(old: Toolkits, new: Toolkits) -> Iterator[Change]:
    had, has = ({one.root: one for one in toolkits.found} for toolkits in (old, new))
    partial = old.excerpt or new.excerpt
    for root in dict.fromkeys((*had, *has)):
        was, now = had.get(root), has.get(root)
        if (was is None or now is None) and not partial:
            before, after = (str(one.version or "there") if one else "not there" for one in (was, now))
            yield Change(section="toolkits", what=f"CUDA toolkit in {root}", before=before, after=after)
        elif was is not None and now is not None:
            yield from scalar("toolkits", f"CUDA toolkit in {root}", was.version, now.version)


def _live(old: Live, new: Live) -> Iterator[Change]:
    for now in new.devices:
        was = old.listed_by(now.framework)
        if was is not None:
            words = [None if one is None else "yes" if one else "no" for one in (was.gpu_available, now.gpu_available)]
            yield from scalar("live", f"{now.framework} can use a GPU:", *words)


_READERS: dict[str, Callable[[Any, Any], Iterator[Change]]] = {
    "driver": _driver,
    "frameworks": _frameworks,
    "packages": _packages,
    "gpus": _gpus,
    "environ": _environ,
    "libraries": _libraries,
    "toolkits": _toolkits,
    "live": _live,
}
