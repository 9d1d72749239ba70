"""FRM006: TensorFlow has no GPU support on native Windows since release 2.11."""

import shlex

from msgspec.structs import replace

from gpudoctor.facts.fix import Run
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.recipes import tensorflow_for_gpus
from gpudoctor.rules._situation import wsl_of
from gpudoctor.rules.builds import gpu_names, release_numbers
from gpudoctor.rules.sections import Frameworks, Gpus, Matrix, Scene, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen

#: The last release with a GPU build for native Windows is 2.10.
FIRST_WITHOUT_GPU = numbers_of("tensorflow-without-windows-gpu")
#: The newest GPUs that its code for compute capability 8.0 runs on.
NEWEST = Capability("8.9")
STAY = by_hand(
    "Stay on Windows, with TensorFlow 2.10",
    "conda create --name tf210 --channel conda-forge python=3.10 cudatoolkit=11.2 cudnn=8.1.0",
    'In that environment: python -m pip install "tensorflow<2.11" "numpy<2"',
)


@rule("FRM006", name="tf-windows-native", severity="error")
def tf_windows_native(
    gpus: Gpus, frameworks: Frameworks, host: System, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """TensorFlow has no GPU support on native Windows since release 2.11.

    What it means:
    The TensorFlow packages for Windows run on the processor only. No driver, CUDA toolkit or cuDNN changes that.

    Why it breaks:
    TensorFlow 2.10 was the last release with a GPU build for native Windows. Since then the GPU is reached through
    WSL2, a Linux inside Windows that shares the Windows driver.

    How to fix it:
    Install WSL2, and TensorFlow inside it with `pip install "tensorflow[and-cuda]!=2.21.0"`; install no driver inside
    WSL2. Or stay on Windows with TensorFlow 2.10, Python 3.10 or older, CUDA 11.2 and cuDNN 8.1. Or use PyTorch,
    which has GPU builds for Windows.

    When to ignore it:
    If TensorFlow on the processor is enough, or you use the tensorflow-directml plugin.

    Sources:
    https://www.tensorflow.org/install/pip#windows-native
    https://www.tensorflow.org/install/source_windows
    """
    tensorflow = frameworks.get("tensorflow")
    if host.os != "windows" or wsl_of(scene.container) is not None or not gpus.nvidia or tensorflow is None:
        return
    numbers = release_numbers(tensorflow.version)
    if numbers is None or numbers < FIRST_WITHOUT_GPU:
        return
    yield problem(
        f"{tensorflow.label} cannot use {gpu_names(gpus)}: TensorFlow has no GPU build for native Windows.",
        seen("operating system", host.pretty_name or "Windows"),
        seen("TensorFlow", f"{tensorflow.version}; the last with a GPU build for Windows is 2.10", tensorflow.source),
        subject=tensorflow.label,
        fixes=(
            by_hand(
                "Use TensorFlow inside WSL2",
                run("wsl", "--install"),
                f"In the Linux that this installs, make a virtual environment and run: {_in_linux(scene, matrix)}. "
                "Install no NVIDIA driver there.",
                needs_root=True,
                needs_reboot=True,
            ),
            *(() if _too_new(gpus, matrix) else (STAY,)),
        ),
    )


def _in_linux(scene: Scene, matrix: Matrix) -> str:
    """What installs a TensorFlow there that has code for the GPUs."""
    there = replace(scene, host=System(os="linux", arch="x86_64"), interpreter=None, packages=None)
    steps = [one for one in tensorflow_for_gpus(there, matrix).steps if isinstance(one, Run)]
    lines = [shlex.join(("python3", *one.argv[1:])) for one in steps if "install" in one.argv]
    return "; ".join(lines) or 'python3 -m pip install "tensorflow[and-cuda]!=2.21.0"'


def _too_new(gpus: Gpus, matrix: Matrix) -> bool:
    """CUDA 11.2 has no code for one of the GPUs, and none is known to start from what it has."""
    return any((matrix.capability(gpu) or NEWEST) > NEWEST for gpu in gpus.nvidia)
