"""TLK004: Triton is installed, but the C compiler or Python headers it needs are missing."""

from gpudoctor.plan.system_packages import install_command
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Interpreter, System, Toolkits
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen


@rule("TLK004", name="triton-no-compiler", severity="info", when="frameworks.triton, gpus.nvidia")
def triton_no_compiler(
    gpus: Gpus, toolkits: Toolkits | None, frameworks: Frameworks, interpreter: Interpreter, host: System | Gap | None
) -> Iterator[Problem]:
    """Triton is installed, but the C compiler or Python headers it needs are missing.

    What it means:
    `torch.compile` uses Triton, and Triton compiles a small C program at its first use. That takes a C compiler and the
    file Python.h.

    Why it breaks:
    The first call ends with "Failed to find C compiler" or "Python.h: No such file or directory". Everything else in
    PyTorch works.

    How to fix it:
    Install a C compiler and the development files of this Python.

    When to ignore it:
    If you do not use torch.compile or Triton kernels.

    Sources:
    https://docs.pytorch.org/docs/stable/torch.compiler_faq.html
    https://triton-lang.org/main/getting-started/installation.html
    """
    if not gpus.nvidia or frameworks.get("triton") is None or not isinstance(host, System) or host.os != "linux":
        return
    no_compiler = toolkits is not None and toolkits.compiler is None and not toolkits.excerpt
    no_header = interpreter.has_python_h is False
    if not (no_compiler or no_header):
        return
    lacks = " and ".join(
        words for words, missing in (("no C compiler", no_compiler), ("no Python.h", no_header)) if missing
    )
    yield problem(
        f"There is {lacks}, which torch.compile and Triton need at first use.",
        seen("C compiler", "not found on PATH" if no_compiler else "present"),
        seen("Python.h", "not found" if no_header else "present or not looked for"),
        subject="triton",
        confidence="likely",
        fix=_fix(host, no_header=no_header),
    )


def _fix(host: System, *, no_header: bool) -> Fix:
    title = "Install a C compiler and Python's development files"
    command = install_command(host, "compiler", "python-headers") if no_header else install_command(host, "compiler")
    if command is not None:
        return Fix(title, "review", (command,), needs_root=True)
    text = "Install gcc and the development package of this Python with your distribution's package manager."
    return by_hand(title, text, needs_root=True)
