"""SMK028: a CUDA library reports an error."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK028", name="cuda-library-failed", severity="error", since="0.1")
def cuda_library_failed(failed: Failed) -> Said:
    """A CUDA library reports an error.

    What it means:
    CuBLAS, cuSOLVER, cuSPARSE or cuFFT, which calculate on the GPU, could not be started or failed.

    Why it breaks:
    The GPU's memory is full, another release of the library is found first, or an earlier error of the program
    shows here.

    How to fix it:
    Mend what this finding is listed under, where there is one. See with nvidia-smi whether the memory is full. Run
    with CUDA_LAUNCH_BLOCKING=1.

    When to ignore it:
    Never, if the GPU is to be used.

    Sources:
    https://docs.nvidia.com/cuda/cublas/index.html#cublasstatus-t
    """
    return (
        f"A CUDA library fails in {failed.who}{failed.where}: {failed.meaning or failed.first.text}",
        (
            do("See whether the memory is full", "nvidia-smi"),
            do("Find the step that fails", "CUDA_LAUNCH_BLOCKING=1 python your_program.py"),
        ),
    )
