"""SMK021: several GPUs do not work together."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK021", name="nccl-failed", severity="error", since="0.1")
def nccl_failed(failed: Failed) -> Said:
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
    return (
        f"Several GPUs do not work together in {failed.who}{failed.where}: {failed.meaning or failed.first.text}",
        (
            do("Learn more from NCCL", "NCCL_DEBUG=INFO python your_program.py"),
            do("Try without direct copies", "NCCL_P2P_DISABLE=1 python your_program.py"),
            do("See the shared memory", "df -h /dev/shm"),
        ),
    )
