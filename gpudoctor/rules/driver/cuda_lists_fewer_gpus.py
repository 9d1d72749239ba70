"""DRV030: the CUDA driver offers fewer GPUs than the machine has, though no variable hides any."""

from gpudoctor.rules._driver_fixes import REBOOT
from gpudoctor.rules._driver_state import log_lines
from gpudoctor.rules.sections import Driver, Environ, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, log_seen, problem, rule, run, seen, variable_seen
from gpudoctor.rules.visible_devices import MASK, disagreement


@rule(
    "DRV030",
    name="cuda-lists-fewer-gpus",
    severity="error",
    when="driver.nvml.device_count, driver.cuda_init.device_count",
)
def cuda_lists_fewer_gpus(gpus: Gpus, driver: Driver, environ: Environ) -> Iterator[Problem]:
    """The CUDA driver offers fewer GPUs than the machine has, though no variable hides any.

    What it means:
    nvidia-smi and NVML count all GPUs; CUDA programs see fewer of them. CUDA_VISIBLE_DEVICES, which may hide GPUs, does
    not explain it.

    Why it breaks:
    A GPU that is in a bad state, or whose memory regions the firmware did not map, still answers NVML and cannot start
    CUDA. Or libcuda is another copy than the driver's, in LD_LIBRARY_PATH or a container, and does not know the GPU.

    How to fix it:
    Look for NVRM lines about the missing GPU in the kernel log. Restart the machine. If the GPU stays away, check that
    libcuda is the driver's own.

    When to ignore it:
    When the GPUs that CUDA shows are all you want to use.

    Sources:
    cuDeviceGetCount in the CUDA driver API reference, https://docs.nvidia.com/cuda/cuda-driver-api/;
    nvmlDeviceGetCount_v2 in the NVML API reference, https://docs.nvidia.com/deploy/nvml-api/
    """
    counts = disagreement(gpus, driver, environ)
    # CUDA that lists none at all is DRV013.
    if counts is None or not counts.sure or not 0 < counts.cuda < counts.shown:
        return
    yield problem(
        f"NVML counts {counts.nvml} GPUs, but the CUDA driver offers only {counts.cuda}.",
        seen("GPUs that NVML counts", counts.nvml),
        seen("GPUs that the CUDA driver lists", counts.cuda),
        *variable_seen(MASK, environ),
        *log_seen(log_lines(driver, "NVRM")),
        fixes=(
            by_hand(
                "Find out which GPU is missing, and why",
                run("dmesg"),
                "Look for lines with NVRM or Xid, and for the address of a GPU that CUDA does not list.",
                needs_root=True,
            ),
            REBOOT,
        ),
    )
