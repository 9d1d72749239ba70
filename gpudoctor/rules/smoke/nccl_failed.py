"""SMK021 nccl-failed."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.rules.declare import rule
from gpudoctor.rules.live_problem import do, problems


@rule("SMK021", name="nccl-failed", severity="error", since="0.1", when="failure")
def nccl_failed(live: Live) -> Iterator[Problem]:
    """Several GPUs do not work together.

    What it means:
    NCCL, which moves numbers between GPUs, failed or did not end, though each GPU may work alone.

    Why it breaks:
    Too little shared memory, direct copies that the machine's settings break, a firewall or the wrong network
    between machines, or another process that failed first.

    How to fix it:
    Mend what this finding is listed under, where there is one. Run once with NCCL_DEBUG=INFO, and once with
    NCCL_P2P_DISABLE=1: if the second works, direct copies are the cause.

    When to ignore it:
    If you use one GPU at a time.

    Sources:
    https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html
    """
    yield from problems(
        live,
        "nccl-failed",
        lambda failed: (
            f"Several GPUs do not work together in {failed.who}{failed.where}: {failed.meaning or failed.first.text}"
        ),
        fixes=lambda _: (
            do("Learn more from NCCL", "NCCL_DEBUG=INFO python your_program.py"),
            do("Try without direct copies", "NCCL_P2P_DISABLE=1 python your_program.py"),
            do("See the shared memory", "df -h /dev/shm"),
        ),
    )
