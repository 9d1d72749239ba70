"""BOX021: WSL's driver libraries are there, and the loader does not find them."""

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
    """WSL has the Windows driver libraries, but programs do not find them."""
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
