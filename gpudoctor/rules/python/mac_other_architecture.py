"""PYT021: a Mac with Apple silicon, and a Python for Intel processors."""

from gpudoctor.rules.sections import Frameworks, Interpreter, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

INTEL = "x86_64"


@rule("PYT021", name="mac-other-architecture", severity="warning", since="0.2", when="frameworks.found, interpreter")
def mac_other_architecture(host: System, interpreter: Interpreter, frameworks: Frameworks) -> Iterator[Problem]:
    """The examined Python is for Intel processors, and the Mac has Apple silicon."""
    platform = interpreter.platform or ""
    if host.os != "macos" or host.arch != "arm64" or not platform.endswith(INTEL):
        return
    yield problem(
        "This Mac has Apple silicon, and this Python is for Intel processors.",
        seen("processor", host.arch),
        seen("Python is for", platform),
        *(seen(one.label, "for Intel") for one in frameworks.found[:2]),
        subject=interpreter.executable,
        fix=by_hand(
            "Make an environment with a Python for arm64",
            "In a terminal that is not opened with Rosetta: arch -arm64 /opt/homebrew/bin/python3 -m venv .venv",
            "With conda: CONDA_SUBDIR=osx-arm64 conda create -n ai -c conda-forge python, then in it: "
            "conda config --env --set subdir osx-arm64",
        ),
    )
