"""One table of devices as NVML, the CUDA driver and each framework see them, and why one does not."""

from collections.abc import Iterable, Iterator
from typing import Literal

from gpudoctor.diagnosis.visibility import why_hidden
from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import DeviceList, ListedDevice, Live
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Environ
from gpudoctor.rules.visible_devices import read_mask

#: seen: under that name. hidden: it lists others, or none. unknown: it was not asked, or did not answer.
State = Literal["seen", "hidden", "unknown"]
_MASK = "CUDA_VISIBLE_DEVICES"


class Sight(Fact, frozen=True, kw_only=True):
    """What one viewer sees of one device."""

    viewer: str
    state: State
    #: As the viewer names it: cuda:0.
    name: str | None = None
    #: Why it is not seen, or not known; one clause.
    why: str | None = None


class Row(Fact, frozen=True, kw_only=True):
    """A device, as everyone sees it. A device of a framework's own (cpu, mps) has the sights of frameworks only."""

    device: str
    kind: str
    uuid: str | None = None
    pci_bus_id: str | None = None
    sights: tuple[Sight, ...] = ()


class CrossView(Fact, frozen=True, kw_only=True):
    """All devices. `viewers` in the order of the columns: NVML, CUDA, then the frameworks that were run."""

    viewers: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()


def cross_view(snapshot: Snapshot, findings: Iterable[Finding] = ()) -> CrossView:
    """The view of a snapshot; `findings` name the cause where a rule found it."""
    lists = snapshot.live.devices if isinstance(snapshot.live, Live) else ()
    gpus = snapshot.gpus if isinstance(snapshot.gpus, Gpus) else Gpus()
    found = tuple(findings)
    matches = {one.framework: match(one, gpus, snapshot.environ) for one in lists}
    rows = [_gpu_row(snapshot, gpus, place, matches, found) for place in range(len(gpus.devices))]
    strangers = {name: [d for d in one.devices or () if d not in matches[name].values()] for name, one in _named(lists)}
    kinds = dict.fromkeys(device.kind for devices in strangers.values() for device in devices)
    rows += [_own_row(kind, strangers) for kind in sorted(kinds) if kind not in ("xla-cpu", "xla-gpu")]
    drivers = ("NVML", "CUDA") if gpus.devices or isinstance(snapshot.driver, Driver) else ()
    return CrossView(viewers=(*drivers, *(one.framework for one in lists)), rows=tuple(rows))


def match(listed: DeviceList, gpus: Gpus, environ: Environ | Gap | None) -> dict[int, ListedDevice]:
    """The GPUs of the list by their place in `gpus.devices`: by UUID, by PCI address, else by their order.

    A framework numbers the GPUs that CUDA shows it, so its number 0 is the first of CUDA_VISIBLE_DEVICES.
    """
    matched: dict[int, ListedDevice] = {}
    shown = visible(gpus, environ)
    for device in listed.gpus or ():
        place = next((i for i, gpu in enumerate(gpus.devices) if _is_same(device, gpu)), None)
        if place is None and not (device.uuid or device.pci_bus_id) and device.index is not None:
            place = shown[device.index] if device.index < len(shown) else None
        if place is not None:
            matched.setdefault(place, device)
    return matched


def visible(gpus: Gpus, environ: Environ | Gap | None) -> tuple[int, ...]:
    """Places in `gpus.devices` of the GPUs that CUDA shows, in its order as far as the variables tell it."""
    usable = [place for place, gpu in enumerate(gpus.devices) if gpu.vendor == "nvidia" and gpu.index is not None]
    value = environ.get(_MASK) if isinstance(environ, Environ) else None
    if value is None:
        return tuple(usable)
    by_name = {str(gpus.devices[place].index): place for place in usable}
    by_name |= {str(gpus.devices[place].uuid): place for place in usable}
    return tuple(by_name[name] for name in read_mask(value, gpus).visible if name in by_name)


def _named(lists: tuple[DeviceList, ...]) -> Iterator[tuple[str, DeviceList]]:
    return ((one.framework, one) for one in lists)


def _is_same(device: ListedDevice, gpu: Gpu) -> bool:
    if device.uuid and gpu.uuid:
        return device.uuid.lower() == gpu.uuid.lower()
    return bool(device.pci_bus_id and gpu.pci_bus_id) and device.pci_bus_id == gpu.pci_bus_id


def _gpu_row(
    snapshot: Snapshot,
    gpus: Gpus,
    place: int,
    matches: dict[str, dict[int, ListedDevice]],
    findings: tuple[Finding, ...],
) -> Row:
    gpu = gpus.devices[place]
    masked = _masked(gpus, snapshot.environ, place)
    sights = list(_sights_of_drivers(snapshot.driver, gpus, snapshot.environ, place))
    for listed in snapshot.live.devices if isinstance(snapshot.live, Live) else ():
        device = matches[listed.framework].get(place)
        if device is not None:
            sights.append(Sight(viewer=listed.framework, state="seen", name=_short(device.name)))
        else:
            state, why = why_hidden(snapshot, gpu, listed, findings, masked=masked)
            sights.append(Sight(viewer=listed.framework, state=state, why=why))
    name = gpu.name or gpu.pci_id or "unknown model"
    memory = f" ({gpu.memory_total_mib / 1024:.0f} GB)" if gpu.memory_total_mib else ""
    return Row(
        device=f"{'GPU' if gpu.index is None else gpu.index} {name}{memory}",
        kind="gpu",
        uuid=gpu.uuid,
        pci_bus_id=gpu.pci_bus_id,
        sights=tuple(sights),
    )


def _sights_of_drivers(
    driver: Driver | Gap | None, gpus: Gpus, environ: Environ | Gap | None, place: int
) -> Iterator[Sight]:
    """What NVML and the CUDA driver see of the GPU at that place."""
    gpu = gpus.devices[place]
    nvml, cuda = (driver.nvml, driver.cuda_init) if isinstance(driver, Driver) else (None, None)
    if gpu.vendor != "nvidia":
        for viewer in ("NVML", "CUDA"):
            yield Sight(viewer=viewer, state="hidden", why=f"{viewer} sees NVIDIA GPUs only")
        return
    if gpu.index is not None:
        yield Sight(viewer="NVML", state="seen", name=str(gpu.index))
    else:
        why = "the driver did not take it, or it was not given to this container, job or user"
        yield _unanswered("NVML", nvml) or Sight(viewer="NVML", state="hidden", why=f"NVML: {why}")
    shown = visible(gpus, environ)
    count = (cuda.device_count if cuda else None) or 0
    refused = _unanswered("CUDA", cuda)
    if refused is not None:
        yield refused
    elif place in shown and shown.index(place) < count:
        yield Sight(viewer="CUDA", state="seen", name=str(shown.index(place)))
    else:
        masked = _masked(gpus, environ, place)
        yield Sight(viewer="CUDA", state="hidden", why=f"{_MASK} leaves it out" if masked else "CUDA does not list it")


def _unanswered(viewer: str, answer: Answer | None) -> Sight | None:
    if answer is None or answer.outcome in ("not-asked", "no-library"):
        return Sight(viewer=viewer, state="unknown", why=f"{viewer} was not asked: its library was not found")
    if answer.ok:
        return None
    said = answer.name or answer.code or answer.outcome
    return Sight(viewer=viewer, state="hidden", why=f"{viewer} answers {said}")


def _masked(gpus: Gpus, environ: Environ | Gap | None, place: int) -> bool:
    has_mask = isinstance(environ, Environ) and environ.get(_MASK) is not None
    return has_mask and gpus.devices[place].index is not None and place not in visible(gpus, environ)


def _own_row(kind: str, strangers: dict[str, list[ListedDevice]]) -> Row:
    """A device that no driver of a GPU counts: the processor, Metal."""
    sights = []
    for viewer, devices in strangers.items():
        names = [_short(device.name) for device in devices if device.kind == kind]
        text = names[0] if len(names) == 1 else f"{len(names)} of them"
        sights.append(Sight(viewer=viewer, state="seen" if names else "unknown", name=text if names else None))
    title = {"cpu": "CPU", "mps": "Apple GPU (Metal)", "xpu": "Intel GPU", "gpu": "GPU not seen otherwise"}
    return Row(device=title.get(kind, kind.upper()), kind=kind, sights=tuple(sights))


def _short(name: str) -> str:
    """/physical_device:GPU:0 is GPU:0."""
    return name.rsplit("/", 1)[-1].removeprefix("physical_device:").removeprefix("device:")
