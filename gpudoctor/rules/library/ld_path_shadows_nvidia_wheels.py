"""LIB004: LD_LIBRARY_PATH makes a framework load older CUDA libraries than its own."""

from gpudoctor.rules._shadowing import Shadowing, shadowed, shadowing_evidence, shadowing_fix
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Libraries, Packages
from gpudoctor.rules.terms import Iterator, Problem, problem, rule


@rule("LIB004", name="ld-path-shadows-nvidia-wheels", severity="error")
def ld_path_shadows_nvidia_wheels(
    gpus: Gpus, libraries: Libraries, frameworks: Frameworks, packages: Packages | Gap | None
) -> Iterator[Problem]:
    """LD_LIBRARY_PATH makes a framework load older CUDA libraries than its own."""
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
