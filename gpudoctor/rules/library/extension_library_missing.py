"""LIB025: a compiled extension needs CUDA or PyTorch libraries that the loader does not find."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import LinkedExtension
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Libraries
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen
from gpudoctor.sources.library_names import is_of_torch, soname_of

#: From this CUDA on conda-forge has the libraries as packages of their own, and no cudatoolkit.
FIRST_SPLIT = 12


@rule("LIB025", name="extension-library-missing", severity="error", when="libraries.extensions.absent")
def extension_library_missing(libraries: Libraries, frameworks: Frameworks | Gap | None) -> Iterator[Problem]:
    """A compiled extension needs CUDA or PyTorch libraries that the loader does not find.

    What it means:
    The package has compiled modules that were built for one CUDA version, and are linked to its libraries by name:
    libcudart.so.11.0 is of CUDA 11, libcudart.so.12 of CUDA 12. The loader finds no file of that name for the module:
    there is none, or it lies in a toolkit's folder off the loader's path. Or the module was built for another PyTorch,
    and is linked to a library that this one does not have (libtorch_cuda_cpp.so).

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
        lacking = _lacking(modules, of_torch=True) or _lacking(modules, of_torch=False)
        if lacking is None:
            continue
        module, absent = lacking
        label = f"{name} {module.version}" if module.version else name
        away = [one for one in libraries.copies if soname_of(one.soname) in absent]
        built = torch.label if torch is not None else "torch"
        yield problem(
            f"{label} needs {in_words(absent)}, which {_where(absent, built, off_path=bool(away))}.",
            seen(f"{module.file} is linked to", ", ".join(module.needs)),
            seen("not found by the loader" if away else "found nowhere", ", ".join(absent)),
            *(seen("off its path", one.path) for one in away[:1]),
            *((seen("torch is built for", f"CUDA {torch.cuda}", torch.source),) if torch and torch.cuda else ()),
            subject=label,
            confidence="likely",
            fix=_fix_for(name, module.version, absent, torch),
        )


def _lacking(modules: list[LinkedExtension], *, of_torch: bool) -> tuple[LinkedExtension, tuple[str, ...]] | None:
    """The first module and what it lacks. Where one can be loaded, the package may choose among several builds."""
    parted = [(one, tuple(n for n in one.absent if is_of_torch(n) is of_torch)) for one in modules]
    asking = [(one, absent) for one, absent in parted if any(is_of_torch(n) is of_torch for n in one.needs)]
    return asking[0] if asking and all(absent for _, absent in asking) else None


def _where(absent: tuple[str, ...], torch: str, *, off_path: bool) -> str:
    if is_of_torch(absent[0]):
        return f"{torch} does not have: it was built for another release"
    return "the loader does not find" if off_path else "this machine does not have"


def _wanted(absent: tuple[str, ...], torch: Framework | None) -> str:
    if torch is None or torch.cuda is None:
        return "your framework's CUDA"
    return torch.label if is_of_torch(absent[0]) else f"CUDA {torch.cuda}"


def _fix_for(package: str, version: str | None, absent: tuple[str, ...], torch: Framework | None) -> Fix:
    """A build whose version names torch's CUDA (pt112cu113) is the right one: it is the library that lacks."""
    cuda = torch.cuda if torch is not None else None
    tag = re.search(r"cu(\d{2,3})(?!\d)", (version or "").partition("+")[2])
    if cuda is None or tag is None or tag.group(1) != str(cuda).replace(".", "") or is_of_torch(absent[0]):
        return _fix(package, _wanted(absent, torch))
    text = f"Install the toolkit of CUDA {cuda}, and let LD_LIBRARY_PATH name its lib64 folder."
    if cuda.major < FIRST_SPLIT:
        text += f" In an environment of conda instead: conda install --channel conda-forge cudatoolkit={cuda}."
    return by_hand(f"Install the libraries of CUDA {cuda}", text)


def _fix(package: str, cuda: str) -> Fix:
    text = f"Uninstall {package}, and install its build for {cuda}; or build it here: "
    text += f"pip install --no-build-isolation --no-cache-dir {package}."
    return by_hand(f"Install a {package} built for {cuda}", text)
