"""FRM023: the project's lock file pins a CPU-only build of PyTorch."""

from gpudoctor.facts.python import Pin
from gpudoctor.plan.recipes import torch_for_gpus
from gpudoctor.rules.builds import gpu_names, is_jetson
from gpudoctor.rules.sections import Framework, Frameworks, Gpus, Interpreter, Matrix, Package, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, Run, by_hand, problem, rule, run, seen

#: The lock file of each tool that brings an environment back to it.
LOCKS = {"uv": "uv.lock", "poetry": "poetry.lock"}


@rule(
    "FRM023",
    name="torch-cpu-only-lock",
    severity="error",
    when="frameworks.torch.variant=cpu, packages.torch, gpus.nvidia",
)
def torch_cpu_only_lock(
    gpus: Gpus, frameworks: Frameworks, interpreter: Interpreter, packages: Packages, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The project's lock file pins a CPU-only build of PyTorch.

    What it means:
    The packages of this environment come from a lock file, and it resolves torch to the build for the processor on
    this platform. There is an NVIDIA GPU.

    Why it breaks:
    On Windows the package index has only the CPU build, and on all systems an index or an extra of the project
    may choose it. What you install by hand is undone at the next `uv run`, `uv sync` or `poetry install`.

    How to fix it:
    Let the project name PyTorch's index for CUDA, then lock and sync. Where the project has an extra for CUDA, name it
    in each `uv run` and `uv sync`.

    When to ignore it:
    If PyTorch is meant to stay on the processor in this project.

    Sources:
    https://docs.astral.sh/uv/guides/integration/pytorch/
    https://python-poetry.org/docs/repositories/#explicit-package-sources
    """
    torch, package = frameworks.get("torch"), packages.find("torch")
    if torch is None or torch.variant != "cpu" or package is None or not gpus.nvidia or is_jetson(scene.host):
        return
    tool = _tool(package, interpreter)
    pins = [pin for pin in interpreter.pins or () if pin.package == "torch" and pin.is_locked]
    if tool is None or (pins and not any(_is_of_cpu(pin, torch) for pin in pins)):
        return
    yield problem(
        f"{LOCKS[tool]} asks for {torch.label}, a CPU-only build, so it cannot use {gpu_names(gpus)}.",
        seen("PyTorch build", f"{torch.version or 'unknown version'}, no CUDA", torch.source),
        seen("installed by", package.installer or tool),
        *(seen(pin.file, f"torch {pin.wanted}{f' from {pin.index}' if pin.index else ''}") for pin in pins),
        *(() if pins else (seen("lock file", LOCKS[tool]),)),
        subject=torch.label,
        confidence="certain" if pins else "likely",
        fix=_fix(tool, _index(scene, matrix, torch)),
    )


def _tool(package: Package, interpreter: Interpreter) -> str | None:
    """The tool whose lock file lies here, and that installed torch."""
    for tool, lock in LOCKS.items():
        if lock in interpreter.project_files and (package.installer or "").lower().startswith(tool):
            return tool
    return None


def _is_of_cpu(pin: Pin, torch: Framework) -> bool:
    """The lock's entry is the installed build: it says cpu, or it is the plain release that was installed."""
    release = (torch.version or "").partition("+")[0]
    return "+cpu" in pin.wanted or (pin.index or "").endswith("/cpu") or pin.wanted == release


def _index(scene: Scene, matrix: Matrix, torch: Framework) -> str | None:
    """The index of the build that fits, out of the commands that a plain environment would get."""
    steps = torch_for_gpus(scene, matrix, torch.version).steps
    words = [word for step in steps if isinstance(step, Run) for word in step.argv]
    return next((word for word in words if word.startswith("https://download.pytorch.org/whl/")), None)


def _fix(tool: str, index: str | None) -> Fix:
    where = index or "PyTorch's index for your CUDA (https://pytorch.org/get-started/locally/)"
    title = "Name the CUDA build in the project, and lock again"
    if tool == "poetry":
        text = f"Add the source {where} with priority explicit to pyproject.toml, and let torch name it as its source."
        return by_hand(title, text, run("poetry", "lock"), run("poetry", "sync"))
    text = (
        f"If the project has an extra for CUDA: uv sync --extra NAME, and uv run --extra NAME. Else add {where} to "
        "pyproject.toml under [[tool.uv.index]] with explicit = true, and name it for torch under [tool.uv.sources]."
    )
    return by_hand(title, text, run("uv", "lock"), run("uv", "sync"))
