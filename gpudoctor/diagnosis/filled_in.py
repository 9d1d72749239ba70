"""Fills the placeholders of a remedy's commands, <TORCHVISION>, from the facts; the rest stay."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from gpudoctor.diagnosis.commands_for import WORD
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.diagnosis.words_of_builds import (
    build_for_jetpack,
    cuda_of_tensorflow,
    cuda_tag,
    cudnn_of_tensorflow,
    cudnn_releases,
    folder_of_libcuda,
    folder_of_library,
    override,
    rocm_tag,
    toolkit_of_tensorflow,
    torch_pins,
)
from gpudoctor.diagnosis.words_of_extensions import (
    built_for_torch,
    built_with_torch,
    extension,
    extension_release,
    forced_build,
    from_source,
    server,
    with_code,
    without_code,
)
from gpudoctor.diagnosis.words_of_requirements import (
    allocator,
    build_command,
    compiler_wheels,
    conda_toolkit,
    cuda_option,
    cuda_served,
    free_share,
    image_for_gpus,
    newer_requirement,
    package,
    pid,
    requirement,
)
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.scene import scene_of
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.frameworks import planned
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.message import values_named
from gpudoctor.knowledge.milestones import milestones, numbers_of
from gpudoctor.plan.driver_to_install import driver_to_install
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.this_machine import machine_here

#: From this CUDA on the packages of its libraries are called without its major.
_WITHOUT_SUFFIX = 13
#: NVIDIA's packages on the index begin with CUDA 11.
_PACKAGED = 11
#: A name, a path or an address without what a shell reads.
_PLAIN = re.compile(r"(?!-)[\w./+:@-]{1,200}")
_CUDNN = re.compile(r"libcudnn\w*\.so\.(\d+)|cudnn\w*64_(\d+)\.dll", re.IGNORECASE)
#: Of JAX's older builds: 0.4.11+cuda11.cudnn86
_CUDA_TAGGED = re.compile(r"\+cuda(1\d)")
_WITH_EXTRA = numbers_of("tensorflow-cuda-extra")
_WITH_KERAS_3 = numbers_of("tensorflow-own-libraries")
#: nvcc's host_config.h.
_GCC = re.compile(r"gcc versions later than (\d{1,2})\b")
#: What a container asks of the driver (NVIDIA_REQUIRE_CUDA).
_CUDA_ASKED = re.compile(r"unsatisfied condition: cuda ?>= ?(\d+\.\d+)")


class Stated(NamedTuple):
    """What a snapshot states, as the words ask for it."""

    seen: SnapshotView
    machine: Machine
    matrix: Matrix


def stated(snapshot: Snapshot, around: Iterable[str] = ()) -> Stated:
    """The same of a snapshot, and of the surroundings that a text names."""
    matrix = load_matrix()
    return Stated(SnapshotView(snapshot, around), machine_here(scene_of(snapshot), matrix), matrix)


def filled_in(command: str, facts: Stated) -> str:
    """The command with the words that are known; "" where one of them has no value here, so that it is none."""
    made = {word: _decided(word, facts) for word in WORD.findall(command)}
    if "" in made.values():
        return ""
    return WORD.sub(lambda match: made.get(match[1]) or match[0], command)


def _decided(word: str, facts: Stated) -> str | None:
    made = _WORDS.get(word)
    return made(facts) if made else _named(word.lower(), facts)


def _named(group: str, facts: Stated) -> str | None:
    """What the messages' named group of that name found, where it is one thing and safe in every shell."""
    live = facts.seen.section(Live, "live")
    found = {value for one in live.symptoms for value in values_named(one, group)} if live else set()
    value = found.pop() if len(found) == 1 else ""
    return value if _PLAIN.fullmatch(value) else None


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
    """Of a release with the extra for CUDA; "" of an older one."""
    numbers = facts.seen.numbers("tensorflow")
    return None if numbers is None else _version("tensorflow", facts) if numbers >= _WITH_EXTRA else ""


def _tensorflow_minor(facts: Stated) -> str | None:
    """For tf-keras; "" of a TensorFlow whose own Keras is Keras 2."""
    numbers = facts.seen.numbers("tensorflow")
    if numbers is not None and numbers < _WITH_KERAS_3:
        return ""
    return ".".join(_version("tensorflow", facts).split(".")[:2]) or None


def _cuda_major(facts: Stated) -> int | None:
    """Of the CUDA that the stated frameworks were built with, where they agree; else that of the one toolkit."""
    frameworks = [one for name in planned() if (one := facts.seen.framework(name))]
    tagged = [match[1] for one in frameworks if (match := _CUDA_TAGGED.search(one.version or ""))]
    majors = {one.cuda.major for one in frameworks if one.cuda} | {int(one) for one in tagged}
    toolkits = facts.seen.section(Toolkits, "toolkits")
    majors = majors or {one.version.major for one in toolkits.found if one.version} if toolkits else majors
    return majors.pop() if len(majors) == 1 else None


def _cudnn_package(facts: Stated) -> str | None:
    major = _cuda_major(facts)
    return f"nvidia-cudnn-cu{major}" if major and major >= _PACKAGED else None


def _library(name: str) -> Callable[[Stated], str | None]:
    def package(facts: Stated) -> str | None:
        major = _cuda_major(facts)
        if major is None or major < _PACKAGED:
            return None
        return name if major >= _WITHOUT_SUFFIX else f"{name}-cu{major}"

    return package


def _cudnn_asked(facts: Stated) -> str | None:
    majors = {match[1] or match[2] for text in facts.seen.messages for match in _CUDNN.finditer(text)}
    return majors.pop() if len(majors) == 1 else None


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
    "PID": pid,
    "BUILD_COMMAND": build_command,
    "CUDA_OPTION_OF_BUILD": cuda_option,
    "ALLOCATOR": allocator,
    "FREE_SHARE": free_share,
    "REQUIREMENT": requirement,
    "NEWER_REQUIREMENT": newer_requirement,
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
    "PACKAGE": package,
    "PIP": _pip,
    "EXTENSION": extension,
    "EXTENSION_RELEASE": extension_release,
    "BUILT_FOR_TORCH": built_for_torch,
    "BUILT_WITH_TORCH": built_with_torch,
    "SOURCE_OF_EXTENSION": from_source,
    "SERVER": server,
    "APPTAINER": lambda facts: "singularity" if facts.seen.is_around("at-singularity") else "apptainer",
    "FORCE_BUILD": forced_build,
    "PACKAGE_WITHOUT_GPU_CODE": without_code,
    "PACKAGE_WITH_GPU_CODE": with_code,
    "CAPABILITY": _capability,
    "GCC": _gcc,
    "GPU": _gpu,
    "INDEX_OF_THE_GPU": _gpu,
    "IMAGE": _image,
    "IMAGE_FOR_GPUS": image_for_gpus,
    "RELEASE_OF_DRIVER": _release_of_driver,
    "BRANCH_OF_DRIVER": _branch_of_driver,
    "CUDA_TAG": cuda_tag,
    "TORCH_TO_INSTALL": torch_pins,
    "MAKERS_TAG": rocm_tag,
    "GFX_OVERRIDE": override,
    "CUDA_OF_TENSORFLOW": cuda_of_tensorflow,
    "CUDNN_OF_TENSORFLOW": cudnn_of_tensorflow,
    "TOOLKIT_OF_TENSORFLOW": toolkit_of_tensorflow,
    "CUDNN_RELEASES": cudnn_releases,
    "BUILD_FOR_THIS_JETPACK": build_for_jetpack,
    "FOLDER_OF_THE_LIBRARY": folder_of_library,
    "FOLDER_WITH_LIBCUDA_SO": folder_of_libcuda,
    "CONDA_TOOLKIT": conda_toolkit,
    "CUDA_THE_DRIVER_SERVES": lambda facts: str(served) if (served := cuda_served(facts)) else None,
    "COMPILER_WHEELS": compiler_wheels,
    "LEGACY_BRANCH": _last_branch,
    "BRANCH": _branch,
}
