"""The driver that a build's PTX or CUDA needs, and the newest CUDA that this driver supports."""

from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.types import DriverFloor, Os
from gpudoctor.rules.builds import device_code, services
from gpudoctor.rules.sections import Driver, DriverLibrary, Framework, Gap, Gpus, Matrix, System


def forward_library(driver: Driver) -> DriverLibrary | None:
    """The forward-compatibility libcuda, where the loader takes that one: the kernel driver's release says little."""
    library = driver.library("libcuda.so.1")
    return library if library is not None and library.compat else None


def offered_cuda(driver: Driver, matrix: Matrix, os: Os) -> CudaVersion | None:
    """The newest CUDA that the driver serves in full: as it says, else by its release."""
    if driver.cuda is not None:
        return driver.cuda
    return matrix.offered_cuda(driver.release, os) if driver.release is not None else None


def floor_of_ptx(
    framework: Framework, gpus: Gpus, driver: Driver, matrix: Matrix, host: System | Gap | None, os: Os
) -> DriverFloor | None:
    """The driver needed to compile a build's PTX, where a GPU depends on that and this driver is older.

    PTX of a newer CUDA than the driver's cannot be compiled by it (CUDA_ERROR_UNSUPPORTED_PTX_VERSION); minor-version
    compatibility does not cover it. Source: docs.nvidia.com/deploy/cuda-compatibility.
    """
    code = device_code(framework, matrix, host)
    offered = offered_cuda(driver, matrix, os)
    if code is None or offered is None or framework.cuda is None or offered >= framework.cuda:
        return None
    if all(service.coverage != "ptx" for service in services(code, framework.cuda, gpus, matrix)):
        return None
    return matrix.toolkit_floor(framework.cuda, os)


def can_take(gpus: Gpus | Gap | None, branch: int, matrix: Matrix) -> bool:
    """No GPU of the machine is known to be dropped by a driver branch."""
    if not isinstance(gpus, Gpus):
        return True
    for gpu in gpus.nvidia:
        capability = matrix.capability(gpu)
        if capability is not None:
            lasts = [matrix.last_driver_branch(capability)]
        else:
            # Several models bear that name.
            lasts = [one.last_branch for one in matrix.models_by_name(gpu.name or "")]
        if lasts and all(last is not None and last < branch for last in lasts):
            return False
    return True
