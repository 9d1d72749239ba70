"""SMK017: CUDA cannot be initialised, or rejects this program."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK017", name="cuda-start-failed", severity="error", since="0.1")
def cuda_start_failed(failed: Failed) -> Said:
    """CUDA cannot be initialised, or rejects this program.

    What it means:
    The framework asked CUDA for the GPU, and CUDA refused. The message below says how.

    Why it breaks:
    Mostly the driver is the cause: none, too old, not loaded, another release than its kernel module, without its
    memory module, or not permitted in this container. Or the program may see no GPU.

    How to fix it:
    Mend what this finding is listed under, where there is one. Else follow the question below, which decides
    between the causes.

    When to ignore it:
    If you do not mean to use the GPU.

    Sources:
    https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html
    """
    return (
        f"CUDA does not start for {failed.who}: {failed.meaning or failed.first.text}",
        (do("Ask the driver itself", "gpudoctor check --static", "nvidia-smi"),),
    )
