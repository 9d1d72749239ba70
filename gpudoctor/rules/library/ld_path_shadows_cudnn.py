"""LIB003: LD_LIBRARY_PATH makes a framework load a different cuDNN from its own."""

from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.rules._ld_library_path import Shadowing, shadowed, shadowing_evidence, shadowing_fix
from gpudoctor.rules.builds import needed_cudnn
from gpudoctor.rules.sections import Frameworks, Gpus, Libraries, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, problem, rule


@rule("LIB003", name="ld-path-shadows-cudnn", severity="error")
def ld_path_shadows_cudnn(
    gpus: Gpus, libraries: Libraries, frameworks: Frameworks, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """LD_LIBRARY_PATH makes a framework load a different cuDNN from its own.

    What it means:
    The framework has a fitting cuDNN in its own environment. A folder in LD_LIBRARY_PATH holds another cuDNN of the
    same name, and the loader looks there first. It may be only the parts of cuDNN (libcudnn_ops and others) that come
    from there: pip's cuDNN looks for them in LD_LIBRARY_PATH even where torch itself does not.

    Why it breaks:
    cuDNN is several libraries that must be of one version. A system or module cuDNN before the right one gives
    "CuDNN library needs to have matching major version", "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH" or a crash. The
    variable is often set in ~/.bashrc from an old guide, or by `module load cudnn`.

    How to fix it:
    Take that folder out of LD_LIBRARY_PATH for this program (unset LD_LIBRARY_PATH, or do not load the cuDNN module).
    Frameworks from pip need no entry there.

    When to ignore it:
    If it is a newer copy of the same major version and everything works: that is why this is then only a note.

    Sources:
    https://man7.org/linux/man-pages/man8/ld.so.8.html
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/
    """
    if not gpus.nvidia:
        return
    by_framework: dict[str, list[Shadowing]] = {}
    for shadowing in shadowed(libraries, frameworks, scene.packages):
        if shadowing.resolution.family == "cudnn" and shadowing.differs:
            by_framework.setdefault(shadowing.framework.label, []).append(shadowing)
    for found in by_framework.values():
        shadowing = min(found, key=lambda one: not _is_main(one))
        # Parts of another version than the main library: cuDNN refuses them, whichever is newer.
        is_harmful = not _is_main(shadowing) or _is_harmful(
            shadowing, needed_cudnn(shadowing.framework, matrix, scene.host)
        )
        yield problem(
            _summary(shadowing),
            *shadowing_evidence(shadowing, libraries),
            subject=shadowing.framework.label,
            severity=None if is_harmful else "info",
            fix=shadowing_fix(shadowing, libraries),
        )


def _is_main(shadowing: Shadowing) -> bool:
    return shadowing.resolution.soname.startswith("libcudnn.so")


def _summary(shadowing: Shadowing) -> str:
    return f"LD_LIBRARY_PATH makes {shadowing.framework.label} load {shadowing.words} instead of its own."


def _is_harmful(shadowing: Shadowing, needed: LibraryVersion | None) -> bool:
    """Of another major version, or older than what the framework was built with (else than its own copy)."""
    have, floor = shadowing.resolution.version, needed or shadowing.resolution.shadows_version
    if have is None or floor is None:
        return False
    return have.major != floor.major or have.minor < floor.minor
