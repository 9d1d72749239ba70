"""DRV014: a forward-compatibility copy of libcuda is in use that does not work with this GPU or driver."""

from gpudoctor.rules._driver_fixes import update_driver
from gpudoctor.rules._driver_state import CUDA_LIBRARY, differ, failed_with
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Driver, DriverLibrary, Gap, Gpu, Gpus, Live, Matrix, Scene
from gpudoctor.rules.terms import Ask, Evidence, Fix, Iterator, Problem, answer_seen, problem, rule, seen

#: SYSTEM_DRIVER_MISMATCH and COMPAT_NOT_SUPPORTED_ON_DEVICE.
MISMATCH, UNSUPPORTED = 803, 804
#: The message of 804, where only a report tells of it.
TOLD = "cuda-compat-unsupported"
NEWER = "at least the branch that the CUDA version of your program came with"


@rule(
    "DRV014",
    name="cuda-compat-unsupported-gpu",
    severity="error",
    when="driver.libraries.compat or driver.cuda_init.code or live.symptoms.signature=cuda-compat-unsupported",
)
def cuda_compat_unsupported_gpu(
    gpus: Gpus, driver: Driver, scene: Scene, live: Live | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """A forward-compatibility copy of libcuda is in use that does not work with this GPU or driver.

    What it means:
    Some images and CUDA installations bring a newer libcuda in a folder named compat (package cuda-compat), so that
    new CUDA programs run on an older driver. That works on data-centre GPUs, on RTX cards of servers that NVIDIA
    certified for it, and on Jetson. On GeForce cards CUDA fails with error 804, "forward compatibility was attempted on
    non supported HW"; with an unsuitable driver with 803. A copy of a branch that no longer serves the GPU (520 and a
    Tesla K80) finds no device at all.

    Why it breaks:
    The compat folder is searched before the place where the host's own libcuda lies.

    How to fix it:
    Update the driver of the host, so that the program needs no compat library. Or use an image of an older CUDA
    version. Or take the compat folder out of LD_LIBRARY_PATH or of /etc/ld.so.conf.d.

    When to ignore it:
    Never: no CUDA program starts in this state.

    Sources:
    CUDA forward compatibility, https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html
    """
    first = driver.library(CUDA_LIBRARY)
    compat = first if first is not None and first.compat else None
    answer = driver.cuda_init
    told = any(one.signature == TOLD for one in pasted(live))
    refused = (
        told or failed_with(answer, UNSUPPORTED) or (failed_with(answer, MISMATCH) and _compat_in_use(driver, compat))
    )
    dropped = (answer is None or not answer.ok) and _serves_none(gpus, compat, matrix)
    unfit = dropped or (_not_asked(driver) and _cannot_work(gpus, driver, compat, matrix))
    if not gpus.nvidia or not (refused or unfit):
        return
    away = "Take the compat folder out of LD_LIBRARY_PATH and of the files in /etc/ld.so.conf.d, then run ldconfig."
    yield problem(
        "A forward-compatibility copy of libcuda is in use that does not work with this GPU or driver.",
        *tuple(_evidence(gpus.nvidia[0], driver, compat, matrix)),
        confidence="certain" if refused else "likely",
        fixes=(
            *(() if dropped else update_driver(scene, NEWER)),
            Fix("Use the driver's own libcuda", "review", (Ask(text=away),)),
        ),
    )


def _compat_in_use(driver: Driver, compat: DriverLibrary | None) -> bool:
    """Error 803 has two causes; this one needs a compat copy on the loader's path."""
    return compat is not None and differ(compat.release, driver.module_release) is not False


def _not_asked(driver: Driver) -> bool:
    return driver.cuda_init is None or driver.cuda_init.outcome == "not-asked"


def _cannot_work(gpus: Gpus, driver: Driver, compat: DriverLibrary | None, matrix: Matrix) -> bool:
    """Nobody asked CUDA, but a newer compat copy is first and every GPU is a GeForce."""
    if compat is None or compat.release is None or driver.module_release is None:
        return False
    return compat.release.branch > driver.module_release.branch and all(_is_geforce(gpu, matrix) for gpu in gpus.nvidia)


def _serves_none(gpus: Gpus, compat: DriverLibrary | None, matrix: Matrix) -> bool:
    """The compat copy is of a branch that no longer serves any of these GPUs: then CUDA finds no device."""
    if compat is None or compat.release is None:
        return False
    branch = compat.release.branch
    known = [capability and matrix.last_driver_branch(capability) for capability in map(matrix.capability, gpus.nvidia)]
    return bool(known) and all(last is not None and last < branch for last in known)


def _is_geforce(gpu: Gpu, matrix: Matrix) -> bool:
    models = matrix.models_by_pci_id(gpu.pci_id) if gpu.pci_id else ()
    models = models or (matrix.models_by_name(gpu.name) if gpu.name else ())
    return bool(models) and all(model.segment == "geforce" for model in models)


def _evidence(gpu: Gpu, driver: Driver, compat: DriverLibrary | None, matrix: Matrix) -> Iterator[Evidence]:
    if driver.cuda_init is not None and not driver.cuda_init.ok and not _not_asked(driver):
        yield answer_seen("The CUDA driver (cuInit)", driver.cuda_init)
    if compat:
        yield seen("libcuda that is loaded", f"{compat.release or 'release not known'} ({compat.path})")
    if driver.module_release:
        yield seen("kernel module", driver.module_release)
    own = matrix.offered_cuda(driver.module_release, "linux") if driver.module_release else None
    if own is not None and driver.cuda is not None and driver.cuda > own:
        yield seen("CUDA version that the driver names", f"{driver.cuda}; this driver's own is {own}")
    yield seen("GPU", gpu.name or gpu.pci_id or "model not known")
