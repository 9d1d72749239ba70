"""SMK019: cuDNN, CUDA's neural network library, failed."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK019", name="cudnn-failed", severity="error", since="0.1")
def cudnn_failed(failed: Failed) -> Said:
    """cuDNN, CUDA's neural network library, failed.

    What it means:
    CuDNN could not be started, is not the one that the framework was built with, or failed while it calculated.

    Why it breaks:
    Another cuDNN is found first (LD_LIBRARY_PATH, a second package), its parts are of different releases, the GPU's
    memory was already full, or this cuDNN does not serve the GPU.

    How to fix it:
    Mend what this finding is listed under, where there is one. See with nvidia-smi whether the memory is full.

    When to ignore it:
    If your network needs no convolutions.

    Sources:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/reference/support-matrix.html
    """
    return (
        f"cuDNN does not work for {failed.who}{failed.where}: {failed.meaning or failed.first.text}",
        (
            do("See which cuDNN is loaded", "gpudoctor check --static --verbose"),
            do("See whether the memory is full", "nvidia-smi"),
        ),
    )
