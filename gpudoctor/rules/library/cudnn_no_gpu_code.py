"""LIB024: the cuDNN that a framework would load has no code for the GPU."""

from gpudoctor.facts.base import Source
from gpudoctor.facts.versions import Capability, LibraryVersion
from gpudoctor.knowledge.matrix.kernels import coverage
from gpudoctor.knowledge.matrix.types import Cudnn
from gpudoctor.plan.cudnn import cudnn_release, newest_cudnn_for
from gpudoctor.plan.places import conda, install, safety, wheel_platform
from gpudoctor.rules._cudnn import LoadedCudnn, loaded_cudnn
from gpudoctor.rules._driver_state import usable
from gpudoctor.rules._gpu_labels import evidence_of, labels_with_capability
from gpudoctor.rules.builds import Service, built_for_cuda, device_code, is_jetson, needed_cudnn
from gpudoctor.rules.sections import Driver, Framework, Frameworks, Gap, Gpus, Libraries, Matrix, Scene, System
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen

#: What a framework is installed as.
FRAMEWORK_OF = {"jax-cuda-plugin": "jax", "jaxlib": "jax"}


@rule(
    "LIB024", name="cudnn-no-gpu-code", severity="error", since="0.2", when="frameworks.found.variant=cuda, gpus.nvidia"
)
def cudnn_no_gpu_code(
    gpus: Gpus, frameworks: Frameworks, libraries: Libraries | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The cuDNN that a framework would load has no code for the GPU.

    What it means:
    The framework itself runs on this GPU, the cuDNN beside it does not. Plain tensor operations work; convolutions and
    other layers that use cuDNN end with CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_EXECUTION_FAILED or "no kernel image
    is available", or become slow.

    Why it breaks:
    cuDNN ends support for old GPUs in minor releases: Kepler with 8.8, Maxwell, Pascal and Volta with 9.11. TensorFlow
    and JAX admit any newer cuDNN, so a fresh install brings the newest; PyTorch pins one, which `pip install --upgrade
    nvidia-cudnn-cu12` or another package replaces.

    How to fix it:
    Install the last cuDNN with code for the GPU: nvidia-cudnn-cu12==9.10.2.21 for Maxwell, Pascal and Volta. Kepler
    needs an older build of the framework. A newer driver does not help.

    When to ignore it:
    If this GPU only drives a display, or the program uses no convolutions and no attention of cuDNN.

    Sources:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/reference/support-matrix.html
    https://github.com/pytorch/pytorch/issues/162574
    """
    for framework in built_for_cuda(frameworks):
        cudnn = loaded_cudnn(framework, libraries, scene.packages, scene.host, matrix)
        if cudnn is None or framework.cuda is None or is_jetson(scene.host):
            continue
        row = cudnn_release(matrix, framework.cuda.major, cudnn.version)
        if row is None or row.min_capability is None:
            continue
        served = _served_by_framework(framework, gpus, scene.host, matrix)
        unserved = [one for one in served if one.capability < row.min_capability]
        if not unserved:
            continue
        only_displays = len(unserved) < len(served) and all(one.gpu.display_active for one in unserved)
        names = labels_with_capability(unserved)
        yield problem(
            f"The cuDNN {cudnn.version} of {framework.label} has no code for {names}.",
            *evidence_of(unserved),
            seen("would load", f"cuDNN {cudnn.version} from {cudnn.where}"),
            seen(
                f"cuDNN {row.cudnn} for CUDA {framework.cuda.major} begins at",
                row.min_capability,
                Source(kind="matrix", where=row.source),
            ),
            subject=framework.label,
            severity="info" if only_displays else "warning" if _cuda_does_not_start(scene.driver) else None,
            confidence=cudnn.confidence,
            fix=_fix(scene, framework, cudnn, min(one.capability for one in unserved), matrix),
        )


def _cuda_does_not_start(driver: Driver | Gap | None) -> bool:
    """What keeps CUDA from starting comes first: no program gets as far as cuDNN."""
    init = driver.cuda_init if isinstance(driver, Driver) else None
    return init is not None and init.code not in (None, 0)


def _served_by_framework(
    framework: Framework, gpus: Gpus, host: System | Gap | None, matrix: Matrix
) -> tuple[Service, ...]:
    """The GPUs that the framework itself has code for, as far as that is known; of others that is the trouble."""
    code = device_code(framework, matrix, host)
    known = ((gpu, matrix.capability(gpu)) for gpu in usable(gpus))
    services = (
        Service(
            gpu=gpu,
            capability=capability,
            coverage=coverage(code.archs, capability, framework.cuda) if code is not None else "native",
        )
        for gpu, capability in known
        if capability is not None
    )
    return tuple(one for one in services if one.coverage != "none")


def _fix(scene: Scene, framework: Framework, cudnn: LoadedCudnn, gpu: Capability, matrix: Matrix) -> Fix:
    major = framework.cuda.major if framework.cuda else 0
    last = _last_for(gpu, major, matrix)
    title = f"Install cuDNN {last}, which has code for this GPU"
    needed = needed_cudnn(framework, matrix, scene.host)
    if last is None or (needed is not None and needed > LibraryVersion(f"{last}.99")):
        # Imported here: most have code for the GPU.
        from gpudoctor.plan.recipes import framework_for_gpus

        return framework_for_gpus(FRAMEWORK_OF.get(framework.name, framework.name), scene, matrix, framework.version)
    if cudnn.origin == "pip" and (pin := _pin(framework, needed, gpu, major, scene, matrix)) is not None:
        steps = install(scene, f"nvidia-cudnn-cu{major}=={pin}")
        return Fix(title, safety(scene), steps)
    if cudnn.origin == "conda":
        return Fix(title, safety(scene), (conda(scene.interpreter, "install", f"cudnn={last}"),))
    text = (
        f"Install cuDNN {last} for CUDA {major} in place of {cudnn.where}, https://developer.nvidia.com/cudnn-archive"
    )
    return by_hand(title, text)


def _last_for(gpu: Capability, major: int, matrix: Matrix) -> str | None:
    """The newest cuDNN minor release with code for a GPU."""
    rows = (row for row in matrix.table("cudnn") if isinstance(row, Cudnn))
    ours = (row for row in rows if any(int(cuda.split(".")[0]) == major for cuda in row.cuda))
    return next((row.cudnn for row in ours if row.min_capability is not None and row.min_capability <= gpu), None)


def _pin(
    framework: Framework, needed: LibraryVersion | None, gpu: Capability, major: int, scene: Scene, matrix: Matrix
) -> str | None:
    """The release to ask for: torch's own, else the newest that serves the GPU."""
    if framework.name == "torch" and needed is not None and needed.text.count(".") == 3:
        return needed.text
    asked = f">={needed.major}.{needed.minor},<{needed.major + 1}" if needed is not None else ">=0"
    return newest_cudnn_for(major, asked, gpu, wheel_platform(scene.host), matrix)
