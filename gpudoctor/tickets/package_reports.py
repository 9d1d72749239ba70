"""Environment reports of CuPy, xformers, DeepSpeed, Lightning, fastai; banners of Ultralytics and ComfyUI."""

from collections.abc import Callable

from msgspec import structs

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.libraries import Toolkit, Toolkits
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.sources.gpu_names import maker_of
from gpudoctor.tickets.fragment import Fragment, source
from gpudoctor.tickets.machine_words import of_platform, python_version
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.reading import Reading

_ROW = re.compile(r"^\s*(?:[-*•]\s*)*([A-Za-z][\w .@/()-]{1,48}?)\s*(?:\.{3,}|:)\s*(\S.*?)?\s*$")
_NVIDIA = re.compile(r"(?:NVIDIA|GeForce|Tesla|Quadro|TITAN|RTX|GTX) ?\S.{2,60}", re.IGNORECASE)
_LIBC = re.compile(r"-with-(glibc|musl)([\d.]+)")

Said = dict[str, tuple[int, str]]


def _first(said: Said, *labels: str) -> tuple[int, str]:
    return next((said[label] for label in labels if label in said), (0, ""))


def _python(said: Said, read: Reading, *labels: str) -> None:
    number, value = _first(said, *labels)
    version = python_version(value)
    if version:
        read.sections["interpreter"] = Interpreter(executable="python", chosen_by="report", version=version)
        read.lines.append(number)


def _platform(said: Said, read: Reading, *labels: str) -> None:
    number, value = _first(said, *labels)
    host = of_platform(value)
    if host:
        libc = _LIBC.search(value)
        if libc:
            host = structs.replace(host, libc=libc[1], libc_version=libc[2])
        read.sections["host"] = host
        read.lines.append(number)


def _gpu(said: Said, read: Reading, name_label: str, capability_label: str = "") -> None:
    number, name = _first(said, name_label)
    if _NVIDIA.match(name):
        capability = Capability.parse(_first(said, capability_label)[1] or None)
        read.gpus.append(Gpu(vendor="nvidia", name=name, capability=capability, source=source(read.form, number)))
        read.lines.append(number)


def _cupy(said: Said, read: Reading) -> None:
    """cupy.show_config()."""
    _platform(said, read, "os")
    _python(said, read, "python version")
    number, value = _first(said, "cuda driver version")
    if value.isdecimal():
        read.sections["driver"] = Driver(cuda=CudaVersion.from_number(int(value)), source=source(read.form, number))
        read.lines.append(number)
    number, value = _first(said, "device 0 name")
    _gpu(said, read, "device 0 name")
    for row, value in (_first(said, "cuda runtime version"),):
        local = re.search(r"/ (\d{4,5}) \(locally installed\)", value)
        if local:
            version = CudaVersion.from_number(int(local[1]))
            toolkit = Toolkit(root="the CUDA that CuPy finds", version=version, source=source(read.form, row))
            read.sections["toolkits"] = Toolkits(found=(toolkit,))
            read.lines.append(row)


def _xformers(said: Said, read: Reading) -> None:
    """Python -m xformers.info."""
    number, value = _first(said, "pytorch.version")
    read.framework("torch", value, number)
    read.lines.append(number)
    if "pytorch.cuda" in said:
        read.available("torch", {"available": "yes", "not available": "no"}.get(said["pytorch.cuda"][1], ""))
    _gpu(said, read, "gpu.name", "gpu.compute_capability")


def _deepspeed(said: Said, read: Reading) -> None:
    """ds_report."""
    number, value = _first(said, "torch version")
    read.framework("torch", value, number)
    read.lines.append(number)
    row, nvcc = _first(said, "nvcc version")
    if CudaVersion.parse(nvcc):
        toolkit = Toolkit(root="the nvcc on PATH", version=CudaVersion.parse(nvcc), source=source(read.form, row))
        read.sections["toolkits"] = Toolkits(found=(toolkit,), nvcc_on_path="nvcc")
        read.lines.append(row)


def _fastai(said: Said, read: Reading) -> None:
    """fastai.utils.show_install()."""
    number, value = _first(said, "torch version")
    read.framework("torch", value, number)
    read.lines.append(number)
    row, cuda = _first(said, "torch cuda")
    if "available" in cuda:
        read.available("torch", "no" if "not available" in cuda or "**" in cuda else "yes")
        read.lines.append(row)
    row, release = _first(said, "nvidia driver")
    if DriverRelease.parse(release):
        read.sections["driver"] = Driver(release=DriverRelease.parse(release), source=source(read.form, row))
        read.lines.append(row)
    _python(said, read, "python")
    _platform(said, read, "platform")


def _lightning(said: Said, read: Reading) -> None:
    """Lightning's collect_env_details.py."""
    number, value = _first(said, "pytorch_version", "torch")
    read.framework("torch", value, number)
    read.lines.append(number)
    row, available = _first(said, "available")
    read.available("torch", available)
    read.lines.append(row)
    _python(said, read, "python")


def _comfyui(said: Said, read: Reading) -> None:
    """The first lines of ComfyUI."""
    number, value = _first(said, "pytorch version")
    read.framework("torch", value, number)
    read.lines.append(number)
    _python(said, read, "python version", "** python version")
    row, device = _first(said, "device")
    match = re.match(r"cuda:(\d+) (\S.*?)(?: : \w+)?$", device)
    if match:
        read.gpus.append(
            Gpu(vendor=maker_of(match[2]), index=int(match[1]), name=match[2], source=source(read.form, row))
        )
        read.lines.append(row)


#: Labels that are all there in a report of that kind; its name; what reads it.
_KINDS: tuple[tuple[tuple[str, ...], str, Callable[[Said, Reading], None]], ...] = (
    (("cupy version", "cuda driver version"), "cupy.show_config()", _cupy),
    (("pytorch.version", "pytorch.cuda"), "xformers.info", _xformers),
    (("torch cuda version", "torch version"), "ds_report of DeepSpeed", _deepspeed),
    (("torch cuda", "torch version"), "fastai's show_install", _fastai),
    (("pytorch_version", "available"), "Lightning's collect_env_details", _lightning),
    (("set vram state to", "pytorch version"), "ComfyUI's first lines", _comfyui),
)
_ULTRALYTICS = re.compile(
    r"(?:Ultralytics|YOLO)\S{0,40}[^\n]{0,60}?\bPython-(\d+\.\d+\.\d+) torch-(\d\S+) (?:(CPU)\b"
    r"|CUDA:(\d+) \((.+?), \d+MiB\))"
)


_OS_ROW = re.compile(r"^\s*OS {3,}(\S+)\s*$")


def parse_package_reports(text: Pasted) -> tuple[Fragment, ...]:
    """Every such report in the text."""
    said: Said = {}
    for number, line in text.filled:
        row = _ROW.match(line) if ":" in line or "..." in line else None
        if row and row[2]:
            said.setdefault(row[1].strip().lower(), (number, row[2]))
    found: list[Fragment] = []
    for labels, form, reads in _KINDS:
        if all(label in said for label in labels):
            read = Reading(form=form)
            reads(said, read)
            found += read.fragment()
    return (*found, *(_ultralytics(text) if " torch-" in text.text else ()))


def _ultralytics(text: Pasted) -> tuple[Fragment, ...]:
    """The line "YOLOv8.0.20 Python-3.8.10 torch-1.13.1+cu117 CUDA:0 (NVIDIA GeForce RTX 3090, 24260MiB)", each."""
    found: list[Fragment] = []
    for number, match in text.found(_ULTRALYTICS):
        read = Reading(form="Ultralytics' first line")
        read.lines.append(number)
        read.framework("torch", match[2], number)
        read.available("torch", "no" if match[3] else "yes")
        read.sections["interpreter"] = Interpreter(executable="python", chosen_by="report", version=match[1])
        host = next((of_platform(row[1]) for _, row in text.matches(_OS_ROW)), None)
        if host:
            read.sections["host"] = host
        if match[5]:
            gpu = Gpu(vendor=maker_of(match[5]), index=int(match[4]), name=match[5], source=source(read.form, number))
            read.gpus.append(gpu)
        found += read.fragment()
    return tuple(found)
