"""Filled-in forms, lists and tables: "- GPU model and memory: RTX 3090 24GB", "| Treiber | 535.154 |"."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Section
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Toolkit, Toolkits
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.system import Container, System, Wsl
from gpudoctor.facts.versions import CudaVersion, DriverRelease, LibraryVersion
from gpudoctor.sources.build_tags import local_part, parse_tag
from gpudoctor.sources.labelled import Labelled, kinds_of, labelled
from gpudoctor.sources.library_builds import cudnn_release
from gpudoctor.sources.no_match import REFUSED
from gpudoctor.sources.system import is_wsl
from gpudoctor.tickets.fragment import WORDS, Fragment, fragment, source
from gpudoctor.tickets.machine_words import bits_of, of_os, python_version
from gpudoctor.tickets.mentions import of_windows
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.products import count_in, products

FORM = "the reporter's words"
#: What somebody names without saying whose it is.
NAMED_CUDA, NAMED_CUDNN = "the CUDA that the reporter names", "the cuDNN that the reporter names"

_NUMBER = re.compile(r"v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?(?:(?:a|b|rc|[.-]?dev)\d+)?(?:\+[\w.]+)?)(?![\d])")
_GFX = re.compile(r"\bgfx[0-9a-f]{3,4}\b")
_FRAMEWORK_DISTS = (
    "paddlepaddle-gpu",
    "onnxruntime-gpu",
    "tensorflow-gpu",
    "tensorflow-cpu",
    "tf-nightly-gpu",
    "tf-nightly",
)
_NO_ANSWER = frozenset(("n/a", "no response", "-", "none", "无", "keine", "unknown"))
_PARTS = re.compile(r"\s*[/,，、;；]\s*|\s+(?:and|und|和)\s+")

Sections = dict[str, Section | None]


def parse_forms(text: Pasted) -> tuple[Fragment, ...]:
    """What is stated under labels."""
    return tuple(
        found
        for kind, said in _one_a_list(_filled(text))
        for found in fragment(FORM, (said.line,), WORDS, **_read(kind, said, is_smi=_is_smi(text, said.line)))
        if kind != "cuda" or not is_cuda_of_torch(text, said.line)
    )


def _one_a_list(filled: Iterable[tuple[str, Labelled]]) -> Iterator[tuple[str, Labelled]]:
    """A label that is written once for each GPU, line below line, is one list of them."""
    held: Labelled | None = None
    for kind, said in filled:
        if kind == "gpu" and held and held.label == said.label and said.line == held.line + len(held.rows):
            held = held._replace(rows=(*held.rows, *said.rows))
            continue
        if held:
            yield "gpu", held
        held = said if kind == "gpu" else None
        if kind != "gpu":
            yield kind, said
    if held:
        yield "gpu", held


def _filled(text: Pasted) -> Iterator[tuple[str, Labelled]]:
    """Each kind of fact with what stands under its label, once."""
    seen = set()
    refused = REFUSED.search(text.text) is not None
    for said in labelled(text.lines, kinds_of):
        if refused and "==" in text.lines[said.line - 1]:
            continue  # what an installer was asked for in vain
        for kind, part in _by_kind(said):
            if len(part.value) <= 160 and (kind, part.rows) not in seen and part.value.lower() not in _NO_ANSWER:
                seen.add((kind, part.rows))
                yield kind, part


def _by_kind(said: Labelled) -> Iterator[tuple[str, Labelled]]:
    """A label for two facts has two values: "Python/CUDA: 3.8 / 11.2"."""
    kinds = kinds_of(said.label)
    parts = _PARTS.split(said.value) if len(kinds) > 1 else ()
    for index, kind in enumerate(kinds):
        if len(parts) == len(kinds):
            yield kind, said._replace(rows=(parts[index],))
        elif kind and (index == 0 or kind in ("os", "gpu", "driver") or kind in said.value.lower()):
            yield kind, said


def _read(kind: str, said: Labelled, *, is_smi: bool) -> Sections:
    reader = _READERS.get(kind)
    if kind == "cuda" and is_smi:
        cuda = CudaVersion.parse(said.value)
        return {"driver": Driver(cuda=cuda, source=source(FORM, said.line)) if cuda else None}
    return reader(said) if reader else _framework(kind, said) if kind else {}


def _is_smi(text: Pasted, number: int) -> bool:
    """The pair that nvidia-smi heads its table with, one below the other: it is the CUDA that the driver offers."""
    line = text.lines[number - 1]
    if re.search(r"\bdriver version\W+\d{3}\.[\d.]+\W+cuda version\b|\bnvidia-smi\b", line, re.I):
        return True
    below = re.match(r"^\W*CUDA Version\W", line)
    return bool(below and number > 1 and re.match(r"^\W*Driver Version\W+\d{3}\.", text.lines[number - 2]))


def _os(said: Labelled) -> Sections:
    value = " ".join(said.rows[:2])
    return {"host": of_os(value), "container": wsl_named(value)}


def _named_os(said: Labelled) -> Sections:
    """The label names it: "Ubuntu version: 20.04"."""
    return {"host": of_os(f"{said.label} {said.value}") if said.value[:1].isdigit() else None}


def wsl_named(value: str) -> Container | None:
    """The Windows Subsystem for Linux that a value names; version 2 where it names none."""
    named = re.search(r"\bwsl\W?(1\b(?!\.\d))?", value, re.I)
    if named is None and not is_wsl(value):
        return None
    return Container(wsl=Wsl(version=1 if named and named[1] else 2))


def _gpu(said: Labelled) -> Sections:
    """Under "GPU:" a product is often told twice; in a list each row is one GPU."""
    named = [one for row in said.rows for one in dict.fromkeys(products(row))]
    codes = set(_GFX.findall(" ".join(said.rows))) if len(named) == 1 else set()
    gpus = tuple(
        Gpu(
            vendor=vendor,
            name=name,
            architecture=next(iter(codes)) if len(codes) == 1 and vendor == "amd" else None,
            source=source(FORM, said.line),
        )
        for vendor, name in named
    )
    count = count_in(said.value) if len(gpus) == 1 else 1
    return {"gpus": Gpus(devices=gpus * count) if gpus else None}


def _driver(said: Labelled) -> Sections:
    found = re.search(r"(?<![\d.])(\d{3}\.\d{2,3}(?:\.\d{1,3})?)(?![\d.]*\d)", said.value)
    named = found[1] if found else of_windows(said.value)
    if named is None:
        return {}
    # The form of NVIDIA's open kernel modules asks for their release.
    flavour: Literal["open"] | None = "open" if re.search(r"open\W+(?:gpu\W+)?kernel", said.label, re.I) else None
    release = DriverRelease.parse(named)
    return {"driver": Driver(release=release, module_flavour=flavour, source=source(FORM, said.line))}


def is_cuda_of_torch(text: Pasted, number: int) -> bool:
    """What a program prints below the torch that it runs on, 2.9.0+cu130, is the CUDA of that build."""
    match = _CUDA_ROW.match(text.lines[number - 1])
    if match is None:
        return False
    return any(f"+cu{match[1]}{match[2]}" in line for line in text.lines[max(0, number - 4) : number - 1])


_CUDA_ROW = re.compile(r"\W*cuda(?: version)?\s*[:=]\s*(\d{1,2})\.(\d)", re.I)


def _cuda(said: Labelled) -> Sections:
    found = re.match(r"(?:cuda)?[ :=v]*(\d{1,2}\.\d)(?:\.\d+)*(?![\d.])", said.value, re.I)
    return {"toolkits": named_cuda(found[1], said.line) if found else None}


def named_cuda(version: str, line: int) -> Toolkits:
    """A CUDA that is named and no more."""
    toolkit = Toolkit(root=NAMED_CUDA, version=CudaVersion.parse(version), source=source(FORM, line))
    return Toolkits(found=(toolkit,))


#: As NVIDIA names what is downloaded: cudnn-11.2-windows-x64-v8.1.0.77, cudnn-linux-x86_64-8.9.7.29_cuda12-archive.
_CUDNN_ARCHIVE = re.compile(
    r"cudnn-\d\d\.\d-(?:windows\d*|linux)-x64-v(\d\.\d{1,2}\.\d{1,2})|cudnn-(?:windows|linux)-\w+-(\d\.\d{1,2}\.\d{1,2})\.\d",
    re.I,
)


def _cudnn(said: Labelled) -> Sections:
    """Beside a label for two facts only what calls itself cuDNN."""
    archive = _CUDNN_ARCHIVE.search(said.value)
    if archive:
        return {"libraries": named_cudnn(archive[1] or archive[2], said.line)}
    found = re.search(rf"cudnn{CUDNN_NUMBER}", said.value, re.I)
    if found is None and "cuda" not in said.value.lower():
        found = re.match(CUDNN_NUMBER, said.value, re.I)
    return {"libraries": named_cudnn(found[1], said.line) if found else None}


#: "8.9.7", "v8.2.1", and the number that programs print: 8902, 90100.
CUDNN_NUMBER = (
    r"[\s:=v(-]*(?:version|ver)?[\s:=v.]*(\d{1,2}(?:\.\d{1,2}){0,2}|\d{4,5})(?![\d.]*\d{3}|\w|-(?:windows|linux))"
)


def named_cudnn(number: str, line: int) -> Libraries | None:
    """A cuDNN that is named and no more; none where no cuDNN has such a number."""
    number = cudnn_release(number)
    version = LibraryVersion.parse(number)
    if version is None or not 4 <= version.major <= 12 or version.minor > 40 or re.search(r"\.0\d", number):
        return None
    copy = LibraryCopy(
        family="cudnn",
        soname="cuDNN",  # which file of it is loaded, nobody says
        path=NAMED_CUDNN,
        version=version,
        source=source(FORM, line),
    )
    return Libraries(copies=(copy,))


def _kernel(said: Labelled) -> Sections:
    """A kernel of Linux, not Jupyter's."""
    found = re.search(KERNEL, said.value)
    return {"host": System(os="linux", kernel=found[1]) if found else None}


#: A kernel's release as distributions write it: 5.14.0-570.el9.x86_64, 6.8.0-45-generic.
KERNEL = r"(?<![\w./-])([3-7]\.\d{1,2}\.\d{1,3}-\w[\w.+-]*\w)"


def _python(said: Labelled) -> Sections:
    version = python_version(said.value)
    if version is None:
        return {}
    bits = bits_of(said.value)
    return {"interpreter": Interpreter(executable="python", chosen_by="report", version=version, bits=bits)}


def _framework(name: str, said: Labelled) -> Sections:
    """The last number of "v2.16.1-0-g5bc9d26649c 2.16.1"; nothing where several releases are named."""
    value = said.value
    value = re.sub(r"(?<=\d)[<>]=?\d[\w.]*", "", value)  # what a program wants beside what there is: 2.1.0>=1.8.0
    found = {match[1] for match in _NUMBER.finditer(re.sub(r"v?\d+\.\d+\.\d+\S*-g[0-9a-f]+", "", value))}
    if len(found) != 1 or not re.match(r"\W*(?:tf|tensorflow|torch|pytorch|v|\d|jax|onnx|stable|latest)", value, re.I):
        return {}
    version = found.pop()
    if name in ("torch", "jax") and version.count(".") == 1 and int(version.split(".")[0]) > 2:
        return {}
    words = f"{said.label} {value}".lower().replace(" ", "-").replace("onnx-runtime", "onnxruntime")
    dist = next((one for one in _FRAMEWORK_DISTS if one in words), None)
    return {"frameworks": Frameworks(found=(framework_named(name, version, said.line, dist),))}


def framework_named(name: str, version: str, line: int, dist: str | None = None) -> Framework:
    """A framework with the build that its version's tag names."""
    variant, cuda = parse_tag(local_part(version))
    return Framework(name=name, dist=dist, version=version, variant=variant, cuda=cuda, source=source(FORM, line))


_READERS: dict[str, Callable[[Labelled], Sections]] = {
    "os": _os,
    "os by name": _named_os,
    "gpu": _gpu,
    "driver": _driver,
    "cuda": _cuda,
    "python": _python,
    "cudnn": _cudnn,
    "kernel": _kernel,
}
