"""LIB004: LD_LIBRARY_PATH makes a framework load older CUDA libraries than its own."""

from gpudoctor.rules._ld_library_path import Shadowing, shadowed, shadowing_evidence, shadowing_fix
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Libraries, Packages
from gpudoctor.rules.terms import Iterator, Problem, problem, rule


@rule("LIB004", name="ld-path-shadows-nvidia-wheels", severity="error")
def ld_path_shadows_nvidia_wheels(
    gpus: Gpus, libraries: Libraries, frameworks: Frameworks, packages: Packages | Gap | None
) -> Iterator[Problem]:
    """LD_LIBRARY_PATH makes a framework load older CUDA libraries than its own.

    What it means:
    The framework has its CUDA libraries in its own environment. A folder in LD_LIBRARY_PATH, of a CUDA toolkit or an
    HPC SDK, holds older libraries of the same names, and the loader looks there first.

    Why it breaks:
    The CUDA libraries call each other. One older library among newer ones gives "undefined symbol:
    __nvJitLinkAddData_12_1", "version not found", or "Cannot dlopen some GPU libraries".

    How to fix it:
    Take that folder out of LD_LIBRARY_PATH for this program (unset LD_LIBRARY_PATH). Frameworks from pip need no entry
    there; compiling with nvcc needs none either.

    When to ignore it:
    If you put the folder there on purpose, to use that version.

    Sources:
    https://man7.org/linux/man-pages/man8/ld.so.8.html
    """
    if not gpus.nvidia:
        return
    by_framework: dict[str, list[Shadowing]] = {}
    for shadowing in shadowed(libraries, frameworks, packages):
        if shadowing.resolution.family != "cudnn" and shadowing.is_older:
            by_framework.setdefault(shadowing.framework.label, []).append(shadowing)
    for label, found in by_framework.items():
        evidence = [line for shadowing in found for line in shadowing_evidence(shadowing, libraries)[:2]]
        yield problem(
            f"LD_LIBRARY_PATH makes {label} load {in_words(one.words for one in found)}, older than its own.",
            *evidence,
            shadowing_evidence(found[0], libraries)[2],
            subject=label,
            fix=shadowing_fix(found[0], libraries),
        )
