"""SMK018: the GPU reports a hardware error."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK018", name="gpu-hardware-error", severity="error", since="0.1")
def gpu_hardware_error(failed: Failed) -> Said:
    """The GPU reports a hardware error.

    What it means:
    The GPU's memory or a link between GPUs had an error that could not be corrected.

    Why it breaks:
    The hardware ages, is too hot, is badly seated, or is faulty.

    How to fix it:
    End the programs on this GPU and restart the machine. If the error comes back, have the GPU tested and replaced.

    When to ignore it:
    Never: results of this GPU cannot be trusted.

    Sources:
    https://docs.nvidia.com/deploy/gpu-debug-guidelines/index.html
    """
    return (
        f"The GPU reports a hardware error{failed.where}: {failed.meaning or failed.first.text}",
        (do("Look at the counts", "nvidia-smi -q -d ECC,ROW_REMAPPER", "nvidia-smi nvlink -e"),),
    )
