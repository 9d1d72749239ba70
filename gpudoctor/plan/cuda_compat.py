"""NVIDIA's cuda-compat package, which runs a newer CUDA on an older driver of a data-centre GPU.

Source: https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html
"""

from functools import lru_cache

from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.gpus import called
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.machine import Machine


def compat_package(cuda: CudaVersion, machine: Machine, matrix: Matrix) -> str | None:
    """The package that lets the machine's driver run a CUDA of a newer major: cuda-compat-13-0; None: not known to.

    Another minor of the major serves as well: its programs run under minor-version compatibility.
    """
    if machine.driver is None or machine.driver_os != "linux" or not is_data_centre(machine, matrix):
        return None
    return _package(cuda.major, machine.driver, matrix)


@lru_cache(maxsize=1024)
def _package(major: int, driver: DriverRelease, matrix: Matrix) -> str | None:
    for row in matrix.forward_rows():
        if row.cuda.major == major and any(driver.branch == one.branch and driver >= one for one in row.drivers):
            return f"cuda-compat-{row.cuda.major}-{row.cuda.minor}"
    return None


def is_data_centre(machine: Machine, matrix: Matrix) -> bool:
    """Whether every GPU of a machine is known to be a data-centre one."""
    return bool(machine.gpu_names) and all(_is_data_centre(name, matrix) for name in machine.gpu_names)


@lru_cache(maxsize=1024)
def _is_data_centre(name: str, matrix: Matrix) -> bool:
    """By the product's name, or by what people call it ("A100"), if all that are called so are of one kind."""
    exact = matrix.models_by_name(name)
    if exact:
        return any(one.segment == "datacenter" for one in exact)
    models = called(matrix.table("gpus"), name)
    return bool(models) and all(one.segment == "datacenter" for one in models)
