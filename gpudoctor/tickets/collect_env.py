"""Output of torch.utils.collect_env and its derivatives (vLLM's, docTR's): "PyTorch version: 2.6.0+cu124"."""

from collections.abc import Iterator

from msgspec import structs

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Toolkit, Toolkits
from gpudoctor.facts.live import DeviceList, Live
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.sources.build_tags import local_part, parse_tag
from gpudoctor.sources.library_names import library_at
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source
from gpudoctor.tickets.machine_words import compiler_version, of_os, of_platform, python_version
from gpudoctor.tickets.pasted import Pasted

FORM = "collect_env of PyTorch"

_LABELS = (
    "PyTorch version|Is debug build|CUDA used to build PyTorch|ROCM used to build PyTorch|OS|GCC version|Clang version"
    "|CMake version|Libc version|Python version|Python platform|Is CUDA available(?: \\(PyTorch\\))?"
    "|CUDA runtime version|CUDA_MODULE_LOADING set to|GPU models and configuration|Nvidia driver version|cuDNN version"
    "|HIP runtime version|MIOpen runtime version|Is XNNPACK available|Versions of relevant libraries|Is XPU available"
    "|Caching allocator config"
)
_LABEL = re.compile(rf"^\s*(?:[-*]\s+)?\**({_LABELS})\**\s*:\**\s*(.*)$")
#: Labels that no other report has: one of them makes it this one.
_OWN = ("CUDA used to build PyTorch", "GPU models and configuration", "Is debug build", "Nvidia driver version")
_GPU = re.compile(r"^\s*(?:GPU models and configuration\s*:\s*)?GPU (\d+): (\S.*?)(?:\s+\(UUID: (GPU-[0-9a-f-]+)\))?$")
_CUDNN = re.compile(r"^\s*(?:cuDNN version\s*:\s*)?((?:/|[A-Za-z]:\\)\S.*?(?:lib)?cudnn\S*)$")
_NOTHING = ("", "N/A", "Could not collect", "None", "No CUDA")
_ROOT = "the nvcc on PATH"


def parse_collect_env(text: Pasted) -> tuple[Fragment, ...]:
    """Every such report in the text."""
    return tuple(one for rows in _reports(text) for one in _fragment(text, rows))


def _reports(text: Pasted) -> Iterator[dict[str, tuple[int, str]]]:
    """The labelled lines of each report: label → (line, value). A label that comes again begins another report."""
    rows: dict[str, tuple[int, str]] = {}
    for number, match in text.matches(_LABEL):
        label = match[1].removesuffix(" (PyTorch)")
        if label in rows:
            yield rows
            rows = {}
        rows[label] = (number, match[2].strip())
    yield rows


def _fragment(text: Pasted, rows: dict[str, tuple[int, str]]) -> tuple[Fragment, ...]:
    if not any(label in rows for label in _OWN):
        return ()
    said = {label: value for label, (_, value) in rows.items() if value not in _NOTHING}
    numbers = [number for number, _ in rows.values()]
    gpus, gpu_lines = _gpus(text, rows)
    copies, copy_lines = _cudnn(text, rows)
    return fragment(
        FORM,
        (*numbers, *gpu_lines, *copy_lines),
        REPORT,
        frameworks=_torch(rows, said),
        host=_host(said),
        interpreter=_interpreter(said),
        toolkits=_toolkits(rows, said),
        driver=_driver(rows, said),
        gpus=Gpus(devices=gpus) if gpus else None,
        libraries=Libraries(copies=copies) if copies else None,
        live=_live(said),
    )


def _torch(rows: dict[str, tuple[int, str]], said: dict[str, str]) -> Frameworks | None:
    version = said.get("PyTorch version", "").split(" ")[0]
    if not version:
        return None
    variant, cuda = parse_tag(local_part(version))
    built = rows.get("CUDA used to build PyTorch", (0, "Could not collect"))[1]
    if CudaVersion.parse(built):
        variant, cuda = "cuda", CudaVersion.parse(built)
    elif said.get("ROCM used to build PyTorch"):
        variant = "rocm"
    elif "CUDA used to build PyTorch" in rows and built in _NOTHING and variant is None and "arm64" not in str(said):
        # torch.version.cuda is None there: torch/utils/collect_env.py writes None as "Could not collect".
        variant = "cpu"
    torch = Framework(
        name="torch",
        dist="torch",
        version=version,
        variant=variant,
        cuda=cuda,
        source=source(FORM, rows["PyTorch version"][0]),
    )
    return Frameworks(found=(torch,))


def _host(said: dict[str, str]) -> System | None:
    system = of_os(said.get("OS", ""), of_platform(said.get("Python platform", "")))
    libc = re.match(r"(glibc|musl)-([\d.]+)", said.get("Libc version", ""))
    # Before 3.8 Python told the libc that it was built with.
    told = python_version(said.get("Python version", "")) or "0"
    if libc and tuple(int(part) for part in told.split(".")[:2]) >= (3, 8):
        system = structs.replace(system or System(), libc=libc[1], libc_version=libc[2])
    return system


def _interpreter(said: dict[str, str]) -> Interpreter | None:
    text = said.get("Python version", "")
    version = python_version(text)
    if version is None:
        return None
    bits = re.search(r"\((32|64)-bit runtime\)", text)
    conda = re.search(r"Anaconda|conda-forge|Continuum", text)
    return Interpreter(
        executable="python",
        chosen_by="report",
        version=version,
        bits=int(bits[1]) if bits else None,  # type: ignore[arg-type]
        environment="conda" if conda else None,
    )


def _toolkits(rows: dict[str, tuple[int, str]], said: dict[str, str]) -> Toolkits | None:
    found = re.match(r"\d+\.\d+(?:\.\d+)*", said.get("CUDA runtime version", ""))
    compiler = compiler_version(said.get("GCC version", ""))
    toolkit = None
    if found:
        where = source(FORM, rows["CUDA runtime version"][0])
        toolkit = Toolkit(
            root=_ROOT, version=CudaVersion.parse(found[0]), full_version=found[0], nvcc="nvcc", source=where
        )
    return Toolkits(
        found=(toolkit,) if toolkit else (),
        nvcc_on_path="nvcc" if toolkit else None,
        compiler="gcc" if compiler else None,
        compiler_version=compiler,
    )


def _driver(rows: dict[str, tuple[int, str]], said: dict[str, str]) -> Driver | None:
    release = DriverRelease.parse(said.get("Nvidia driver version"))
    if release is None:
        return None
    return Driver(release=release, source=source(FORM, rows["Nvidia driver version"][0]))


def _following(text: Pasted, rows: dict[str, tuple[int, str]], label: str) -> Iterator[tuple[int, str]]:
    """The line of a label and those after it, up to the next label or an empty line after the list began."""
    start = rows.get(label, (0, ""))[0]
    for number in range(start, min(start + 130, len(text.lines) + 1)) if start else ():
        line = text.lines[number - 1]
        if number > start and (_LABEL.match(line) or (not line.strip() and number > start + 1)):
            return
        yield number, line


def _gpus(text: Pasted, rows: dict[str, tuple[int, str]]) -> tuple[tuple[Gpu, ...], list[int]]:
    gpus, lines = [], []
    for number, line in _following(text, rows, "GPU models and configuration"):
        match = _GPU.match(line)
        if match:
            lines.append(number)
            vendor = "amd" if re.search(r"\bAMD\b|Radeon|Instinct", match[2]) else "nvidia"
            gpus.append(
                Gpu(
                    vendor=vendor,  # type: ignore[arg-type]
                    index=int(match[1]),
                    name=match[2],
                    uuid=match[3],
                    source=source(FORM, number),
                )
            )
    return tuple(gpus), lines


def _cudnn(text: Pasted, rows: dict[str, tuple[int, str]]) -> tuple[tuple[LibraryCopy, ...], list[int]]:
    copies, lines = [], []
    for number, line in _following(text, rows, "cuDNN version"):
        match = _CUDNN.match(line)
        copy = library_at(match[1], source(FORM, number)) if match else None
        if copy and copy.family == "cudnn":
            lines.append(number)
            copies.append(copy)
    return tuple(copies), lines


def _live(said: dict[str, str]) -> Live | None:
    available = {"True": True, "Yes": True, "False": False, "No": False}.get(said.get("Is CUDA available", ""))
    if available is None:
        return None
    return Live(devices=(DeviceList(framework="torch", gpu_available=available),))
