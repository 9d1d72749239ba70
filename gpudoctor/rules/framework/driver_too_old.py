"""FRM016: the NVIDIA driver is too old for an installed framework."""

from msgspec.structs import replace

from gpudoctor.knowledge.matrix.types import DriverFloor, Os
from gpudoctor.plan.places import nvidia_gpus
from gpudoctor.rules._driver_floor import can_take, floor_of_ptx, forward_library, offered_cuda
from gpudoctor.rules._situation import known, slurm_of
from gpudoctor.rules.builds import built_for_cuda, driver_os, is_jetson
from gpudoctor.rules.sections import Driver, Framework, Frameworks, Gap, Gpus, Matrix, Scene, System
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen

#: Branches of drivers for PCs have three digits, those of L4T two.
OLDEST_BRANCH = 100


@rule("FRM016", name="driver-too-old", severity="error", when="frameworks.found.variant=cuda, gpus.nvidia")
def driver_too_old(
    gpus: Gpus, driver: Driver, frameworks: Frameworks, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The NVIDIA driver is too old for an installed framework.

    What it means:
    The framework was built with a CUDA version that this driver cannot serve. PyTorch then says "The NVIDIA driver on
    your system is too old"; TensorFlow says "CUDA driver version is insufficient for CUDA runtime version".

    Why it breaks:
    A driver serves every program of its own CUDA major version, and of older ones. For each major version there is an
    oldest driver: 450.80.02 for CUDA 11, 525.60.13 for CUDA 12, 580.65.06 for CUDA 13 (Linux). Programs built with a
    newer minor version run too, so CUDA 12.4 runs on driver 535. The exception is code that must be compiled at the
    start (PTX): that needs a driver at least as new as the CUDA that made it.

    How to fix it:
    Update the driver. Where that is not allowed or the GPU is too old for it, install a build that this driver serves.
    On data-centre GPUs NVIDIA's package cuda-compat puts a newer libcuda beside an older driver.
    The "CUDA Version" that nvidia-smi shows is what the driver offers; no toolkit of that version need be installed.

    When to ignore it:
    Never, if this framework is to use the GPU.

    Sources:
    https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
    https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html
    https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
    """
    known = driver_os(scene.host, scene.container)
    systems = (known,) if known else _either_system(scene.host, driver)
    if not systems or not gpus.nvidia or forward_library(driver) is not None:
        return
    for framework in built_for_cuda(frameworks):
        # Where the system was not seen, the driver is too old if it is for both.
        floors = [floor for os in systems if (floor := _unmet_family(framework, driver, matrix, os, scene.host))]
        needs_ptx = len(floors) < len(systems)
        if needs_ptx:
            floors = [
                floor for os in systems if (floor := floor_of_ptx(framework, gpus, driver, matrix, scene.host, os))
            ]
        if len(floors) < len(systems):
            continue
        floor = min(floors, key=lambda one: one.release)
        yield problem(
            _summary(framework, driver, floor, needs_ptx=needs_ptx),
            seen("driver", driver.release or f"offers CUDA {driver.cuda}", driver.source),
            seen(f"{framework.label} was built with CUDA", framework.cuda, framework.source),
            seen(f"oldest driver for that ({known or 'whatever the system'})", floor.release),
            subject=framework.label,
            confidence="certain" if known else "likely",
            fixes=_fixes(scene, matrix, framework, floor),
        )


def _either_system(host: System | Gap | None, driver: Driver) -> tuple[Os, ...]:
    """Both, where the system was not seen; none for the driver of a Jetson, which counts as its system does (36.4)."""
    is_of_a_jetson = driver.release is not None and driver.release.branch < OLDEST_BRANCH
    return ("linux", "windows") if isinstance(host, Gap) and not is_of_a_jetson else ()


def _unmet_family(
    framework: Framework, driver: Driver, matrix: Matrix, os: Os, host: System | Gap | None
) -> DriverFloor | None:
    """The floor of the build's CUDA family where the driver is below it; None where it is met or not known.

    The driver of a Jetson is part of its system, L4T, and counts differently (32.3.1).
    """
    if framework.cuda is None:
        return None
    floor = matrix.family_floor(framework.cuda, os)
    if floor is None:
        return None
    if driver.release is not None and not is_jetson(host):
        return floor if driver.release < floor.release else None
    offered = offered_cuda(driver, matrix, os)
    return floor if offered is not None and offered.major < framework.cuda.major else None


def _summary(framework: Framework, driver: Driver, floor: DriverFloor, *, needs_ptx: bool) -> str:
    has = f"driver {driver.release}" if driver.release else f"a driver that offers CUDA {driver.cuda}"
    need = f"{floor.release} or newer"
    if needs_ptx:
        return (
            f"{framework.label} has only PTX for this GPU, made by CUDA {framework.cuda}; the driver must compile it, "
            f"and for that it must be {need}. This machine has {has}."
        )
    return f"{framework.label} needs a driver of release {need}; this machine has {has}."


def _fixes(scene: Scene, matrix: Matrix, framework: Framework, floor: DriverFloor) -> tuple[Fix, ...]:
    # Imported here: most drivers are new enough.
    from gpudoctor.plan.recipes import framework_for_gpus
    from gpudoctor.rules._driver_fixes import update_driver

    other_build = framework_for_gpus(framework.name, scene, matrix, framework.version)
    if not can_take(scene.gpus, floor.release.branch, matrix):
        return (other_build,)
    update = update_driver(scene, f"release {floor.release} or newer")
    is_theirs = _is_of_a_cluster(scene) and other_build.safety != "manual"
    first = (other_build, *update) if is_theirs else (*update, other_build)
    return (*first, *_forward_compatibility(scene, matrix, framework))


def _is_of_a_cluster(scene: Scene) -> bool:
    """A user's job: the driver of its node is not theirs to change."""
    slurm, host = slurm_of(scene.container), known(scene.host)
    return slurm is not None and slurm.in_job and host is not None and host.is_root is False


def _forward_compatibility(scene: Scene, matrix: Matrix, framework: Framework) -> tuple[Fix, ...]:
    """The package that data centres use where the driver must stay: a newer libcuda beside it."""
    from gpudoctor.plan.cuda_compat import compat_package
    from gpudoctor.plan.this_machine import machine_here

    names = tuple(gpu.name or "" for gpu in nvidia_gpus(scene))
    machine = replace(machine_here(scene, matrix), gpu_names=names)
    package = compat_package(framework.cuda, machine, matrix) if framework.cuda else None
    if package is None:
        return ()
    folder = f"/usr/local/cuda-{package.removeprefix('cuda-compat-').replace('-', '.')}/compat"
    text = (
        f"Install {package} from NVIDIA's repository where the program runs (inside its container, if it has one) and "
        f"put {folder} first in LD_LIBRARY_PATH. The driver stays; this works on data-centre GPUs."
    )
    return (by_hand(f"Install {package}", text, needs_root=True),)
