"""LIB008: a framework loads CUDA libraries of another major version, or such libraries are installed."""

from gpudoctor.rules._gpu_packages import cuda_packages, users_of
from gpudoctor.rules._other_cuda_majors import Foreign, foreign_libraries
from gpudoctor.rules.builds import in_words, is_jetson
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Gpus, Libraries, Packages, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, by_hand, problem, rule, seen


@rule("LIB008", name="cuda-major-mix", severity="warning")
def cuda_major_mix(
    gpus: Gpus, packages: Packages, frameworks: Frameworks, libraries: Libraries | Gap | None, host: System | Gap | None
) -> Iterator[Problem]:
    """A framework loads CUDA libraries of another major version, or such libraries are installed.

    What it means:
    The machine holds NVIDIA libraries for two CUDA major versions (cu11, cu12; package names without a suffix belong to
    CUDA 13). Either a framework would load some of the wrong major, or one set belongs to no installed framework and
    was left behind by an upgrade.

    Why it breaks:
    Some libraries of different majors have the same name or the same path (libcufft, libcurand, libcusolver.so.11,
    libcusparse.so.12, all of cuDNN), and torch takes the first file that matches a pattern when it is imported. A
    library of the wrong major brings "undefined symbol", or asks for others that are not there (libnvJitLink.so.12).
    A set that nobody loads only takes room.

    How to fix it:
    Uninstall the set that nothing uses; or take its folder out of LD_LIBRARY_PATH. Then reinstall the framework's own
    libraries, as some files were shared.

    When to ignore it:
    If another program in this environment uses the other set, and everything works.

    Sources:
    https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
    https://github.com/pytorch/pytorch/blob/main/torch/__init__.py (_preload_cuda_deps)
    """
    if not gpus.nvidia or is_jetson(host):
        return
    loaded = foreign_libraries(libraries, frameworks)
    if loaded:
        yield _loaded(loaded, packages)
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
    yield problem(
        f"CUDA {in_words(str(major) for major in unused)} libraries are installed, but no framework uses them.",
        *(seen(f"packages for CUDA {m}", ", ".join(f"{p.name} {p.version}" for p in sets[m][:4])) for m in sets),
        seen("frameworks", used),
        subject=in_words(f"CUDA {major}" for major in unused),
        fix=_removal(names),
    )


def _loaded(found: tuple[Foreign, ...], packages: Packages) -> Problem:
    framework, majors = found[0].framework, sorted({one.major for one in found})
    names = [package.name for major in majors for package in cuda_packages(packages).get(major, ())]
    from_variable = [one.resolution.path for one in found if one.resolution.via == "LD_LIBRARY_PATH"]
    step = f"Take the folder of {from_variable[0]} out of LD_LIBRARY_PATH for this program." if from_variable else None
    fix = _removal(names) if step is None else by_hand("Keep to one CUDA", step)
    return problem(
        f"{framework.label} is built for CUDA {framework.cuda}, but it would load "
        f"{in_words(one.resolution.soname for one in found)} of CUDA {in_words(str(major) for major in majors)}.",
        *tuple(seen(f"{one.resolution.soname} would be loaded from", one.resolution.path) for one in found),
        subject=framework.label,
        severity="error",
        confidence="likely",
        fix=fix,
    )


def _removal(names: list[str]) -> Fix:
    text = f"Uninstall {', '.join(names)}, then reinstall the framework with its own libraries."
    if not names:
        text = "Remove the foreign libraries, then reinstall the framework with its own."
    return Fix("Remove the libraries that nothing uses", "review", (Ask(text=text),))


def _words(framework: Framework) -> str:
    return f"{framework.label} (CUDA {framework.cuda})"


def _needs(frameworks: Frameworks, majors: list[int]) -> bool:
    """A GPU package whose CUDA follows from its distribution's name."""
    return any(f"cuda{major}" in (one.dist or "") for one in frameworks.found for major in majors)
