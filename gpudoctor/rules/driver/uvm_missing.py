"""DRV009: the driver's memory module nvidia-uvm is missing, and CUDA cannot start without it."""

from gpudoctor.rules._driver_state import failed_with, is_loaded, meant_for_us
from gpudoctor.rules._situation import is_contained, known, wsl_of
from gpudoctor.rules.sections import Container, Driver, Environ, Gap, Gpus
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, Run, answer_seen, by_hand, problem, rule, run, seen

#: NOT_INITIALIZED, OPERATING_SYSTEM, NOT_SUPPORTED, UNKNOWN: what cuInit says when it cannot open the node.
CUDA_CODES = (3, 304, 801, 999)
NO_DEVICE = 100
NOT_HANDED_OVER = "The container was not given /dev/nvidia-uvm, and CUDA cannot start without it."
#: Without compute among them NVIDIA's toolkit hands over no device but the GPUs (libnvidia-container, nvc_mount.c).
CAPABILITIES = "NVIDIA_DRIVER_CAPABILITIES"


@rule("DRV009", name="uvm-missing", severity="error", when="driver.cuda_init.code")
def uvm_missing(
    gpus: Gpus, driver: Driver, container: Container | Gap | None, environ: Environ | Gap | None
) -> Iterator[Problem]:
    """The driver's memory module nvidia-uvm is missing, and CUDA cannot start without it.

    What it means:
    CUDA needs a second kernel module, nvidia_uvm, and its device file /dev/nvidia-uvm. nvidia-smi does not: that is
    why it can look fine while no CUDA program starts.

    Why it breaks:
    Usually the setuid tool nvidia-modprobe loads the module when the first CUDA program starts. It does not where the
    tool is missing, where programs may not gain root's rights, or inside a container, which can only use what its
    engine handed over at the start.

    How to fix it:
    Load the module on the host and create its file; have this done at every start. Then start the container again.

    When to ignore it:
    When CUDA programs work: the module is loaded on demand, so before the first of them its absence means nothing.

    Sources:
    nvidia-modprobe(1); NVIDIA driver README, chapter on the device files
    """
    if not meant_for_us(gpus) or wsl_of(container):
        return
    no_node = driver.device_nodes is not None and driver.node("/dev/nvidia-uvm") is None
    loaded = is_loaded(driver, "nvidia_uvm")
    no_module = loaded is False
    if is_loaded(driver) is not True or not (no_node or no_module) or driver.device_nodes == ():
        return
    # That CUDA finds no device has other causes too, so both must be seen missing.
    none_found = failed_with(driver.cuda_init, NO_DEVICE) and no_node and no_module and not _is_masked(environ)
    if not (failed_with(driver.cuda_init, *CUDA_CODES) or none_found):
        return
    evidence = [answer_seen("The CUDA driver (cuInit)", driver.cuda_init)]
    if no_node:
        evidence.append(seen("/dev/nvidia-uvm", "does not exist"))
    if no_module:
        evidence.append(seen("kernel module nvidia_uvm", "not loaded"))
    yield problem(
        NOT_HANDED_OVER
        if loaded and is_contained(container)
        else "The driver's memory module nvidia-uvm is missing, and CUDA cannot start without it.",
        *tuple(evidence),
        confidence="certain" if no_node else "likely",
        fixes=_fixes(container, loaded=loaded is True),
    )


def _is_masked(environ: Environ | Gap | None) -> bool:
    variables = known(environ)
    return variables is not None and variables.get("CUDA_VISIBLE_DEVICES") is not None


def _fixes(container: Container | Gap | None, *, loaded: bool) -> tuple[Fix, ...]:
    load = run("nvidia-modprobe", "-c", "0", "-u")
    inside = known(container)
    granted = {word.strip() for word in ((inside and inside.nvidia_driver_capabilities) or "").split(",")}
    if inside and is_contained(container) and loaded and not granted & {"compute", "all"}:
        text = f"Start the container again with {CAPABILITIES}=compute,utility (docker run -e), or set it in the image."
        return (by_hand("Ask for the compute capability", text, needs_container=True),)
    if is_contained(container):
        steps: tuple[Run | Ask, ...] = (
            Ask(text="On the host, run: nvidia-modprobe -c 0 -u"),
            Ask(text="Start the container again; with CDI, first regenerate the CDI file (nvidia-ctk cdi generate)."),
        )
        return (by_hand("Load the module on the host", *steps, needs_root=True),)
    lasting = Ask(text="To load it at every boot, add a line nvidia_uvm to a file in /etc/modules-load.d.")
    return (by_hand("Load the module and create its file", load, lasting, needs_root=True),)
