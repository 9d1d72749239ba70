"""PYT021: the examined Python is for Intel processors, and the Mac has Apple silicon."""

from gpudoctor.rules.sections import Frameworks, Interpreter, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

INTEL = "x86_64"


@rule("PYT021", name="mac-other-architecture", severity="warning", since="0.2", when="frameworks.found, interpreter")
def mac_other_architecture(host: System, interpreter: Interpreter, frameworks: Frameworks) -> Iterator[Problem]:
    """The examined Python is for Intel processors, and the Mac has Apple silicon.

    What it means:
    macOS translates programs for Intel processors (Rosetta). The packages of such a Python are for Intel, too.

    Why it breaks:
    PyTorch's last release for Intel Macs is 2.2, TensorFlow's needs instructions that Rosetta lacked for long, and
    programs that ask which processor they run on do not look for Apple's GPU.

    How to fix it:
    Install a Python for arm64 (Homebrew in /opt/homebrew, conda for arm64) and make a new environment with it.

    When to ignore it:
    When a package that you need is there for Intel only.

    Sources:
    https://developer.apple.com/documentation/apple-silicon/about-the-rosetta-translation-environment
    https://dev-discuss.pytorch.org/t/pytorch-macos-x86-builds-deprecation-starting-january-2024/1690
    """
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
