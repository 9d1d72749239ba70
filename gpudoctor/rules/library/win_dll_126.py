"""LIB020: Microsoft's C++ runtime, which the framework needs, is missing, incomplete or too old."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.failures import failures
from gpudoctor.rules.sections import Frameworks, Gap, Libraries, Live, System
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, run, seen

#: Microsoft's C++ runtime, which the wheels of PyTorch, TensorFlow and JAX for Windows need.
RUNTIME = ("vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll")
_NOT_STARTED = re.compile(r"initialization routine failed|WinError 1114\b", re.IGNORECASE)
REDISTRIBUTABLE = Fix(
    "Install the Visual C++ Redistributable",
    "review",
    (run("winget", "install", "--id", "Microsoft.VCRedist.2015+.x64", "--exact"),),
    needs_root=True,
    undo="winget uninstall --id Microsoft.VCRedist.2015+.x64",
)


@rule("LIB020", name="win-dll-126", severity="error")
def win_dll_126(
    libraries: Libraries, frameworks: Frameworks, host: System, live: Live | Gap | None
) -> Iterator[Problem]:
    """Microsoft's C++ runtime, which the framework needs, is missing, incomplete or too old.

    What it means:
    The frameworks for Windows are compiled with Visual C++ and need its runtime: vcruntime140.dll, vcruntime140_1.dll,
    msvcp140.dll. Some of it is not found.

    Why it breaks:
    The import ends with "[WinError 126] The specified module could not be found. Error loading ... or one of its
    dependencies". The file that is named is there; one that it needs is not. With a runtime older than the one that the
    framework was compiled with it ends with "A dynamic link library (DLL) initialization routine failed" (error 1114).

    How to fix it:
    Install the current Visual C++ Redistributable. Installing the framework again does not bring it.

    When to ignore it:
    Never, if the import fails.

    Sources:
    https://learn.microsoft.com/en-us/cpp/windows/latest-supported-vc-redist
    https://docs.pytorch.org/docs/stable/notes/windows.html
    https://github.com/tensorflow/tensorflow/issues/79362 (an old runtime)
    """
    if host.os != "windows" or libraries.dlls is None:
        return
    missing = [name for name in RUNTIME if name in libraries.dlls and libraries.dlls[name] is None]
    users = [one.label for one in frameworks.found if one.name in ("torch", "tensorflow", "jaxlib")]
    if users and not missing:
        yield from _too_old(host, live)
    if not missing or not users:
        return
    yield problem(
        f"{in_words(missing)} of Microsoft's C++ runtime {'is' if len(missing) == 1 else 'are'} missing; "
        f"{users[0]} needs {'it' if len(missing) == 1 else 'them'}.",
        *tuple(seen(name, "not found in Windows' folders, in PATH or beside Python") for name in missing),
        subject="Visual C++ runtime",
        fix=REDISTRIBUTABLE,
    )


def _too_old(host: System, live: Live | Gap | None) -> Iterator[Problem]:
    """All of it is there, and a framework's DLL still does not start, on a processor that has what it needs."""
    if not isinstance(live, Live) or (host.cpu and host.cpu.flags is not None and "avx" not in host.cpu.flags):
        return
    failed = next((one for one in failures(live) if _NOT_STARTED.search(one.text) and not one.pasted), None)
    if failed is not None:
        yield problem(
            f"A DLL of {failed.framework or 'the framework'} does not load; usually Microsoft's C++ runtime is "
            "older than the one it was compiled with.",
            seen(failed.doing, failed.text),
            subject="Visual C++ runtime",
            confidence="likely",
            fix=REDISTRIBUTABLE,
        )
