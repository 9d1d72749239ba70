"""SMK014 memory-not-given-back."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.rules.declare import rule
from gpudoctor.rules.live_problem import do, problems


@rule("SMK014", name="memory-not-given-back", severity="warning", since="0.1", when="failure")
def memory_not_given_back(live: Live) -> Iterator[Problem]:
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
    yield from problems(
        live,
        "memory-not-given-back",
        lambda failed: f"{failed.who} did not release the GPU's memory{failed.where}: {failed.first.text}",
        fixes=lambda _: (do("Watch the memory", "watch -n 5 nvidia-smi, while your program runs"),),
    )
