"""Installed packages that overwrite each other's files: which pairs do harm, and how to repair them."""

import re
from collections.abc import Iterable

from gpudoctor.facts.python import Overlap
from gpudoctor.knowledge.frameworks import companions, gpu_code_owners
from gpudoctor.plan.fit import torch_builds_that_fit
from gpudoctor.plan.places import install, machine_of, once, safety, uninstall, wheel_platform
from gpudoctor.plan.recipes import TORCH_INDEX, tensorflow_for_gpus
from gpudoctor.rules._gpu_packages import cuda_major_of, cuda_packages, users_of
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Matrix, Packages, Scene
from gpudoctor.rules.terms import Fix, by_hand

#: How packages are called that come with GPU code, where others of their name do not.
_FOR_GPUS = re.compile(r"-gpu|-cu\d|cuda|rocm")
#: A single shared file, such as an __init__.py of a common folder, is no conflict.
FEW = 2


def conflicts(
    overlaps: Iterable[Overlap], packages: Packages, frameworks: Frameworks
) -> tuple[tuple[Overlap, ...], ...]:
    """The harmful overlaps; those of CUDA libraries that harm the same framework are one fault."""
    groups: dict[object, list[Overlap]] = {}
    for overlap in overlaps:
        if not is_conflict(overlap, packages, frameworks):
            continue
        of_cuda = cuda_major_of(overlap.first) is not None
        majors = frozenset(cuda_major_of(name) for name in losers(overlap))
        groups.setdefault(majors if of_cuda else (overlap.first, overlap.second), []).append(overlap)
    return tuple(tuple(group) for group in groups.values())


def is_conflict(overlap: Overlap, packages: Packages, frameworks: Frameworks) -> bool:
    """The two cannot live side by side: builds of one thing, or one library for two CUDA majors, both needed."""
    majors = (cuda_major_of(overlap.first), cuda_major_of(overlap.second))
    if None in majors:
        return _are_several(overlap) and (overlap.most if overlap.most is not None else _of_one_name(overlap))
    if not _are_several(overlap) or overlap.differing == 0 or _same_version(overlap, packages):
        return False
    if overlap.on_disk is None:
        return all(victims_of((name,), frameworks) for name in (overlap.first, overlap.second))
    return bool(victims_of(losers(overlap), frameworks))


def _are_several(overlap: Overlap) -> bool:
    return overlap.files is None or overlap.files >= FEW


def _of_one_name(overlap: Overlap) -> bool:
    """Such as onnxruntime and onnxruntime-gpu, cupy-cuda11x and cupy-cuda12x."""
    return overlap.first.partition("-")[0] == overlap.second.partition("-")[0]


def _same_version(overlap: Overlap, packages: Packages) -> bool:
    """The same release for the same CUDA: the bytes are the same whoever wrote them."""
    first, second = packages.find(overlap.first), packages.find(overlap.second)
    same_major = cuda_major_of(overlap.first) == cuda_major_of(overlap.second)
    return same_major and first is not None and second is not None and first.version == second.version


def losers(overlap: Overlap) -> tuple[str, ...]:
    """The packages whose files are not those on the disk; both, where that is not known."""
    return tuple(name for name in (overlap.first, overlap.second) if name != overlap.on_disk)


def victims_of(lost: tuple[str, ...], frameworks: Frameworks) -> tuple[Framework, ...]:
    """The frameworks that need a package whose files are gone."""
    majors = {major for name in lost if (major := cuda_major_of(name)) is not None}
    users = [user for major in sorted(majors) for user in users_of(frameworks, major)]
    named = [one for one in frameworks.found if (one.dist or one.name) in lost]
    kinds = [owner for owner, *_ in gpu_code_owners().values()]
    return tuple(one for one in users if one.name in kinds) or tuple(named)


def fixes_for(group: tuple[Overlap, ...], scene: Scene, matrix: Matrix, frameworks: Frameworks) -> tuple[Fix, ...]:
    """For CUDA libraries: one CUDA major for all, or an environment for each. Else: keep one of the two packages."""
    if cuda_major_of(group[0].first) is None:
        return (keep_one(group[0].first, group[0].second, scene),)
    if unused := _without_unused(group, scene, frameworks):
        return (unused,)
    together = _one_major(group, scene, matrix, frameworks)
    # A torch that does not run here anyway is not to get its libraries back.
    return together if together and not _torch_fits(scene, matrix) else (*together, _apart(group, scene, matrix))


def serves_gpus(group: tuple[Overlap, ...], frameworks: Frameworks) -> bool:
    """A GPU may go unused for it: not so for OpenCV, whose packages have no GPU code."""
    names = [name for overlap in group for name in (overlap.first, overlap.second)]
    return bool(victims_of(tuple(names), frameworks)) or any(map(_FOR_GPUS.search, names))


def breaks_import(group: tuple[Overlap, ...], packages: Packages, frameworks: Frameworks) -> bool:
    """Torch is linked to these libraries, and those on the disk are older than its own: they lack what it calls."""
    pairs = ((packages.find(overlap.on_disk or ""), packages.find(losers(overlap)[0])) for overlap in group)
    is_older = any(
        first is not None
        and second is not None
        and (release_numbers(first.version) or ()) < (release_numbers(second.version) or ())
        for first, second in pairs
    )
    lost = tuple(name for overlap in group for name in losers(overlap))
    return is_older and any(one.name == "torch" for one in victims_of(lost, frameworks))


def _without_unused(group: tuple[Overlap, ...], scene: Scene, frameworks: Frameworks) -> Fix | None:
    """The files on the disk belong to a CUDA major that no framework here is built for: those packages leave."""
    majors = {cuda_major_of(overlap.on_disk) if overlap.on_disk else None for overlap in group}
    major = majors.pop() if len(majors) == 1 else None
    unknown = any(one.variant == "cuda" and one.cuda is None for one in frameworks.found)
    if major is None or unknown or users_of(frameworks, major) or not isinstance(scene.packages, Packages):
        return None
    leaving = [package.name for package in cuda_packages(scene.packages).get(major, ())]
    shared = {name.rpartition("-cu")[0] or name for name in leaving}
    staying = [
        package
        for other, packages in cuda_packages(scene.packages).items()
        for package in packages
        if other != major and (package.name.rpartition("-cu")[0] or package.name) in shared
    ]
    if not leaving or not staying:
        return None
    back = tuple(f"{package.name}=={package.version}" for package in staying)
    title = f"Remove the libraries for CUDA {major}, which nothing uses"
    if scene.is_shared:
        text = f"Uninstall {', '.join(leaving)}; then install again, with --force-reinstall, {', '.join(back)}."
        return by_hand(title, text)
    steps = once((*uninstall(scene, *leaving), *install(scene, *back, options=("--force-reinstall", "--no-deps"))))
    return Fix(title, "review", steps)


def _torch_fits(scene: Scene, matrix: Matrix) -> bool:
    """The installed build of torch runs on this machine, as far as that is known."""
    torch, machine = scene.find("torch"), machine_of(scene, matrix)
    if torch is None or machine is None or not matrix.torch_builds(torch.version):
        return True
    fitting = torch_builds_that_fit(machine, matrix, torch.version)
    own = matrix.torch_build(torch.version, wheel_platform(scene.host))
    return own is None or any(build.variant == own.variant for build in fitting)


def _apart(group: tuple[Overlap, ...], scene: Scene, matrix: Matrix) -> Fix:
    """TensorFlow in an environment of its own; what stays behind gets its libraries back."""
    if machine_of(scene, matrix) is None:
        text = "Make a virtual environment for each framework, and install only that framework into it."
        return by_hand("Give each framework an environment of its own", text)
    apart = tensorflow_for_gpus(scene, matrix, apart=True)
    names = dict.fromkeys(name for overlap in group for name in (overlap.first, overlap.second))
    leaving = tuple(name for name in names if cuda_major_of(name) == 12)
    staying = tuple(p for name in names if name not in leaving and (p := scene.find(name)) is not None)
    if scene.is_shared or scene.find("tensorflow") is None or not staying:
        return apart
    back = tuple(f"{package.name}=={package.version}" for package in staying)
    again = install(scene, *back, options=("--force-reinstall", "--no-deps"))
    steps = once((*apart.steps, *uninstall(scene, "tensorflow", *leaving), *again))
    return Fix(apart.title, "review", steps)


def _one_major(group: tuple[Overlap, ...], scene: Scene, matrix: Matrix, frameworks: Frameworks) -> tuple[Fix, ...]:
    """PyTorch built for CUDA 12 beside TensorFlow, where such a build fits this machine."""
    machine = machine_of(scene, matrix)
    builds = torch_builds_that_fit(machine, matrix) if machine and frameworks.get("torch") else ()
    twelve = [b for b in builds if b.cuda and b.cuda.major == 12 and b.index_suffix and b.confidence != "derived"]
    if not twelve or frameworks.get("tensorflow") is None or scene.find("jax-cuda13-plugin") is not None:
        return ()
    build = twelve[0]
    names = tuple(name for name in companions() if scene.find(name) is not None)
    pins = {"torchvision": build.torchvision, "torchaudio": build.torchaudio}
    wanted = (f"torch=={build.version}", *(f"{name}=={pins[name]}" for name in names if pins[name]))
    shared = tuple(dict.fromkeys(name for overlap in group for name in (overlap.first, overlap.second)))
    # torch's own requirements bring the shared libraries back, for CUDA 12 only.
    other = install(scene, *wanted, index=f"{TORCH_INDEX}{build.index_suffix}")
    steps = once((*uninstall(scene, "torch", *names, *shared), *other))
    title = f"Use CUDA 12 for both: PyTorch {build.version} built for CUDA {build.cuda}"
    return () if scene.is_shared else (Fix(title, "review", steps),)


def keep_one(first: str, second: str, scene: Scene) -> Fix:
    """Of two builds of the same thing, install one again alone: that for the GPU, where a name says so."""
    both = (first, second)
    keep = next((name for name in both if "-gpu" in name), min(both, key=len))
    package = scene.find(keep)
    if scene.is_shared or package is None or package.installer == "conda":
        text = f"Uninstall both {first} and {second}, then install the one you want."
        return by_hand("Keep one of the two", text)
    steps = once((*uninstall(scene, *both), *install(scene, f"{package.name}=={package.version}")))
    return Fix(f"Keep only {keep}", safety(scene), steps)
