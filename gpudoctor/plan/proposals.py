"""Words a fitting build as a proposal: the facts it meets, its limits, the pip command."""

from collections.abc import Iterable
from functools import lru_cache

from gpudoctor.facts.versions import known_version
from gpudoctor.knowledge.matrix.kernels import TENSORFLOW_PTX_ENDS, coverage
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.knowledge.metal import metal_floor
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.answer import Environment, NotNewer, Proposal, Reason, Wanted
from gpudoctor.plan.builds import Build, carrier_of
from gpudoctor.plan.compatibility import needs_numpy1
from gpudoctor.plan.constraints import driver_can_compile, driver_floor, is_older, macos_floor, span
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.general import index_of_its_makers, is_general
from gpudoctor.plan.glibc import glibc_floor
from gpudoctor.plan.indexes import tag_of_companions
from gpudoctor.plan.library_pins import library_pins
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.nvidia_libraries import link_words
from gpudoctor.plan.toolkit_for_build import commands_of_conda
from gpudoctor.plan.triton import compile_floor

TORCH_INDEX = "https://download.pytorch.org/"
#: From this release on a build's own index serves what torch needs, too (pytorch.org, previous versions).
FIRST_COMPLETE_INDEX = numbers_of("torch-whole-index")


def proposal(build: Build, wanted: Wanted, machine: Machine, matrix: Matrix, newer: NotNewer | None = None) -> Proposal:
    """The proposal of a build that fits."""
    made = Proposal(
        framework=build.framework,
        build=build.label,
        version=build.version,
        variant=build.variant,
        cuda=str(build.cuda) if build.cuda is not None else None,
        requirements=requirements(build, wanted, machine, matrix),
        index_url=index_url(build),
        links=build.links if machine.uses_cuda else {},
        why=(*_why_packages(build, machine, matrix), *_why_gpu(build, machine, matrix)),
        why_not_newer=newer,
        limits=_limits(build, machine, matrix),
        source=build.row.source,
        checked=build.row.checked,
        confidence="derived" if build.archs_of else build.row.confidence,
    )
    return _with_command(made, machine)


def _with_command(made: Proposal, machine: Machine) -> Proposal:
    facts = {name: getattr(made, name) for name in made.__struct_fields__}
    return Proposal(**{**facts, "command": command((made,), machine)})


def environment(proposals: tuple[Proposal, ...], machine: Machine) -> Environment:
    """One environment with these builds in it."""
    return Environment(proposals=proposals, command=command(proposals, machine))


def command(proposals: tuple[Proposal, ...], machine: Machine, *others: str) -> tuple[str, ...]:
    """The pip command for these builds, and other packages beside them, in one environment.

    torch is named with its build, as further indexes in the settings of pip may have others of the same release. Alone
    it comes from the index of its build; beside others that index is added.
    """
    requirements = [text for one in proposals for text in one.requirements]
    if any(one.framework == "torch" and one.cuda is not None for one in proposals):
        requirements = [text for text in requirements if not text.startswith("nvidia-cudnn-")]  # torch pins its own.
    torch = next((one for one in proposals if one.index_url), None)
    options: tuple[str, ...] = ()
    if torch is not None and torch.index_url is not None:
        option = "--extra-index-url" if others or must_be_named(proposals) else "--index-url"
        options, requirements = (option, torch.index_url), named(requirements, torch, machine.platform)
    return (*pip_install(machine), *dict.fromkeys((*requirements, *others)), *options)


def named(requirements: Iterable[str], torch: Proposal, platform: str | None) -> list[str]:
    """The requirements, with torch and what goes with it by their build: torch==2.14.1+cu126."""
    tags = dict.fromkeys(COMPANIONS, tag_of_companions(torch.version, torch.variant, platform))
    tags["torch"] = f"+{torch.variant}"
    return [f"{text}{tags.get(text.partition('==')[0], '')}" if "==" in text else text for text in requirements]


def pip_install(machine: Machine) -> tuple[str, ...]:
    """How pip of the machine's Python is called."""
    python = "python" if machine.os == "windows" else f"python{machine.python or '3'}"
    return (python, "-m", "pip", "install")


def must_be_named(proposals: tuple[Proposal, ...]) -> bool:
    """Whether torch's own index does not have everything, so that torch must be told from that of the usual one."""
    torch = next((one for one in proposals if one.framework == "torch"), None)
    if torch is None:
        return False  # The makers' index of another framework has everything.
    alone = len(proposals) == 1 and not any(text.startswith("numpy") for text in torch.requirements)
    return not alone or known_version(torch.version).release[:2] < FIRST_COMPLETE_INDEX


def index_url(build: Build) -> str | None:
    """The index of a torch build; None where the package index gives it to a plain install."""
    row = build.row
    if is_general(build):
        return index_of_its_makers(build)
    if not isinstance(row, TorchBuild) or build.platform in row.default_on or row.index_suffix is None:
        return None
    return f"{TORCH_INDEX}{row.index_suffix}"


def requirements(build: Build, wanted: Wanted, machine: Machine, matrix: Matrix) -> tuple[str, ...]:
    """What to ask pip for: the release, its companions, and bounds that the release itself forgot."""
    extra = f"[{build.variant}]" if build.has_extra else ""
    # === takes no build with a local tag (PEP 440), which further indexes may have of the same release.
    pin = "===" if machine.package_index_only and machine.uses_cuda and build.framework == "torch" else "=="
    found = [f"{build.dist}{extra}{pin}{build.version}"]
    for name, _ in wanted.companions:
        found += [f"{name}{pin}{version}" for version in companion_versions(build, name, matrix)[:1]]
    bound = needs_numpy1(build, machine, matrix)
    found += [f"numpy{bound}"] if bound else []
    protobuf = matrix.tf_protobuf(build.version) if build.framework == "tensorflow" else None
    found += [f"protobuf{protobuf.works}"] if protobuf is not None and protobuf.works else []
    return (*found, *(library_pins(build, machine.capabilities, matrix) if machine.uses_cuda else ()))


def companion_versions(build: Build, name: str, matrix: Matrix) -> tuple[str, ...]:
    """The releases of torchvision or torchaudio made for a build of torch, the best first; empty: none is known."""
    if not isinstance(build.row, TorchBuild):
        return ()
    own = build.row.torchvision if name == "torchvision" else build.row.torchaudio
    return _companions_of(build.version, own, name, matrix)


@lru_cache(maxsize=4096)
def _companions_of(torch: str, own: str | None, name: str, matrix: Matrix) -> tuple[str, ...]:
    if not own and any(getattr(row, name) for row in matrix.torch_builds(torch)):
        return ()  # Made for other builds of that release only: torchaudio 2.11 has none for CUDA 13.2.
    pair = matrix.torch_companions(torch)
    listed = () if pair is None else pair.torchvision if name == "torchvision" else pair.torchaudio
    return tuple(dict.fromkeys((own, *reversed(listed)))) if own else tuple(reversed(listed))


def _why_packages(build: Build, machine: Machine, matrix: Matrix) -> tuple[Reason, ...]:
    wheels = f"a wheel for Python {machine.python}" if machine.python else f"wheels for Python {span(build.pythons)}"
    found = [Reason(constraint="python", text=f"it has {wheels} on {machine.platform or 'some platforms'}")]
    floor = None
    if machine.os == "linux" and machine.libc_version is not None:
        floor = glibc_floor(carrier_of(build), build.version, matrix, build.variant, build.platform)
    if floor is not None:
        text = f"its wheels need glibc {floor}; this is {machine.libc_version}"
        found.append(Reason(constraint="libc", text=text))
    oldest = macos_floor(build, machine, matrix)
    if oldest is not None:
        text = f"; this is {machine.macos}" if machine.macos is not None else ""
        found.append(Reason(constraint="macos", text=f"its wheels need macOS {oldest} or newer{text}"))
    return tuple(found)


def _on_a_mac(build: Build, machine: Machine) -> str:
    floor = metal_floor(build.version)
    if floor is not None and machine.macos is not None and machine.macos < floor:
        return f"it runs on the CPU; it uses a Mac's GPU from macOS {floor} on, and this is {machine.macos}"
    since = f", from macOS {floor} on" if floor is not None else ""
    return f"it uses the GPU of Apple silicon (MPS){since}"


def _why_gpu(build: Build, machine: Machine, matrix: Matrix) -> tuple[Reason, ...]:
    if build.processor == "mps":
        return (Reason(constraint="gpu", text=_on_a_mac(build, machine)),)
    if build.cuda is None:
        reason = "macOS has no driver for NVIDIA GPUs" if machine.os == "macos" else "no GPU is to be used"
        return (Reason(constraint="gpu", text=f"it runs on the CPU; {reason}"),)
    if not machine.uses_cuda:
        text = (
            f"it is built for CUDA {build.cuda} and computes on the CPU as well; the package index has no smaller one"
        )
        return (Reason(constraint="gpu", text=text),)
    found = []
    floor = driver_floor(build, machine.driver_os, matrix)
    if machine.driver is not None and floor is not None:
        text = f"CUDA {build.cuda} runs on drivers from {floor} on; this is {machine.driver}"
        found.append(Reason(constraint="driver", text=text))
    for index, gpu in enumerate(machine.capabilities):
        if build.archs is None:
            continue
        native = coverage(build.archs, gpu, build.cuda) == "native"
        how = "it has machine code for" if native else "the driver compiles its PTX for"
        found.append(Reason(constraint="gpu", text=f"{how} {machine.label(index)}"))
    return tuple(found)


def _limits(build: Build, machine: Machine, matrix: Matrix) -> tuple[str, ...]:
    if build.cuda is None or not machine.uses_cuda:
        return ()
    found = [f"{build.fault[1]}. So {link_words(*one)}." for one in build.links.items() if build.fault]
    if build.archs is None and machine.capabilities:
        gpus = ", ".join(machine.label(index) for index in range(len(machine.capabilities)))
        found.append(f"Whether it has code for {gpus} is not known here: its makers do not list it.")
    if build.archs_of is not None:
        found.append(f"Which GPUs it has code for was not read from its own wheels, but from {build.archs_of}.")
    if any(coverage(build.archs or (), gpu, build.cuda) == "ptx" for gpu in machine.capabilities):
        found.append("The first start is slow: the driver compiles the code for this GPU, once.")
    if build.framework == "tensorflow" and any(gpu >= TENSORFLOW_PTX_ENDS for gpu in machine.capabilities):
        found.append("That its PTX serves such a GPU was reported by users; its makers do not say so.")
    offered = matrix.offered_cuda(machine.driver, machine.driver_os) if machine.driver is not None else None
    can = machine.driver is not None and driver_can_compile(build.cuda, machine.driver, machine.driver_os, matrix)
    if offered is not None and not can:
        found.append(
            f"The driver offers CUDA {offered}, the build is for {build.cuda}. It runs (minor-version compatibility), "
            "but code compiled from PTX at run time does not."
        )
    found += _compiling(build, machine, matrix)
    if (build.framework == "tensorflow" or is_general(build)) and not (build.has_extra or build.variant != "plain"):
        cudnn = getattr(build.row, "cudnn", None)
        libraries = f"CUDA {build.cuda}" + (f" and cuDNN {cudnn}" if cudnn else "")
        typed = " and ".join(commands_of_conda(build.cuda, cudnn))
        by = f" In an environment of conda: {typed}." if typed else ""
        found.append(f"It brings no CUDA libraries: {libraries} must be installed beside it.{by}")
        if machine.os == "windows":
            found.append("In WSL 2 current releases use the GPU, with no library to install beside them.")
    return tuple(found)


def _compiling(build: Build, machine: Machine, matrix: Matrix) -> list[str]:
    """What torch.compile asks of the driver beyond what the build does."""
    if not isinstance(build.row, TorchBuild) or machine.driver_os != "linux":
        return []
    asked = compile_floor(build.row, machine.capabilities, matrix)
    if asked is None or not is_older(machine, asked[2].release):
        return []
    _, ptxas, floor = asked
    return [f"torch.compile needs driver {floor.release} or newer: its Triton assembles for CUDA {ptxas}."]
