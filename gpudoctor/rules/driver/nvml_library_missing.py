"""DRV019: the driver's libraries cannot be loaded, although the machine has a GPU."""

from gpudoctor.rules._driver_fixes import install_driver
from gpudoctor.rules._driver_state import CUDA_LIBRARY, NVML_LIBRARY, discrete, is_loaded, meant_for_us
from gpudoctor.rules._situation import is_contained, known, wsl_of
from gpudoctor.rules.builds import is_jetson
from gpudoctor.rules.sections import Answer, Driver, DriverLibrary, Gap, Gpus, Scene, System
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, answer_seen, by_hand, problem, rule, run, seen


@rule(
    "DRV019",
    name="nvml-library-missing",
    severity="error",
    when="driver.nvml.outcome=no-library or driver.cuda_init.outcome=no-library",
)
def nvml_library_missing(gpus: Gpus, driver: Driver, host: System | Gap, scene: Scene) -> Iterator[Problem]:
    """The driver's libraries cannot be loaded, although the machine has a GPU.

    What it means:
    Beside its kernel module the driver has libraries: libcuda for CUDA programs, libnvidia-ml for looking after the
    GPU. The system's loader finds one of them nowhere, or finds a file that it cannot load.

    Why it breaks:
    Only a part of the driver was installed (Debian and Ubuntu split it into packages), the loader's cache is old, a
    library file is empty, or a container was started without them.

    How to fix it:
    Install the whole driver; then run ldconfig. In a container, start it with GPU access and do not install a driver.

    When to ignore it:
    When this machine only shows pictures with its GPU.

    Sources:
    NVML API reference, NVML_ERROR_LIBRARY_NOT_FOUND, https://docs.nvidia.com/deploy/nvml-api/;
    https://packages.debian.org/bookworm/libcuda1 (libcuda is a package of its own)
    """
    missing = [name for name, answer in _asked(driver) if answer is not None and answer.outcome == "no-library"]
    if not discrete(gpus) or is_jetson(host):  # a Jetson has no NVML before JetPack 6
        missing = [name for name in missing if name != NVML_LIBRARY]
    cuda_works = driver.cuda_init is not None and driver.cuda_init.ok
    if not meant_for_us(gpus) or wsl_of(scene.container) or is_loaded(driver) is False or not missing:
        return
    copies = [one for one in driver.libraries or () if one.name in missing and not one.stub]
    yield problem(
        f"The machine has a GPU, but the driver's {' and '.join(missing)} cannot be loaded.",
        *tuple(_evidence(driver, missing, copies)),
        # CUDA programs run; nvidia-smi and tools that watch the GPU do not.
        severity="warning" if cuda_works else None,
        fixes=_fixes(scene, copies, lacks_cuda=missing == [CUDA_LIBRARY] and not copies),
    )


def _asked(driver: Driver) -> tuple[tuple[str, Answer | None], ...]:
    return ((NVML_LIBRARY, driver.nvml), (CUDA_LIBRARY, driver.cuda_init))


def _evidence(driver: Driver, missing: list[str], copies: list[DriverLibrary]) -> Iterator[Evidence]:
    for name, answer in _asked(driver):
        if name in missing:
            yield answer_seen(f"Loading {name}", answer)
    for copy in copies:
        size = "an empty file" if copy.size == 0 else "a file the loader does not take"
        yield seen(copy.path, size)
    if driver.module_release:
        yield seen("loaded kernel module", driver.module_release)


def _fixes(scene: Scene, copies: list[DriverLibrary], *, lacks_cuda: bool) -> tuple[Fix, ...]:
    if is_contained(scene.container):
        text = "Start the container with GPU access (docker run --gpus all), so that the host's libraries come along."
        return (by_hand("Start the container with GPU access", text),)
    if any(copy.size == 0 for copy in copies):
        text = "Remove the empty file named above, install the driver's libraries again, and run ldconfig."
        return (by_hand("Replace the empty file", text, needs_root=True),)
    machine = known(scene.host)
    if lacks_cuda and machine and machine.distribution == "debian":
        libraries = run("apt", "install", "libcuda1")
        return (by_hand("Install the driver's CUDA library", libraries, needs_root=True),)
    return install_driver(scene)
