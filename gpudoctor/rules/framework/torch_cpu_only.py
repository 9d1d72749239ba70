"""FRM001: a CPU-only PyTorch is installed, which uses no GPU."""

from gpudoctor.plan.recipes import torch_for_gpus
from gpudoctor.rules.builds import gpu_names, is_conda, is_jetson
from gpudoctor.rules.sections import Frameworks, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule("FRM001", name="torch-cpu-only", severity="error", when="frameworks.torch.variant=cpu, gpus.nvidia")
def torch_cpu_only(gpus: Gpus, frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """A CPU-only PyTorch is installed, which uses no GPU.

    What it means:
    The machine has an NVIDIA GPU, but the PyTorch in this environment contains no CUDA code. It cannot use the GPU,
    whatever driver or CUDA toolkit you install. `torch.cuda.is_available()` returns False.

    Why it breaks:
    PyTorch comes in several builds of the same release: one for the processor, and one for each supported CUDA
    version. On Windows, and before release 2.11 on ARM Linux, a plain `pip install torch` gives the CPU build.
    A mirror, a lock file or `--index-url .../whl/cpu` gives it on Linux too.

    How to fix it:
    Remove torch and its companions, then install the build for a CUDA version that fits this GPU and driver, from
    PyTorch's own index. `gpudoctor check` prints the commands. Installing a CUDA toolkit does not help: the build
    brings its own CUDA.

    When to ignore it:
    If you want PyTorch to stay on the processor here, for example because another framework uses the GPU.

    Sources:
    https://pytorch.org/get-started/locally/
    https://pytorch.org/get-started/previous-versions/
    """
    torch = frameworks.get("torch")
    if torch is None or torch.variant != "cpu" or not gpus.nvidia or is_jetson(scene.host):
        return
    if is_conda(scene.packages, "torch", "pytorch"):
        return
    yield problem(
        f"{torch.label} is a CPU-only build, so it cannot use {gpu_names(gpus)}.",
        seen("PyTorch build", f"{torch.version or 'unknown version'}, no CUDA", torch.source),
        *(seen("GPU", gpu.label, gpu.source) for gpu in gpus.nvidia),
        subject=torch.label,
        fix=torch_for_gpus(scene, matrix, torch.version),
    )
