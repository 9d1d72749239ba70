"""DRV001: no NVIDIA driver is installed."""

from gpudoctor.rules._driver_fixes import install_driver
from gpudoctor.rules._driver_state import architecture_of, discrete, is_installed
from gpudoctor.rules._situation import is_contained, wsl_of
from gpudoctor.rules.sections import Driver, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, gpu_seen, problem, rule, seen


@rule(
    "DRV001",
    name="drv-absent",
    severity="error",
    when="gpus.nvidia, not driver.module_release, not driver or known driver.module_files",
)
def drv_absent(gpus: Gpus, driver: Driver | None, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """No NVIDIA driver is installed.

    What it means:
    The computer has an NVIDIA graphics card, but the software that lets programs use it is missing.

    Why it breaks:
    PyTorch, TensorFlow and every other CUDA program reach the GPU only through NVIDIA's driver: a kernel module, and
    the libraries libcuda and libnvidia-ml. A CUDA toolkit or the CUDA parts of a Python package do not contain it.

    How to fix it:
    Install the driver that your distribution offers for this card and restart. Do not install it inside a container or
    inside WSL: there the driver of the host (or of Windows) is used.

    When to ignore it:
    When you do not want to use this GPU for computing.

    Sources:
    NVIDIA driver installation guide, https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/
    """
    found = discrete(gpus)
    if not found or is_contained(scene.container) or wsl_of(scene.container) or is_installed(driver) is not False:
        return
    architectures = [architecture_of(gpu, matrix) for gpu in found]
    needs_open = any(one is not None and one.kernel_module == "open" for one in architectures)
    yield problem(
        "No NVIDIA driver is installed, so no program can use the NVIDIA GPU.",
        *(gpu_seen(gpu) for gpu in found),
        seen("NVIDIA kernel module", "not loaded, and no file of it on disk"),
        seen("NVIDIA driver libraries", "none found"),
        fixes=install_driver(scene, needs_open=needs_open),
    )
