"""Fixes that install a framework build for this machine: which build, and the commands.

Wheels of PyTorch come from its own index, https://download.pytorch.org/whl/<tag>; which builds fit a machine is the
question of `gpudoctor.plan.fit`. Where nothing fits, a recipe says so in words and proposes no command.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gpudoctor.facts.fix import Ask, Fix
from gpudoctor.facts.python import Framework, Package
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.frameworks import companions, descriptor, title_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.plan.indexes import tag_of_companions
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.nothing_fits import for_old_pythons, nothing_fits
from gpudoctor.plan.nvidia_libraries import linked
from gpudoctor.plan.places import (
    Steps,
    companions_there,
    conda_prefix,
    install,
    machine_of,
    once,
    own_folder,
    replace,
    safety,
    separately,
    uninstall,
    wheel_platform,
)
from gpudoctor.plan.specifiers import meets

if TYPE_CHECKING:
    from gpudoctor.plan.builds import Build
    from gpudoctor.plan.choices import Choice

TORCH_INDEX = "https://download.pytorch.org/"
COMPANIONS = companions()


def framework_for_gpus(name: str, scene: Scene, matrix: Matrix, version: str | None = None) -> Fix:
    """The build of torch, tensorflow or JAX that fits every GPU, the driver and the Python of this machine."""
    if name == "torch":
        return torch_for_gpus(scene, matrix, version)
    if name == "tensorflow":
        return tensorflow_for_gpus(scene, matrix)
    return jax_for_gpus(scene, matrix, version) if name == "jax" else from_its_makers(name, scene, matrix)


def from_its_makers(name: str, scene: Scene, matrix: Matrix) -> Fix:
    """Where to get a build for GPUs of a framework that is not planned here: the CUDAs that this driver serves."""
    known = descriptor(name)
    title = f"Install a build of {title_of(name)} for this GPU"
    if known is None:
        return Fix(title, "manual", (Ask(text=f"Its makers say how {name} is installed."),))
    there = [package for package in known.packages if scene.find(package) is not None]
    steps = [f"Uninstall what is there: {', '.join(there)}."] if there else []
    machine = machine_of(scene, matrix)
    rows = matrix.framework_builds(name, matrix.newest(name))
    tags = [row.variant for row in rows if row.cuda and (machine is None or _drives(machine, row.cuda, matrix))]
    if known.index and tags:
        package = next((one for one, kind in known.variants.items() if kind == "cuda"), known.packages[0])
        urls = ", ".join(known.index.format(tag=tag) for tag in tags)
        steps.append(f"Install {package} from its makers' index for a CUDA that the driver serves: {urls}")
    steps.append(f"Its makers say how: {known.page}")
    return Fix(title, "manual", tuple(Ask(text=text) for text in steps))


def _drives(machine: Machine, cuda: CudaVersion, matrix: Matrix) -> bool:
    """Whether the driver starts programs of that CUDA; true where it is not known."""
    floor = matrix.family_floor(cuda, machine.driver_os) if machine.driver is not None else None
    return floor is None or machine.driver is None or machine.driver >= floor.release


def torch_for_gpus(scene: Scene, matrix: Matrix, version: str | None = None) -> Fix:
    """Replace torch and its companions: the same release built for a CUDA that fits, else the newest that fits."""
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.choices import leaving_with, torch_choice
    from gpudoctor.plan.server_for import server_for_gpus

    machine = machine_of(scene, matrix)
    if machine is not None and (server := server_for_gpus(scene, machine, matrix)) is not None:
        return server
    choice = torch_choice(scene, machine, matrix, version) if machine else None
    if machine is None or choice is None:
        return nothing_fits("torch", scene, machine, matrix)
    build = choice.build
    row = build.row
    assert isinstance(row, TorchBuild)
    if (apart := for_old_pythons("torch", row.pythons, machine, matrix)) is not None:
        return apart
    index = f"{TORCH_INDEX}{row.index_suffix}"
    present = companions_there(scene, COMPANIONS)
    wanted = (f"torch=={build.version}+{build.variant}", *companion_pins(row, present, wheel_platform(scene.host)))
    title = f"Install PyTorch {build.version} built for CUDA {build.cuda}"
    if choice.apart:
        steps = separately(scene, *wanted, index=index, folder=own_folder("torch"))
        return Fix(f"{title} in a new environment", "safe", steps)
    leaving = ("torch", *present, *leaving_with(choice, scene))
    steps = (*_older_numpy(scene, build, present, machine, matrix), *replace(scene, leaving, *wanted, index=index))
    return Fix(title, safety(scene), steps, undo=_undo(scene, *leaving))


def _older_numpy(scene: Scene, build: "Build", coming: Iterable[str], machine: Machine | None, matrix: Matrix) -> Steps:
    """The NumPy that a torch can use, before torchvision comes, which asks for any and would take a newer one."""
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.compatibility import needs_numpy1

    bound = needs_numpy1(build, machine, matrix) if machine is not None and "torchvision" in coming else ""
    there = scene.find("numpy")
    if not bound or (there is not None and meets(there.version, bound)):
        return ()
    return install(scene, f"numpy{bound}")


def companion_pins(build: TorchBuild, names: Iterable[str], platform: str | None = None) -> tuple[str, ...]:
    """What to ask for so that torchvision and torchaudio go with a build of torch: torchvision==0.21.0.

    `platform`: they come from the index of the build, where they may be tagged as torch is.
    """
    versions = {"torchvision": build.torchvision, "torchaudio": build.torchaudio}
    tag = tag_of_companions(build.version, build.variant, platform)
    return tuple(f"{name}=={version}{tag}" for name in names if (version := versions.get(name)))


def companions_of(scene: Scene, matrix: Matrix, torch: Framework, names: tuple[str, ...]) -> Fix:
    """Install the torchvision or torchaudio that belongs to the installed torch, from the same index."""
    build = _build_of(torch, matrix)
    pins = companion_pins(build, names) if build else ()
    if build is None or not build.index_suffix or len(pins) != len(names) or conda_prefix(scene.interpreter):
        known = _released_with(torch, names, matrix)
        what = f"{known}, which belongs" if known else f"the {' and '.join(names)} that belongs"
        text = f"Install {what} to {torch.label}, from where torch came from."
        link = "https://pytorch.org/get-started/previous-versions/ lists the pairs."
        return Fix(f"Match {' and '.join(names)} to torch", "manual", (Ask(text=f"{text} {link}"),))
    index = _index_beside(torch, build, scene)
    if index is not None:
        pins = companion_pins(build, names, wheel_platform(scene.host))
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.builds import builds_of

    machine = machine_of(scene, matrix)
    same = [one for one in builds_of("torch", machine.platform if machine else None, matrix) if one.row is build]
    numpy = _older_numpy(scene, same[0], names, machine, matrix) if same else ()
    steps = (*numpy, *replace(scene, names, *pins, index=index))
    title = f"Install the {' and '.join(names)} of {torch.label}"
    return Fix(title, safety(scene), steps, undo=_undo(scene, *names))


def _build_of(torch: Framework, matrix: Matrix) -> TorchBuild | None:
    """The build that is installed; older wheels bear no tag, and torch itself names its CUDA."""
    version = torch.version or ""
    if "+" in version:
        return matrix.torch_build(version)
    if torch.variant == "cuda" and torch.cuda is not None:
        return matrix.torch_build(f"{version}+cu{torch.cuda.major}{torch.cuda.minor}")
    return matrix.torch_build(f"{version}+cpu") if torch.variant == "cpu" else None


def _released_with(torch: Framework, names: tuple[str, ...], matrix: Matrix) -> str:
    """The releases made for that torch: torchvision 0.15.2 and torchaudio 2.0.2; empty where they are not known."""
    row = matrix.torch_companions(torch.version or "")
    made = {"torchvision": row.torchvision, "torchaudio": row.torchaudio} if row else {}
    pins = [f"{name}=={versions[0]}" for name in names if (versions := made.get(name))]
    return " and ".join(pins) if len(pins) == len(names) else ""


def _index_beside(torch: Framework, build: TorchBuild, scene: Scene) -> str | None:
    """Where torch came from: the package index itself has one build of a release, and that one's record has no tag."""
    has_tag = "+" in (torch.metadata_version or "+")
    is_default = not has_tag and wheel_platform(scene.host) in build.default_on
    return None if is_default else f"{TORCH_INDEX}{build.index_suffix}"


def tensorflow_for_gpus(scene: Scene, matrix: Matrix, remove: tuple[str, ...] = (), *, apart: bool = False) -> Fix:
    """Install tensorflow[and-cuda] of the newest release that fits; `apart`: in a new environment."""
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.choices import leaving_with, tensorflow_choice

    machine = machine_of(scene, matrix)
    choice = tensorflow_choice(scene, machine, matrix) if machine else None
    if machine is None or choice is None:
        return nothing_fits("tensorflow", scene, machine, matrix)
    pins, links = _pins(choice, scene, machine, matrix, apart=apart), choice.build.links
    wanted = (f"tensorflow[and-cuda]=={choice.build.version}", *pins)
    title = f"Install TensorFlow {choice.build.version} with its CUDA libraries"
    if apart or choice.apart:
        steps = linked(separately(scene, *wanted, folder=own_folder("tensorflow")), links, scene)
        return Fix(f"{title} in a new environment", "safe", steps)
    names = dict.fromkeys((*remove, "tensorflow", "tensorflow-cpu", "tensorflow-gpu", *leaving_with(choice, scene)))
    present = tuple(name for name in names if scene.find(name) is not None)
    steps = linked(replace(scene, present, *wanted), links, scene)
    return Fix(title, safety(scene), steps, undo=_undo(scene, *present))


def jax_for_gpus(scene: Scene, matrix: Matrix, version: str | None = None) -> Fix:
    """Install JAX with the CUDA extra that fits; the installed release where one of its extras does."""
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.choices import jax_choice, leaving_with

    machine = machine_of(scene, matrix)
    choice = jax_choice(scene, machine, matrix, version) if machine else None
    if machine is None or choice is None:
        return nothing_fits("jax", scene, machine, matrix)
    build = choice.build
    wanted = (f"jax[{build.variant}]=={build.version}", *_pins(choice, scene, machine, matrix))
    title = f"Install JAX {build.version} with its CUDA plugin"
    if choice.apart:
        steps = separately(scene, *wanted, folder=own_folder("jax"))
        return Fix(f"{title} in a new environment", "safe", steps)
    leaving = leaving_with(choice, scene)
    steps = once((*uninstall(scene, *leaving), *install(scene, *wanted, options=("--upgrade",))))
    return Fix(title, safety(scene), steps, undo=_undo(scene, "jax", "jaxlib", *leaving))


def _pins(choice: "Choice", scene: Scene, machine: Machine, matrix: Matrix, *, apart: bool = False) -> tuple[str, ...]:
    """What to ask for besides a build; a torch for CUDA in the same environment pins its own libraries."""
    # Imported here, as above.
    from gpudoctor.plan.installed_companions import staying
    from gpudoctor.plan.library_pins import library_pins

    there = () if apart or choice.apart else staying(scene, machine, matrix, choice.build.framework)
    beside_torch = scene.find("torch") is not None and choice.follows and not (apart or choice.apart)
    if beside_torch or any(one.framework == "torch" for one in there):
        return ()
    return library_pins(choice.build, machine.capabilities, matrix)


def again(scene: Scene, framework: Framework) -> Fix:
    """Install a framework whose files are there, and whose record is not, in the release that its files say."""
    title = f"Install {framework.label} again"
    tag = _torch_tag(framework.name, framework.version or "")
    if framework.version is None or scene.is_shared or conda_prefix(scene.interpreter):
        text = f"Install {framework.label} again with the tool that installed it."
        return Fix(title, "manual", (Ask(text=text),))
    version = framework.version if tag else framework.version.partition("+")[0]
    index = f"{TORCH_INDEX}whl/{tag}" if tag else None
    return Fix(title, safety(scene), install(scene, f"{framework.name}=={version}", index=index))


def reinstall(scene: Scene, names: Iterable[str], title: str) -> Fix:
    """Write the files of installed distributions anew, in the same versions and builds."""
    packages = [package for name in names if (package := scene.find(name)) is not None]
    if not packages or not all(_can_be_had_again(package) for package in packages):
        text = f"Reinstall {', '.join(names) or 'the packages'} from where it came, with the tool that installed it."
        return Fix(title, "manual", (Ask(text=text),))
    # PyPI's build of the same release is another one: the tag says from which of PyTorch's indexes this one came.
    by_index: dict[str | None, list[str]] = {}
    for package in packages:
        tag = None if package.direct_url else _torch_tag(package.name, package.version)
        by_index.setdefault(f"{TORCH_INDEX}whl/{tag}" if tag else None, []).append(_same_build(package))
    options = ("--force-reinstall", "--no-deps")
    steps = tuple(
        step
        for index, requirements in by_index.items()
        for step in install(scene, *requirements, index=index, options=options)
    )
    return Fix(title, safety(scene), steps)


def _can_be_had_again(package: Package) -> bool:
    """An installer can fetch it: not what conda installed, nor what was built from a folder or a repository."""
    is_archive = package.direct_url is None or package.direct_url.endswith((".whl", ".zip", ".tar.gz"))
    return package.installer != "conda" and is_archive


def _same_build(package: Package) -> str:
    """A local tag stays: the same release without it is another build (jaxlib 0.4.14+cuda12.cudnn89)."""
    if package.direct_url:
        return f"{package.name} @ {package.direct_url}"
    # === takes no build with a local tag (PEP 440): a further index may have one of the release that came without.
    is_untagged = package.name in ("torch", *COMPANIONS) and "+" not in package.version
    return f"{package.name}{'===' if is_untagged else '=='}{package.version}"


def _torch_tag(name: str, version: str) -> str | None:
    """The local tag of a build from PyTorch's own index: cpu, cu124, rocm6.2."""
    tag = version.partition("+")[2]
    is_one = name in ("torch", *COMPANIONS) and re.fullmatch(r"cpu|xpu|cu\d+|rocm[\d.]+", tag)
    return tag if is_one else None


def _undo(scene: Scene, *names: str) -> str | None:
    """How to get back what was there; None where nothing was, or where a new environment is made."""
    packages = [package for name in names if (package := scene.find(name)) is not None]
    if not packages or scene.is_shared:
        return None
    return "install again: " + ", ".join(f"{package.name}=={package.version}" for package in packages)
