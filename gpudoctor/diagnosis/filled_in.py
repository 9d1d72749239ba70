"""The words to fill in of a remedy's commands, <TORCHVISION>: what the stated facts decide; the others stay."""

from collections.abc import Callable
from typing import NamedTuple

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Packages
from gpudoctor.facts.scene import scene_of
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.frameworks import planned
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.offer_types import Extension
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.milestones import milestones, numbers_of
from gpudoctor.plan.driver_to_install import driver_to_install
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.this_machine import machine_here
from gpudoctor.sources.no_match import parse_no_match

WORD = re.compile(r"<([A-Z][A-Z0-9_]*)>")
#: From this CUDA on the packages of its libraries are called without its major.
_WITHOUT_SUFFIX = 13
_CUDNN = re.compile(r"libcudnn\w*\.so\.(\d+)|cudnn\w*64_(\d+)\.dll", re.IGNORECASE)
_WITH_EXTRA = numbers_of("tensorflow-cuda-extra")
#: Servers whose build takes hours and tools that few have.
_NEVER_COMPILED = ("vllm", "sglang")
#: nvcc's host_config.h.
_GCC = re.compile(r"gcc versions later than (\d{1,2})\b")
#: What a container asks of the driver (NVIDIA_REQUIRE_CUDA).
_CUDA_ASKED = re.compile(r"unsatisfied condition: cuda ?>= ?(\d+\.\d+)")


class Stated(NamedTuple):
    """What a snapshot states, as the words ask for it."""

    seen: SnapshotView
    machine: Machine
    matrix: Matrix


def stated(snapshot: Snapshot) -> Stated:
    """The same of a snapshot."""
    matrix = load_matrix()
    return Stated(SnapshotView(snapshot), machine_here(scene_of(snapshot), matrix), matrix)


def filled_in(command: str, facts: Stated) -> str:
    """The command with the words that are known."""
    return WORD.sub(lambda match: ((made := _WORDS.get(match[1])) and made(facts)) or match[0], command)


def extensions_named(facts: Stated) -> tuple[str, ...]:
    """The packages with GPU code that the messages name; else those that are stated."""
    rows = (row for row in facts.matrix.table("extensions") if isinstance(row, Extension))
    names = sorted({row.dist or row.package for row in rows})
    said = "\n".join(facts.seen.messages).lower().replace("-", "_")
    named = [one for one in names if re.search(rf"(?<![a-z]){one.replace('-', '_')}(?![a-z])", said)]
    packages = facts.seen.section(Packages, "packages")
    return tuple(named or [one for one in names if packages and packages.find(one)])


def _version(name: str, facts: Stated) -> str:
    framework = facts.seen.framework(name)
    return (framework.version or "") if framework else ""


def _torch(facts: Stated) -> str | None:
    return _version("torch", facts).partition("+")[0] or None


def _tag_of_torch(facts: Stated) -> str | None:
    torch, tag = facts.seen.framework("torch"), _version("torch", facts).partition("+")[2]
    if tag or torch is None:
        return tag or None
    row = facts.matrix.torch_build(torch.version or "", facts.machine.platform)
    cuda = torch.cuda or (row.cuda if row else None)
    return f"cu{cuda.major}{cuda.minor}" if cuda else None


def _cuda_of_torch(facts: Stated) -> str | None:
    tag = re.fullmatch(r"cu(\d{2})(\d)", _tag_of_torch(facts) or "")
    return f"{tag[1]}.{tag[2]}" if tag else None


def _torchvision(facts: Stated) -> str | None:
    both = facts.matrix.torch_companions(_version("torch", facts) or "0")
    return both.torchvision[-1] if both and both.torchvision else None


def _torchaudio(facts: Stated) -> str | None:
    both = facts.matrix.torch_companions(_version("torch", facts) or "0")
    return both.torchaudio[-1] if both and both.torchaudio else None


def _tensorflow(facts: Stated) -> str | None:
    """Of a release with the extra for CUDA."""
    return _version("tensorflow", facts) if (facts.seen.numbers("tensorflow") or ()) >= _WITH_EXTRA else None


def _tensorflow_minor(facts: Stated) -> str | None:
    return ".".join(_version("tensorflow", facts).split(".")[:2]) or None


def _cuda_major(facts: Stated) -> int | None:
    """Of the CUDA that the stated frameworks were built with, where they agree."""
    frameworks = (facts.seen.framework(name) for name in planned())
    majors = {one.cuda.major for one in frameworks if one and one.cuda}
    return majors.pop() if len(majors) == 1 else None


def _cudnn_package(facts: Stated) -> str | None:
    major = _cuda_major(facts)
    return f"nvidia-cudnn-cu{major}" if major else None


def _library(name: str) -> Callable[[Stated], str | None]:
    def package(facts: Stated) -> str | None:
        major = _cuda_major(facts)
        return None if major is None else name if major >= _WITHOUT_SUFFIX else f"{name}-cu{major}"

    return package


def _cudnn_asked(facts: Stated) -> str | None:
    majors = {match[1] or match[2] for text in facts.seen.messages for match in _CUDNN.finditer(text)}
    return majors.pop() if len(majors) == 1 else None


def _package(facts: Stated) -> str | None:
    """What an installer was asked for, or the one package with GPU code that is named."""
    asked = {one.package for text in facts.seen.messages if (one := parse_no_match(text))}
    return asked.pop() if len(asked) == 1 else _extension(facts)


def _extension(facts: Stated) -> str | None:
    names = [one for one in extensions_named(facts) if one not in _NEVER_COMPILED]
    return names[0] if len(names) == 1 else None


def _gcc(facts: Stated) -> str | None:
    """The newest gcc that nvcc's own message admits."""
    bounds = {int(match[1]) for text in facts.seen.messages for match in _GCC.finditer(text)}
    return str(bounds.pop()) if len(bounds) == 1 else None


def _capability(facts: Stated) -> str | None:
    return ";".join(str(one) for one in dict.fromkeys(facts.machine.capabilities)) or None


def _gpu(facts: Stated) -> str | None:
    gpus = facts.seen.section(Gpus, "gpus")
    return str(gpus.nvidia[0].index or 0) if gpus and len(gpus.nvidia) == 1 else None


def _image(facts: Stated) -> str | None:
    container = facts.seen.section(Container, "container")
    return container.image if container else None


def _pip(facts: Stated) -> str | None:
    """The pip to update to: an old one takes the newest, whether that runs on its Python or not."""
    if facts.machine.python is None:
        return "pip"
    known = milestones().get(f"pip-without-python-{facts.machine.python}")
    return f"pip<{known.release}" if known else "pip"


def _release_of_driver(facts: Stated) -> str | None:
    driver = facts.seen.section(Driver, "driver")
    return str(driver.release) if driver and driver.release else None


def _branch_of_driver(facts: Stated) -> str | None:
    return (_release_of_driver(facts) or "").partition(".")[0] or None


def _last_branch(facts: Stated) -> str | None:
    rows = [facts.matrix.architecture(one) for one in facts.machine.capabilities]
    last = [row.last_branch for row in rows if row is not None and row.last_branch is not None]
    return str(min(last)) if last else None


def _branch(facts: Stated) -> str | None:
    """Of the driver to install: one that serves the GPUs and what asks for it."""
    major = _cuda_major(facts)
    asked = [CudaVersion(match[1]) for text in facts.seen.messages for match in _CUDA_ASKED.finditer(text)]
    # A driver serves every minor of its CUDA's major.
    asked += [CudaVersion(f"{major}.0")] if major else []
    return driver_to_install(facts.machine, max(asked, default=None), facts.matrix)


_WORDS: dict[str, Callable[[Stated], str | None]] = {
    "TORCH": _torch,
    "TAG_OF_TORCH": _tag_of_torch,
    "CUDA_OF_TORCH": _cuda_of_torch,
    "TORCHVISION": _torchvision,
    "TORCHAUDIO": _torchaudio,
    "TENSORFLOW": _tensorflow,
    "TF_MINOR": _tensorflow_minor,
    "CUDNN_PACKAGE": _cudnn_package,
    "NVJITLINK_PACKAGE": _library("nvidia-nvjitlink"),
    "NVCC_PACKAGE": _library("nvidia-cuda-nvcc"),
    "MAJOR_OF_CUDNN": _cudnn_asked,
    "PACKAGE": _package,
    "PIP": _pip,
    "EXTENSION": _extension,
    "CAPABILITY": _capability,
    "GCC": _gcc,
    "GPU": _gpu,
    "INDEX_OF_THE_GPU": _gpu,
    "IMAGE": _image,
    "RELEASE_OF_DRIVER": _release_of_driver,
    "BRANCH_OF_DRIVER": _branch_of_driver,
    "LEGACY_BRANCH": _last_branch,
    "BRANCH": _branch,
}
