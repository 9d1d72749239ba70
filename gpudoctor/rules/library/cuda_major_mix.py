"""LIB008 cuda-major-mix."""

from collections.abc import Iterator

from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.python import Framework, Frameworks, Packages
from gpudoctor.model.system import System
from gpudoctor.rules._builds import in_words, is_jetson
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen
from gpudoctor.rules._gpu_packages import cuda_packages, users_of


@rule("LIB008", name="cuda-major-mix", severity="warning", since="0.1")
def cuda_major_mix(
    gpus: Gpus,
    packages: Packages,
    frameworks: Frameworks,
    host: System | Gap | None,
) -> Iterator[Problem]:
    """CUDA libraries of a major version that no installed framework uses lie beside the ones in use.

    What it means:
    The environment holds NVIDIA library packages for two CUDA major versions (cu11, cu12; names without a suffix belong
    to CUDA 13). At least one of the sets belongs to no installed framework: it was left behind by an upgrade.

    Why it breaks:
    Usually it only takes room. But some libraries of different majors have the same name or the same path (libcufft,
    libcurand, libcusolver.so.11, all of cuDNN), and then the wrong one can be loaded.

    How to mend it:
    Uninstall the set that nothing uses, then reinstall the framework's own libraries, as some files were shared.

    When to ignore it:
    If another program in this environment uses the other set, or everything works.

    Sources:
    https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
    """
    if not gpus.nvidia or is_jetson(host):
        return
    sets = cuda_packages(packages)
    users = {major: users_of(frameworks, major) for major in sets}
    unused = [major for major in sets if not users[major]]
    unknown = [one for one in frameworks.found if one.variant == "cuda" and one.cuda is None]
    if len(sets) < 2 or not unused or len(unused) == len(sets) or unknown or _needs(frameworks, unused):
        return
    names = [package.name for major in unused for package in sets[major]]
    used = (
        in_words(_words(one) for major in sets for one in users[major] if one.name in ("torch", "tensorflow")) or "none"
    )
    yield Problem(
        summary=f"CUDA {in_words(str(major) for major in unused)} libraries are installed, and no framework uses them.",
        subject=in_words(f"CUDA {major}" for major in unused),
        evidence=(
            *(seen(f"packages for CUDA {m}", ", ".join(f"{p.name} {p.version}" for p in sets[m][:4])) for m in sets),
            seen("frameworks", used),
        ),
        fixes=(
            Fix(
                title="Remove the libraries that nothing uses",
                safety="review",
                steps=(
                    Ask(text=f"Uninstall {', '.join(names)}, then reinstall the framework with its own libraries."),
                ),
            ),
        ),
    )


def _words(framework: Framework) -> str:
    return f"{framework.label} (CUDA {framework.cuda})"


def _needs(frameworks: Frameworks, majors: list[int]) -> bool:
    """A GPU package whose CUDA follows from its distribution's name."""
    return any(f"cuda{major}" in (one.dist or "") for one in frameworks.found for major in majors)
