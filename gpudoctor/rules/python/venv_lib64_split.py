"""PYT014: the environment keeps torch and its CUDA libraries in two folders, lib and lib64."""

from gpudoctor.rules._gpu_packages import is_cuda_package
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Gap, Interpreter, Libraries, Live, Package, Packages
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen

#: Messages that a CUDA library is not found.
MESSAGES = ("cudnn-file-missing", "cuda-library-missing")


@rule(
    "PYT014", name="venv-lib64-split", severity="error", when="packages.torch, libraries.resolutions or live.symptoms"
)
def venv_lib64_split(
    packages: Packages,
    libraries: Libraries | Gap | None,
    interpreter: Interpreter | Gap | None,
    live: Live | Gap | None,
) -> Iterator[Problem]:
    """The environment keeps torch and its CUDA libraries in two folders, lib and lib64.

    What it means:
    On some Linux systems a virtual environment has a folder lib64 of its own instead of a link to lib. Packages with
    compiled parts go into one, the others into the other.

    Why it breaks:
    torch looks for NVIDIA's libraries beside its own folder, and they lie in the other: "libcublas.so.12: cannot open
    shared object file".

    How to fix it:
    Recreate the environment with python -m venv, so that lib64 is a link to lib (virtualenv, which Poetry uses, makes
    two folders), or put the folders nvidia/*/lib in LD_LIBRARY_PATH.

    When to ignore it:
    If torch finds its libraries: then this rule is silent.

    Sources:
    https://docs.python.org/3/library/sysconfig.html#installation-paths
    """
    torch = packages.find("torch")
    strays = [one for one in packages.installed if is_cuda_package(one.name) and _is_across(torch, one)]
    missing = _missing(libraries, live)
    if torch is None or not strays or not missing:
        return
    python = interpreter.executable if isinstance(interpreter, Interpreter) else "python3"
    prefix = (torch.location or "").partition("/lib")[0]
    yield problem(
        f"torch cannot find {strays[0].name}: it is in {strays[0].location}, torch elsewhere.",
        seen("torch", torch.location),
        *(seen(one.name, one.location) for one in strays[:4]),
        seen("not found", in_words(missing)),
        subject="torch",
        fix=by_hand("Recreate the environment", run(python, "-m", "venv", "--clear", prefix)),
    )


def _missing(libraries: Libraries | Gap | None, live: Live | Gap | None) -> tuple[str, ...]:
    """What torch does not find, as its files say or as a message does."""
    found = libraries.missing("torch") if isinstance(libraries, Libraries) else ()
    said = (one.text for one in pasted(live) if one.signature in MESSAGES)
    return tuple(one.soname for one in found) or tuple(said)


def _is_across(torch: Package | None, other: Package) -> bool:
    """The same place but for lib against lib64."""
    if torch is None or torch.location is None or other.location is None or torch.location == other.location:
        return False
    return torch.location.replace("/lib64/", "/lib/") == other.location.replace("/lib64/", "/lib/")
