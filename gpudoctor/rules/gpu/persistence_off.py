"""GPU013: persistence mode is off: after a pause, programs wait until the driver has re-initialised the GPU."""

from gpudoctor.rules._situation import is_bare, os_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen


@rule("GPU013", name="persistence-off", severity="info", when="gpus.nvidia.persistence=False")
def persistence_off(gpus: Gpus, driver: Driver, host: System | Gap, container: Container) -> Iterator[Problem]:
    """Persistence mode is off: after a pause, programs wait until the driver has re-initialised the GPU.

    What it means:
    Without a display and without persistence mode, the driver puts the GPU to sleep when the last program ends. The
    next one waits for its start: a second for one GPU, half a minute for eight.

    Why it breaks:
    It is the driver's default. Containers can fail by it: "driver rpc error: timed out".

    How to fix it:
    Let the service nvidia-persistenced run.

    When to ignore it:
    When the wait does not disturb you.

    Sources:
    NVIDIA driver persistence, https://docs.nvidia.com/deploy/driver-persistence/
    """
    off = [gpu for gpu in gpus.nvidia if gpu.persistence is False]
    # A laptop's display hangs on the processor's own graphics, and its GPU is to sleep.
    hybrid = any(gpu.vendor in ("amd", "intel") for gpu in gpus.devices)
    headless = not any(gpu.display_active for gpu in gpus.nvidia) and not hybrid
    told = all(gpu.display_active is False for gpu in gpus.nvidia)
    if not off or not headless or driver.persistence_daemon or not is_bare(container) or os_of(host) != "linux":
        return
    toolkit = container.tools is not None and bool(container.tools.nvidia_toolkit)
    start = run("systemctl", "enable", "--now", "nvidia-persistenced")
    yield problem(
        "Persistence mode is off, so after a pause programs wait until the GPU is initialised again.",
        seen("GPUs without persistence mode", f"{len(off)} of {len(gpus.nvidia)}"),
        seen("display", "none in use" if told else "not told"),
        severity="warning" if toolkit and len(gpus.nvidia) > 1 else None,
        confidence="certain" if told else "possible",
        fix=by_hand("Keep the driver awake", start, needs_root=True),
    )
