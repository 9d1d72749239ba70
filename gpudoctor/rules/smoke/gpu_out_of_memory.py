"""SMK023: the GPU's memory is full."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK023", name="gpu-out-of-memory", severity="error", since="0.1")
def gpu_out_of_memory(failed: Failed) -> Said:
    """The GPU's memory is full.

    What it means:
    The program asked for memory of the GPU, and there was not enough.

    Why it breaks:
    Another program holds it (one that crashed may still do), the batch or the model is too big, or free memory lies
    in pieces that are too small.

    How to fix it:
    See with nvidia-smi who holds memory, and end those programs. Take smaller batches, half precision, or a GPU
    with more memory.

    When to ignore it:
    If gpudoctor ran while your own program used the GPU.

    Sources:
    https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
    """
    return (
        f"The GPU's memory is full{failed.where}: {_who_asked(failed)}.",
        (
            do("See who holds the memory", "nvidia-smi", "sudo fuser -v /dev/nvidia*"),
            do(
                "Use less",
                "Use smaller batches or half precision (PyTorch: torch.autocast; TensorFlow: mixed_float16).",
            ),
        ),
    )


def _who_asked(failed: Failed) -> str:
    if failed.first.pasted:
        return "the program asked for more than was free"
    return f"{failed.who} could not train even a small network there"
