"""SMK016: GPU code failed while it ran."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK016", name="cuda-program-error", severity="error", since="0.1")
def cuda_program_error(failed: Failed) -> Said:
    """GPU code failed while it ran.

    What it means:
    CUDA started, and a piece of GPU code ended with an error. After such an error the whole process cannot use the
    GPU any more, so later messages say little.

    Why it breaks:
    In your own program: mostly an index or a label out of range, or a fault in GPU code of an extension. In
    gpudoctor's own small network: an unstable or faulty GPU, or a mix of CUDA libraries.

    How to fix it:
    Run your program with CUDA_LAUNCH_BLOCKING=1: the error then stands where it arises. If gpudoctor's own training
    fails so, take away overclocking, look at temperature and memory errors, and try another program.

    When to ignore it:
    Never, if the GPU is to be used.

    Sources:
    https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html
    """
    return (
        f"GPU code of {failed.who} failed{failed.where}: {failed.first.text}",
        (
            do("Find the step that fails", "CUDA_LAUNCH_BLOCKING=1 python your_program.py"),
            do("Check the GPU itself", "sudo dmesg | grep -i xid", "nvidia-smi -q -d TEMPERATURE,ECC"),
        ),
    )
