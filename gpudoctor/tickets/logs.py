"""Facts in frameworks' logs and errors: devices, libraries opened or missed, CUDA's answers."""

from collections.abc import Iterator

from msgspec import structs

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.driver import Answer, Driver, DriverLibrary
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.live import DeviceList, ListedDevice, Live
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.sources.gpu_names import maker_of
from gpudoctor.sources.library_names import family_of
from gpudoctor.sources.nvidia_codes import cuda_code
from gpudoctor.sources.pci import bus_id
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

TENSORFLOW, TORCH, CUDA = "TensorFlow's log", "PyTorch's message", "an error of CUDA"

#: TensorFlow 1 in one line; its first releases in a line for the name, and the next.
_OLD = re.compile(r"name: (?P<name>.+?) major: (?P<major>\d+) minor: (?P<minor>\d+)")
_OLD_NAME, _OLD_REST = re.compile(r"^\s*name: ([^:]{3,60})$"), re.compile(r"^\s*major: \d+ minor: \d+ ")
_NEW = re.compile(r"pciBusID: (?P<bus>\S+) name: (?P<name>.+?) computeCapability: (?P<capability>[\d.]+)")
_BUS = re.compile(r"^\s*pciBusID:? (\S+)\s*$")
#: TensorFlow 1, of the device it named before: "Total memory: 7.92GiB" and "Free memory: 190.31MiB", later
#: "totalMemory: 7.92GiB freeMemory: 190.31MiB".
_MEMORY = re.compile(r"\b(?P<which>Total|Free) ?memory: (?P<size>[\d.]+)(?P<unit>[KMG])iB", re.I)
_MIB = {"K": 1 / 1024, "M": 1.0, "G": 1024.0}
_CREATED = re.compile(
    r"/device:GPU:(?P<number>\d+)\b.*?device: (?P<index>\d+), name: (?P<name>[^,]+), "
    r"pci bus id: (?P<bus>[0-9a-fA-F:.]+)"
    r"(?:, compute capability: (?P<capability>[\d.]+))?"
)
_OPENED = re.compile(r"[Ss]uccessfully opened (?:dynamic|CUDA) library (\S+?)(?: locally)?\s*$")
_MISSED = re.compile(
    r"Could(?: not|n't) (?:load dynamic|open CUDA) library '?([^\s';]+?)'?(?:;|\.? |\.?$)(?: ?dlerror: ([^;]+))?"
    r"(?:.*?LD_LIBRARY_PATH: ?(\S*))?"
)
_DSO = re.compile(r"libcuda reported version is: (\d[\d.]*)|DSO version (\d[\d.]*)")
_MODULE = re.compile(r"kernel reported version is: (\d[\d.]*)|kernel version (\d[\d.]*) does not match")
_CUINIT = re.compile(r"(?:failed call to )?cuInit(?:\(0\))?(?: failed)?[ :->]*(?:failed with error )?(CUDA_ERROR_\w+)")
_NUMBERED = re.compile(
    r"Error (802|803|804|100|101|999|34|36|3): |cudaGetDeviceCount\(\).{0,40}?returned (802|803|804|100|999)\b"
)
_INCOMPATIBLE = re.compile(r"(?P<name>[A-Z][\w ./-]{3,60}?) with CUDA capability sm_(?P<sm>\d{2,3}) is not compatible")
_SUPPORTS = re.compile(r"current PyTorch install supports CUDA capabilities ((?:(?:sm|compute)_\d+[af]?[ .]*)+)")
_TOO_OLD_GPU = re.compile(r"Found GPU(\d+) (.+?) which is of (?:cuda|compute) capability (?:\(CC\) )?(\d+)\.(\d+)")
#: xformers: "requires device with capability > (8, 0) but your GPU has capability (7, 5) (too old)".
_OWN_CAPABILITY = re.compile(r"your GPU has capability \((\d{1,2}), ?(\d)\)")
_NO_BFLOAT = re.compile(r"Your (\S.{2,50}?) GPU has compute capability (\d{1,2}\.\d)")
_TOO_OLD_DRIVER = re.compile(r"driver on your system is too old \(found version (\d{4,5})\)")
_COMPANION = re.compile(
    r"PyTorch has CUDA [Vv]ersion[ =](\d+\.\d+) (?:whereas|and) (torchaudio"
    r"|torchvision) has CUDA [Vv]ersion[ =](\d+\.\d+)",
    re.I,
)
_NAMES = {
    cuda_code(code).name: code
    for code in (1, 2, 3, 4, 34, 36, 46, 100, 101, 102, 209, 214, 222, 303, 304, 802, 803, 804, 999)
}


def parse_logs(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    body = text.text
    fragments: list[Fragment] = []
    if "pciBusID" in body or "device:GPU:" in body or " major: " in body:
        fragments += _tf_devices(text)
    if "dynamic library" in body or "CUDA library" in body:
        fragments += _opened(text)
    if "version is: " in body or "DSO version" in body:
        fragments += _driver_versions(text)
    fragments += _cuda_answers(text)
    if "capability" in body or "capabilities" in body or "TorchAudio" in body or "torchvision" in body:
        fragments += _torch(text)
    return tuple(fragments)


def _library(number: int) -> Source:
    """CUDA itself listed the device, through TensorFlow."""
    return Source(kind="library", where=f"{TENSORFLOW}, line {number}")


def _tf_devices(text: Pasted) -> tuple[Fragment, ...]:
    gpus: dict[str, Gpu] = {}
    listed: dict[str, ListedDevice] = {}
    lines = []
    pending: tuple[int, Gpu] | None = None
    name = ""
    for number, written in text.filled:
        if named := _OLD_NAME.match(written):
            name = named[1].strip()
            continue
        line = f"name: {name} {written.strip()}" if name and _OLD_REST.match(written) else written
        new, old, created = (_NEW.search(line), _OLD.search(line), _CREATED.search(line))
        if new:
            gpus[new["bus"]] = _gpu(new["name"], new["bus"], new["capability"], number)
        elif old:
            pending = (number, _gpu(old["name"], None, f"{old['major']}.{old['minor']}", number))
            gpus.setdefault(f"line {number}", pending[1])
        elif pending and (bus := _BUS.match(line)):
            gpus.pop(f"line {pending[0]}", None)
            gpus[bus[1]] = _gpu(pending[1].name, bus[1], str(pending[1].capability), pending[0])
            pending = None
        elif gpus and "memory: " in line.lower() and (sizes := _sizes(line)):
            last = next(reversed(gpus))
            gpus[last] = _with_memory(gpus[last], sizes)
        elif created and "bus id" in line:
            gpus.setdefault(created["bus"], _gpu(created["name"], created["bus"], created["capability"], number))
            name = f"/device:GPU:{created['number']}"
            listed[name] = ListedDevice(
                name=name, kind="gpu", index=int(created["number"]), product=created["name"].strip()
            )
        else:
            continue
        lines.append(number)
    if not gpus:
        return ()
    devices = DeviceList(framework="tensorflow", devices=tuple(listed.values()), gpu_available=True)
    return fragment(
        TENSORFLOW,
        lines,
        gpus=Gpus(devices=tuple(gpus.values())),
        live=Live(devices=(devices,)) if listed else None,
    )


def _sizes(line: str) -> dict[str, float]:
    """MiB, of "total" and "free" as far as the line has them."""
    return {one["which"].lower(): float(one["size"]) * _MIB[one["unit"].upper()] for one in _MEMORY.finditer(line)}


def _with_memory(gpu: Gpu, sizes: dict[str, float]) -> Gpu:
    total = sizes.get("total", gpu.memory_total_mib)
    used = total - sizes["free"] if total is not None and "free" in sizes else gpu.memory_used_mib
    return structs.replace(
        gpu,
        memory_total_mib=None if total is None else round(total),
        memory_used_mib=None if used is None else round(used),
    )


def _gpu(name: str | None, bus: str | None, capability: str | None, number: int) -> Gpu:
    return Gpu(
        vendor=maker_of(name),
        name=name.strip() if name else None,
        pci_bus_id=bus_id(bus) if bus else None,
        capability=Capability.parse(capability),
        source=_library(number),
    )


def _opened(text: Pasted) -> tuple[Fragment, ...]:
    """What TensorFlow, or JAX by its code, opened, and what it did not find: that is the loader's own word."""
    # Imported here: most texts hold no such log.
    from gpudoctor.tickets.loader_errors import askers_of

    rows: dict[str, Resolution] = {}
    lines, path = [], None
    askers = askers_of(text.lines)
    for number, line in text.filled:
        opened, missed = _OPENED.search(line), _MISSED.search(line)
        name = (opened[1] if opened else missed[1] if missed else "").rstrip("`'\".,;")
        if not re.match(r"(?:lib)?[\w.-]+\.(?:so|dll)", name):
            continue
        lines.append(number)
        # Where the message names another file than the one that was opened, that one is missing too.
        other = re.match(r"(lib[\w+-]+\.so[.\d]*): cannot open", (missed[2] or "") if missed else "")
        for soname in dict.fromkeys((other[1], name) if other else (name,)):
            is_jax = askers.at(number) == "jax"
            rows[soname] = Resolution(
                framework="jax" if is_jax else "tensorflow",
                soname=soname,
                family=family_of(soname),
                wanted_by="JAX" if is_jax else "TensorFlow",
                how="opened",
                path=name if opened else None,
            )
        if missed and missed[3] is not None:
            path = missed[3]
    folders = tuple(part or "." for part in path.split(":")) if path else ()
    return fragment(
        TENSORFLOW, lines, libraries=Libraries(resolutions=tuple(rows.values()) or None, search_path=folders)
    )


def _release(match: re.Match[str]) -> DriverRelease | None:
    """TensorFlow writes 450.80.2 for 450.80.02."""
    text = next(part for part in match.groups() if part).rstrip(".")
    parts = text.split(".")
    return DriverRelease.parse(".".join([*parts[:2], *(f"{part:0>2}" for part in parts[2:])]))


def _driver_versions(text: Pasted) -> Iterator[Fragment]:
    for number, match in text.found(_DSO):
        library = DriverLibrary(name="libcuda.so.1", path="libcuda.so.1", release=_release(match), first=True)
        yield from fragment(TENSORFLOW, (number,), driver=Driver(libraries=(library,)))
    for number, match in text.found(_MODULE):
        release = _release(match)
        yield from fragment(TENSORFLOW, (number,), driver=Driver(release=release, module_release=release))


def _cuda_answers(text: Pasted) -> Iterator[Fragment]:
    for number, line in text.filled:
        code = None
        if "cuInit" in line and (said := _CUINIT.search(line)):
            code = _NAMES.get(said[1])
        elif ("Error " in line or "returned" in line) and ("cuda" in line.lower() or "system" in line.lower()):
            numbered = _NUMBERED.search(line)
            code = int(numbered[1] or numbered[2]) if numbered else None
        if code is not None:
            name, meaning = cuda_code(code)
            answer = Answer(outcome="answered", code=code, name=name, meaning=meaning)
            yield from fragment(CUDA, (number,), driver=Driver(cuda_init=answer))
        if "too old" in line and (old := _TOO_OLD_DRIVER.search(line)):
            driver = Driver(cuda=CudaVersion.from_number(int(old[1])))
            yield from fragment(TORCH, (number,), driver=driver)


def _torch(text: Pasted) -> Iterator[Fragment]:
    for number, line in text.filled:
        if "is not compatible" in line and (bad := _INCOMPATIBLE.search(line)):
            name = re.sub(r"^.*(?:Warning: |warn\(|^\s+)", "", bad["name"]).strip()
            gpu = Gpu(vendor="nvidia", name=name, capability=_capability(bad["sm"]), source=_library(number))
            yield from fragment(TORCH, (number,), gpus=Gpus(devices=(gpu,)))
        if "supports CUDA capabilities" in line and (known := _SUPPORTS.search(line)):
            archs = tuple(re.findall(r"(?:sm|compute)_\d+[af]?", known[1]))
            torch = Framework(
                name="torch",
                variant="cuda",
                archs=archs,
                archs_source=Source(kind="report", where=f"{TORCH}, line {number}"),
            )
            yield from fragment(TORCH, (number,), frameworks=Frameworks(found=(torch,)))
        if "which is of" in line and (old := _TOO_OLD_GPU.search(line)):
            gpu = Gpu(
                vendor="nvidia", name=old[2], capability=Capability.parse(f"{old[3]}.{old[4]}"), source=_library(number)
            )
            yield from fragment(TORCH, (number,), gpus=Gpus(devices=(gpu,)))
        if "GPU has compute capability" in line and (named := _NO_BFLOAT.search(line)):
            gpu = Gpu(vendor="nvidia", name=named[1], capability=Capability.parse(named[2]), source=_library(number))
            yield from fragment(TORCH, (number,), gpus=Gpus(devices=(gpu,)))
        if "your GPU has capability" in line and (own := _OWN_CAPABILITY.search(line)):
            gpu = Gpu(vendor="nvidia", capability=Capability.parse(f"{own[1]}.{own[2]}"), source=_library(number))
            yield from fragment(TORCH, (number,), gpus=Gpus(devices=(gpu,)))
        if "has CUDA" in line and (pair := _COMPANION.search(line)):
            yield from fragment(TORCH, (number,), REPORT, frameworks=_pair(pair))


def _pair(match: re.Match[str]) -> Frameworks:
    return Frameworks(
        found=(
            Framework(name="torch", variant="cuda", cuda=CudaVersion.parse(match[1])),
            Framework(name=match[2].lower(), variant="cuda", cuda=CudaVersion.parse(match[3])),
        )
    )


def _capability(digits: str) -> Capability | None:
    return Capability.parse(f"{digits[:-1]}.{digits[-1]}")
