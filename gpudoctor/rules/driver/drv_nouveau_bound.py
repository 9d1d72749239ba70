"""DRV004: the open-source driver nouveau holds the GPU, so NVIDIA's driver cannot use it."""

from gpudoctor.rules._driver_fixes import install_driver, keep_nouveau_out
from gpudoctor.rules._driver_state import is_installed, is_loaded
from gpudoctor.rules._situation import is_contained, known, wsl_of
from gpudoctor.rules.sections import Gap, Gpus, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, gpu_seen, problem, rule, seen

FREE_DRIVERS = ("nouveau", "nova", "nova_core", "NovaCore")


@rule(
    "DRV004",
    name="drv-nouveau-bound",
    severity="error",
    when="gpus.nvidia.bound_driver=nouveau|nova|nova_core|NovaCore",
)
def drv_nouveau_bound(gpus: Gpus, scene: Scene) -> Iterator[Problem]:
    """The open-source driver nouveau holds the GPU, so NVIDIA's driver cannot use it.

    What it means:
    Linux brings its own driver for NVIDIA cards, nouveau, and lately a successor, nova. They can show pictures at most,
    but they cannot run CUDA. While one holds the card, NVIDIA's driver cannot take it.

    Why it breaks:
    Either NVIDIA's driver is not installed, or it is installed and nouveau was started first because it is not on the
    kernel's list of modules to leave alone (the blacklist), or the start image was not rebuilt after that.

    How to fix it:
    Install NVIDIA's driver; the distribution's packages also put nouveau on the blacklist. If the driver is installed,
    add the blacklist yourself, rebuild the start image and restart.

    When to ignore it:
    When this card is only there for the display and another one computes.

    Sources:
    NVIDIA driver installation guide, section on disabling Nouveau,
    https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/; for nova
    https://github.com/beclab/Olares/pull/3963
    """
    held = [gpu for gpu in gpus.nvidia if gpu.bound_driver in FREE_DRIVERS]
    if not held or wsl_of(scene.container):
        return
    works = any(gpu.is_listed for gpu in gpus.nvidia)
    state = known(scene.driver)
    installed = is_installed(state) if not isinstance(scene.driver, Gap) else None
    evidence = [gpu_seen(gpu) for gpu in held]
    if state and state.blacklisted is not None:
        evidence.append(seen("nouveau on the blacklist", "yes" if "nouveau" in state.blacklisted else "no"))
    evidence.append(seen("NVIDIA driver", {True: "installed", False: "not installed", None: "not known"}[installed]))
    yield problem(
        f"The open-source driver {held[0].bound_driver} holds the GPU, but CUDA needs NVIDIA's own driver.",
        *tuple(evidence),
        subject=held[0].label if works else None,
        severity="warning" if works else "error",
        not_leading_to=("drv-absent", "laptop-gpu-off") if works and is_loaded(state) else (),
        fixes=_fixes(scene, held[0].bound_driver, installed=bool(installed)),
    )


def _fixes(scene: Scene, held_by: str | None, *, installed: bool) -> tuple[Fix, ...]:
    if not installed or is_contained(scene.container):
        return install_driver(scene)
    return (keep_nouveau_out(scene, held_by),)
