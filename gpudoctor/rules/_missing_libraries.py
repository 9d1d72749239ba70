"""CUDA libraries that a framework does not find: copies elsewhere, and what installs them."""

import posixpath
import shlex

from gpudoctor.facts.libraries import Resolution
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.nvidia_libraries import owners_of_the_same
from gpudoctor.plan.places import install, nvidia_gpus, safety, separately, wheel_platform
from gpudoctor.plan.recipes import framework_for_gpus
from gpudoctor.plan.toolkit_for_build import toolkit_for_build
from gpudoctor.rules._gpu_packages import dist_for
from gpudoctor.rules._jax_parts import PARTS, all_parts
from gpudoctor.rules._unmet_requirements import elsewhere
from gpudoctor.rules.builds import release_numbers, release_of
from gpudoctor.rules.sections import Framework, Gap, Libraries, LibraryCopy, Matrix, Packages, Scene
from gpudoctor.rules.terms import Evidence, Fix, Run, SetEnv, by_hand, run, seen

#: The first TensorFlow with the extra and-cuda.
FIRST_EXTRA = numbers_of("tensorflow-cuda-extra")


def copies_of(one: Resolution, libraries: Libraries) -> tuple[LibraryCopy, ...]:
    """Copies on the machine of a library that the loader does not find; those of the environment first."""
    found = [copy for copy in libraries.copies if copy.soname == one.soname and copy.path != one.unusable]
    return tuple(sorted(found, key=lambda copy: copy.origin != "pip"))


def is_lost_by_damage(libraries: Libraries | Gap | None, packages: Packages) -> bool:
    """A framework does not find a library because its file is gone or no library any more; True where not known.

    A file that was overwritten by another library still is one: it is found, or not where it is looked for.
    """
    if not isinstance(libraries, Libraries) or libraries.resolutions is None or isinstance(packages.damaged, Gap):
        return True
    gone = {posixpath.basename(one.path) for one in packages.damaged if one.found is None}
    changed = {one.path for one in packages.damaged}
    missing = (one for one in libraries.resolutions if one.path is None)
    return any(one.soname in gone or one.unusable in changed for one in missing)


def package_of(one: Resolution, framework: Framework) -> str | None:
    """The package that would bring it."""
    return dist_for(one.family, framework.cuda.major if framework.cuda else None)


def where_looked(framework: Framework, libraries: Libraries) -> tuple[Evidence, ...]:
    """Where the framework's other libraries come from, and LD_LIBRARY_PATH."""
    found = (r for r in libraries.resolutions or () if r.framework == framework.name and r.path is not None)
    # A log names some without their folders.
    folders = tuple(dict.fromkeys(filter(None, (posixpath.dirname(one.path or "") for one in found))))
    searched = ":".join(libraries.search_path) or (None if libraries.excerpt else "not set")
    looked = (seen("LD_LIBRARY_PATH", searched),) if searched else ()
    if not folders:
        return looked
    return (seen(f"folders where {framework.name} finds its other libraries", ", ".join(folders[:6])), *looked)


def fixes_for(
    scene: Scene, framework: Framework, missing: tuple[Resolution, ...], libraries: Libraries, matrix: Matrix
) -> tuple[Fix, ...]:
    """Link what is installed, or name its folders; install what is not."""
    unreachable = [copies_of(one, libraries) for one in missing]
    if all(unreachable):
        return _reach(scene, framework, tuple(copies[0] for copies in unreachable), libraries, matrix)
    return (_bring(scene, framework, missing, libraries, matrix),)


def _reach(
    scene: Scene, framework: Framework, copies: tuple[LibraryCopy, ...], libraries: Libraries, matrix: Matrix
) -> tuple[Fix, ...]:
    folders = dict.fromkeys(posixpath.dirname(copy.path) for copy in copies)
    value = ":".join(dict.fromkeys((*folders, *libraries.search_path)))
    name = Fix(
        "Add the folder for this program",
        "safe",
        (SetEnv(name="LD_LIBRARY_PATH", value=value),),
        undo="unset LD_LIBRARY_PATH" if not libraries.search_path else "set LD_LIBRARY_PATH to what it was",
    )
    ways = (*filter(None, (_linked(scene, framework, copies, libraries),)), name)
    if not _is_broken(framework, scene, matrix) or not nvidia_gpus(scene):
        return ways
    other = framework_for_gpus(framework.name, scene, matrix)
    return ways if installs_anew(framework, other) else (*ways, other)


def _is_broken(framework: Framework, scene: Scene, matrix: Matrix) -> bool:
    """A release that does not find its libraries as it comes."""
    rows = matrix.tensorflow_builds(framework.version or "", wheel_platform(scene.host), framework.name)
    return any(row.defect for row in rows)


def installs_anew(framework: Framework, fix: Fix) -> bool:
    """Whether it is the release that is there which a fix installs."""
    words = (word for step in fix.steps if isinstance(step, Run) for word in step.argv)
    return any(word.partition("[")[0] == framework.name and word.endswith(f"=={framework.version}") for word in words)


def _linked(scene: Scene, framework: Framework, copies: tuple[LibraryCopy, ...], libraries: Libraries) -> Fix | None:
    """Links in a folder in which the framework looks, beside that of the library: what it needs itself is still found.

    A library's $ORIGIN is the folder in which it was found, link or not (ld.so(8)).
    """
    looks = [
        posixpath.dirname(one.path)
        for one in libraries.resolutions or ()
        if one.framework == framework.name and one.path is not None and one.via in ("rpath", "runpath")
    ]
    links = []
    for copy in copies:
        folder = next((one for one in looks if _parent(one) == _parent(posixpath.dirname(copy.path))), None)
        if folder is None or copy.origin != "pip" or scene.is_shared:
            return None
        links.append((posixpath.relpath(copy.path, folder), f"{folder}/{copy.soname}"))
    return Fix(
        f"Link it into a folder where {framework.name} looks",
        safety(scene),
        tuple(run("ln", "-sf", target, link) for target, link in links),
        undo=f"rm {shlex.join(link for _, link in links)}",
    )


def _parent(folder: str) -> str:
    """site-packages/nvidia of site-packages/nvidia/cusolver/lib."""
    return posixpath.dirname(posixpath.dirname(folder))


def _bring(
    scene: Scene, framework: Framework, missing: tuple[Resolution, ...], libraries: Libraries, matrix: Matrix
) -> Fix:
    if not nvidia_gpus(scene):
        text = f"Here {framework.label} runs on the CPU. Install its CUDA libraries on machines with an NVIDIA GPU."
        return by_hand("Nothing to do on this machine", text)
    if framework.name == "tensorflow":
        numbers, version = release_numbers(framework.version), framework.version
        if version is None or numbers is None or numbers < FIRST_EXTRA:
            return _by_hand(framework, missing, scene)
        # The recipe knows what else is here, and gives it an environment of its own where they cannot share one.
        newest = framework_for_gpus("tensorflow", scene, matrix)
        if _is_broken(framework, scene, matrix) or not _shares(newest) or not _can_have(version, scene, matrix):
            return newest
        wanted: tuple[str, ...] = (f"tensorflow[and-cuda]=={release_of(version)}",)
    elif framework.name == "torch":
        return framework_for_gpus("torch", scene, matrix, framework.version)
    else:
        wanted = tuple(dict.fromkeys(p for one in missing if (p := package_of(one, framework))))
    if not wanted:
        return _by_hand(framework, missing, scene)
    # An installed one is pinned by another framework, and is of another release: a second install changes nothing.
    pinned = framework.name not in PARTS or any(scene.find(name) is not None for name in ("torch", "tensorflow"))
    there = tuple(name for name in wanted if pinned and scene.find(name) is not None)
    if taken := owners_of_the_same(scene, wanted) or there:
        return elsewhere(framework.label, taken)
    if framework.name in PARTS and framework.cuda is not None and not scene.is_shared:
        together = all_parts(scene, framework.cuda.major, libraries, matrix)
        if together is not None:
            return together
    steps = separately(scene, *wanted) if scene.is_shared else install(scene, *wanted)
    return Fix(f"Install the CUDA libraries of {framework.label}", safety(scene), steps)


def _can_have(version: str, scene: Scene, matrix: Matrix) -> bool:
    """The libraries of its extra take no other's files; those of CUDA 11 may take those of what comes, too."""
    rows = matrix.tensorflow_builds(version, wheel_platform(scene.host), "tensorflow")
    brought = rows[0].and_cuda if rows else ()
    return not owners_of_the_same(scene, brought) and not any("-cu11" in one for one in brought)


def _shares(fix: Fix) -> bool:
    return not any(isinstance(step, Run) and step.argv[1:3] == ("-m", "venv") for step in fix.steps)


def _by_hand(framework: Framework, missing: tuple[Resolution, ...], scene: Scene) -> Fix:
    if framework.name == "tensorflow" and framework.cuda:
        cudnn_only = framework.cudnn is not None and all(one.family == "cudnn" for one in missing)
        return toolkit_for_build(framework.cuda, framework.cudnn, scene, cudnn_only=cudnn_only)
    cuda = f"CUDA {framework.cuda}" if framework.cuda else "the CUDA version it was built with"
    cudnn = f" and cuDNN {framework.cudnn}" if framework.cudnn else ""
    text = f"Install {cuda}{cudnn}, or use a newer {framework.name} that brings its own libraries."
    return by_hand("Install the CUDA version it was built with", text)
