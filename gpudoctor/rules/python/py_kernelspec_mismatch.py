"""PYT012: no Jupyter kernel uses this Python."""

import re

from gpudoctor.rules.sections import Container, Gap, Interpreter
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, run, seen


@rule("PYT012", name="py-kernelspec-mismatch", severity="info", when="interpreter.kernelspecs.same_interpreter=False")
def py_kernelspec_mismatch(interpreter: Interpreter, container: Container | Gap | None) -> Iterator[Problem]:
    """No Jupyter kernel uses this Python.

    What it means:
    Jupyter starts the interpreter that is written in a kernel's file. None of the kernels found here names this Python,
    so notebooks run in another one, with other packages.

    Why it breaks:
    The kernel was made for another environment, or the environment moved. A kernel whose file names no Python at all (a
    script such as bin/activate) cannot start.

    How to fix it:
    Register this Python as a kernel and choose it in the notebook.

    When to ignore it:
    If you do not use notebooks with this environment.

    Sources:
    https://ipython.readthedocs.io/en/stable/install/kernel_install.html
    """
    kernels = interpreter.kernelspecs or ()
    if not kernels or any(kernel.same_interpreter is not False for kernel in kernels):
        return
    broken = [kernel for kernel in kernels if kernel.executable and not is_python(kernel.executable)]
    in_notebook = isinstance(container, Container) and container.notebook == "jupyter"
    name = "gpu-env"
    yield problem(
        f"No Jupyter kernel uses {interpreter.executable}; notebooks run in a different Python.",
        *tuple(seen(f"kernel {kernel.name}", kernel.executable or "not known") for kernel in kernels[:5]),
        subject=interpreter.executable,
        severity="warning" if broken or in_notebook else None,
        fix=Fix(
            "Register this Python as a kernel",
            "safe",
            (
                run(interpreter.executable, "-m", "pip", "install", "ipykernel"),
                run(interpreter.executable, "-m", "ipykernel", "install", "--user", "--name", name),
            ),
            undo=f"jupyter kernelspec uninstall {name}",
        ),
    )


def is_python(program: str) -> bool:
    """A program of a Python: python3.12, pypy, python.exe, a launcher of conda or uv; not a shell script."""
    name = re.split(r"[/\\]", program)[-1].lower()
    return re.match(r"(python|pypy|conda|mamba|micromamba|uv|env|micro)", name) is not None
