"""SMK007: the machine ran out of RAM, shared memory or disk space."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK007", name="run-out-of-memory", severity="error", since="0.1")
def run_out_of_memory(failed: Failed) -> Said:
    """The machine ran out of RAM, shared memory or disk space.

    What it means:
    The step needed more main memory, shared memory (/dev/shm) or disk space than there was.

    Why it breaks:
    Other programs use it, the container or the job has a small limit, or the data or the model is too big for this
    machine.

    How to fix it:
    End other programs, raise the limit of the container or job (docker run --shm-size=8g, sbatch --mem), free space
    on the disk, or take smaller batches and fewer worker processes.

    When to ignore it:
    If this step was started beside others that you do not run at the same time.

    Sources:
    https://docs.docker.com/engine/containers/resource_constraints/
    """
    return (
        _says(failed),
        (
            do(
                "Make room",
                "See what there is: free -h; df -h /dev/shm /tmp .",
                "End other programs, raise the memory limit of the container or job, or take smaller batches.",
            ),
        ),
    )


def _says(failed: Failed) -> str:
    if failed.meaning:
        return failed.meaning
    return f"{failed.who} needed more memory in the step {failed.stage} than this machine has."
