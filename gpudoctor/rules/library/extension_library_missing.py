"""LIB025: a compiled package is linked to CUDA libraries that it does not get."""

from gpudoctor.facts.libraries import LinkedExtension
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Frameworks, Gap, Libraries
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, rule, seen
from gpudoctor.sources.libraries_names import soname_of

NOWHERE = "this machine does not have"


@rule("LIB025", name="extension-library-missing", severity="error", since="0.1")
def extension_library_missing(libraries: Libraries, frameworks: Frameworks | Gap | None) -> Iterator[Problem]:
    """A compiled package is linked to CUDA libraries that are not there, or that the loader does not find.

    What it means:
    The package has compiled modules that were built for one CUDA version, and are linked to its libraries by name:
    libcudart.so.11.0 is of CUDA 11, libcudart.so.12 of CUDA 12. The loader finds no file of that name for the module:
    there is none, or it lies in a toolkit's folder off the loader's path.

    Why it breaks:
    Its import ends with "cannot open shared object file". Mostly it was built for another CUDA than the framework
    beside it, whose libraries are the only ones here.

    How to fix it:
    Install the build of the package for the CUDA of your framework, or build it anew in this environment
    (pip install --no-build-isolation --no-cache-dir). If it needs a CUDA of its own, install that CUDA's libraries.

    When to ignore it:
    If you do not import the package, or set up a module system or LD_LIBRARY_PATH before you do.

    Sources:
    https://man7.org/linux/man-pages/man8/ld.so.8.html
    https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
    """
    by_package: dict[str, list[LinkedExtension]] = {}
    for one in libraries.extensions or ():
        by_package.setdefault(one.package, []).append(one)
    torch = frameworks.get("torch") if isinstance(frameworks, Frameworks) else None
    for name, modules in by_package.items():
        # Where one module can be loaded, the package may choose among builds for several versions.
        if not all(one.absent for one in modules):
            continue
        first = modules[0]
        away = [one for one in libraries.copies if soname_of(one.soname) in first.absent]
        label = f"{name} {first.version}" if first.version else name
        yield Problem(
            summary=f"{label} needs {in_words(first.absent)}, which {'the loader does not find' if away else NOWHERE}.",
            subject=label,
            confidence="likely",
            evidence=(
                seen(f"{first.file} is linked to", ", ".join(first.needs)),
                seen("not found by the loader" if away else "found nowhere", ", ".join(first.absent)),
                *(seen("off its path", one.path) for one in away[:1]),
                *((seen("torch is built for", f"CUDA {torch.cuda}", torch.source),) if torch and torch.cuda else ()),
            ),
            fixes=(_fix(name, f"CUDA {torch.cuda}" if torch and torch.cuda else "your framework's CUDA"),),
        )


def _fix(package: str, cuda: str) -> Fix:
    text = f"Uninstall {package}, and install its build for {cuda}; or build it here: "
    text += f"pip install --no-build-isolation --no-cache-dir {package}."
    return by_hand(f"Install a {package} built for {cuda}", text)
