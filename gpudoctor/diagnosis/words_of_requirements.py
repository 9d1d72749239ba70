"""Placeholders of commands that name a package, image, driver, toolkit, or a share of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpudoctor.diagnosis.words_of_builds import driver_cuda
from gpudoctor.diagnosis.words_of_extensions import extension
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.system import Container
from gpudoctor.facts.versions import CudaVersion, known_version
from gpudoctor.knowledge.known_surroundings import image_with_gpu_code
from gpudoctor.knowledge.matrix.kernels import cuda_of_ptx
from gpudoctor.knowledge.milestones import milestone, numbers_of
from gpudoctor.knowledge.parts_by_release import requirement_that_has
from gpudoctor.sources.no_match import parse_no_match

if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated


def package(facts: Stated) -> str | None:
    """What an installer was asked for, or the one package with GPU code that is named."""
    asked = {one.package for text in facts.seen.messages if (one := parse_no_match(text))}
    return asked.pop() if len(asked) == 1 else extension(facts)


def requirement(facts: Stated) -> str | None:
    """The releases with which what is there works, or that have what a message does not find."""
    if bound := facts.seen.breaking_bound:
        return bound.requirement
    found = {one for text in facts.seen.messages if (one := requirement_that_has(text))}
    return found.pop() if len(found) == 1 else None


def newer_requirement(facts: Stated) -> str | None:
    """The same, else the package that an installer was asked for."""
    return requirement(facts) or package(facts)


def image_for_gpus(facts: Stated) -> str | None:
    """The image to take instead of one without GPU code."""
    container = facts.seen.section(Container, "container")
    return image_with_gpu_code(container.image) if container and container.image else None


if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated

#: PyTorch's message about a full GPU: "Process 1837 has 71.30 GiB memory in use".
_HOLDER = re.compile(r"\bProcess (\d{1,8}) has (\d{1,6}\.\d\d) ([MG]iB) memory in use")
_WITH_SEGMENTS = numbers_of("torch-expandable-segments")


def pid(facts: Stated) -> str | None:
    """The process that PyTorch's message names as the one that holds most."""
    held = {
        float(size) * (1024 if unit == "GiB" else 1): pid
        for text in facts.seen.messages
        for pid, size, unit in _HOLDER.findall(text)
    }
    return held[max(held)] if held else None


def allocator(facts: Stated) -> str:
    """What joins the pieces of PyTorch's cache: segments that grow, or before them a largest piece."""
    numbers = facts.seen.numbers("torch")
    has_segments = numbers is None or numbers >= _WITH_SEGMENTS
    return "expandable_segments:True" if has_segments else "max_split_size_mb:128"


def free_share(facts: Stated) -> str | None:
    """What a program that takes a share of the GPU's memory can take of what is free; a little stays for others."""
    shares = [one.free / one.total for one in facts.seen.memory_reports if one.free and one.total]
    return f"{int(min(shares) * 100 - 2) / 100:g}" if shares and min(shares) > 1 / 10 else None


if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated

#: The driver's own compiler: the newest PTX that it reads.
_READS = re.compile(r"ptx(?:as)?[^\n]*unsupported \.version \d\.\d; current version is '(\d\.\d)'", re.IGNORECASE)
#: From here on conda has the toolkit in parts, and NVIDIA its compiler as wheels of each minor.
_IN_PARTS = 12
_WITHOUT_SUFFIX = 13
_FIRST = CudaVersion(milestone("conda-cudatoolkit-begins"))


def cuda_served(facts: Stated) -> CudaVersion | None:
    """The newest CUDA whose PTX the driver reads: as its compiler says, else as nvidia-smi does."""
    said = (found for text in facts.seen.messages if (found := _READS.search(text)))
    return next((made for found in said if (made := cuda_of_ptx(found[1]))), None) or driver_cuda(facts)


def conda_toolkit(facts: Stated) -> str | None:
    """cuda-version=12.4, as conda is asked for the toolkit of that CUDA; cudatoolkit=11.1 of an older one."""
    cuda = cuda_served(facts)
    if cuda is None:
        return None
    if cuda < _FIRST:
        # The older ones are on other channels, and not for every minor.
        return f'"cudatoolkit<={cuda}"'
    return f"{'cuda-version' if cuda.major >= _IN_PARTS else 'cudatoolkit'}={cuda.major}.{cuda.minor}"


def compiler_wheels(facts: Stated) -> str | None:
    """NVIDIA's packages of that CUDA's compilers, as pip is asked for them; "" where there are none."""
    cuda = cuda_served(facts)
    if cuda is None:
        return None
    if cuda.major < _IN_PARTS:
        return ""
    suffix = "" if cuda.major >= _WITHOUT_SUFFIX else f"-cu{cuda.major}"
    return " ".join(f'"nvidia-cuda-{name}{suffix}=={cuda.major}.{cuda.minor}.*"' for name in ("nvcc", "nvrtc"))


#: A line that compiles a package: what starts pip, and what it is asked for, up to the first word of a sentence.
_BUILDS = re.compile(
    r"(?<![\w-])(?P<line>(?:(?:poetry|uv|pdm|pipenv) run |conda run -n [\w.-]{1,40} )?(?:python3? -m )?"
    r"(?:pip3? install|uv pip install)"
    r"(?: (?:-{1,2}[\w-]{1,40}|\.|[\w.]{1,60}(?:[-\[=][\w.+,=\[\]-]{1,100})|numpy|(?<=-r )[\w./-]{1,80}))+)"
)
_OPTIONS = ("--force-reinstall", "--no-cache-dir")
_LLAMA = re.compile(r"\bllama[-_]cpp[-_]python(?:\[\w+\])?==(\d+(?:\.\d+)*)")


def build_command(facts: Stated) -> str | None:
    """The reporter's own line without its variables, with what makes pip compile again; None where it is not one."""
    found = {match["line"] for text in facts.seen.messages for match in _BUILDS.finditer(text) if "-D" in text}
    line = found.pop() if len(found) == 1 else ""
    if not line:
        return None
    missing = [one for one in _OPTIONS if one not in line] if "pip" in line else []
    return " ".join((line, *missing))


def cuda_option(facts: Stated) -> str | None:
    """llama.cpp's option for CUDA, as the release of llama-cpp-python in the reporter's line calls it."""
    if facts.seen.said("llama-cpp-option-renamed"):
        return "GGML_CUDA"
    release = next((found[1] for text in facts.seen.messages if (found := _LLAMA.search(text))), None)
    if release is None:
        # Without a pin it is the newest; without the line it may be any.
        return "GGML_CUDA" if build_command(facts) else None
    is_old = known_version(release) < known_version(milestone("llama-cpp-python-ggml-cuda"))
    return "LLAMA_CUBLAS" if is_old else "GGML_CUDA"
