"""BOX021: WSL has the Windows driver libraries, but programs, or cuDNN, do not find them."""

from gpudoctor.facts.system import Wsl
from gpudoctor.rules._bare_libcuda import in_vain
from gpudoctor.rules.sections import Container, Driver, Gap, Libraries
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, answer_seen, by_hand, problem, rule, seen

FOLDER = "/usr/lib/wsl/lib"
NEWER = by_hand(
    "Use a newer build, whose cuDNN does not open that name", "torch 2.1 and newer for CUDA 12 bring cuDNN 8.9 or 9."
)


@rule("BOX021", name="wsl-libcuda-path", severity="error")
def wsl_libcuda_path(driver: Driver, container: Container, libraries: Libraries | Gap | None) -> Iterator[Problem]:
    """WSL has the Windows driver libraries, but programs do not find them.

    What it means:
    WSL shows the libraries of Windows' NVIDIA driver in /usr/lib/wsl/lib. The loader of this distribution does not
    look there.

    Why it breaks:
    The file /etc/ld.so.conf.d/ld.wsl.conf is missing, or this is a distribution (such as NixOS) or a container that
    works otherwise. Or only a name is missing: cuDNN 8 opens libcuda.so, and as all of Windows' files are plain files,
    the loader knows libcuda.so.1 alone. CUDA starts then; the first convolution ends the program with "Could not load
    library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file". That is a warning.

    How to fix it:
    Put the folder on LD_LIBRARY_PATH. Where the folder itself is not looked at, adding it to the loader's settings and
    running ldconfig does as well.

    When to ignore it:
    Never, if you want to use the GPU in WSL.

    Sources:
    CUDA on WSL user guide, https://docs.nvidia.com/cuda/wsl-user-guide/; for libcuda.so,
    https://github.com/microsoft/WSL/issues/8587
    """
    if container.wsl is None or not container.wsl.driver_library:
        return
    missing = [answer for answer in (driver.nvml, driver.cuda_init) if answer and answer.outcome == "no-library"]
    if not missing:
        yield from _bare_name(libraries, container.wsl)
        return
    yield problem(
        "WSL has the Windows driver libraries, but programs do not find them.",
        seen(f"{FOLDER}/libcuda.so.1", "present"),
        answer_seen("Loading the library", missing[0]),
        fix=_look_there(libraries),
    )


def _look_there(libraries: Libraries | Gap | None) -> Fix:
    """First of all folders: what else is named there stays."""
    named = libraries.search_path if isinstance(libraries, Libraries) else ()
    value = ":".join(dict.fromkeys((FOLDER, *named)))
    return Fix("Let programs look there", "safe", (SetEnv(name="LD_LIBRARY_PATH", value=value, where="~/.profile"),))


def _bare_name(libraries: Libraries | Gap | None, wsl: Wsl) -> Iterator[Problem]:
    """The folder is known to the loader, and one name is not."""
    if not isinstance(libraries, Libraries):
        return
    for cudnn, frameworks in in_vain(libraries, wsl).values():
        yield problem(
            f"cuDNN {cudnn.version} opens libcuda.so, but WSL's loader knows only libcuda.so.1: "
            "the first convolution fails.",
            seen("cuDNN", f"{cudnn.path}, {cudnn.version}"),
            seen(f"{FOLDER}/libcuda.so.1", "a plain file, not a link"),
            seen("folders on LD_LIBRARY_PATH", ", ".join(libraries.search_path) or "none"),
            subject=frameworks,
            severity="warning",
            confidence="likely",
            fixes=(_look_there(libraries), NEWER),
        )
