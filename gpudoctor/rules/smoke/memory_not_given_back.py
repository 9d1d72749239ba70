"""SMK014: GPU memory was not released."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK014", name="memory-not-given-back", severity="warning", since="0.1")
def memory_not_given_back(failed: Failed) -> Said:
    """GPU memory was not released.

    What it means:
    gpudoctor took a known amount of the GPU's memory, gave it back and counted what was still in use.

    Why it breaks:
    The framework's own count is wrong, or something else in the process takes memory of the GPU.

    How to fix it:
    Update the framework. Watch nvidia-smi while your program runs: memory that only grows will be full one day.

    When to ignore it:
    If your programs run for a short time only.

    Sources:
    https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
    """
    return (
        f"{failed.who} did not release the GPU's memory{failed.where}: {failed.first.text}",
        (do("Watch the memory", "watch -n 5 nvidia-smi, while your program runs"),),
    )
