"""BOX006: the Slurm job was given no GPU, or this is a login node."""

from gpudoctor.facts.system import Slurm
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Container, Driver, Environ, Gap, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen

#: What Slurm writes into CUDA_VISIBLE_DEVICES for a job without GPUs.
NOT_GIVEN = "NoDevFiles"


@rule("BOX006", name="slurm-no-gpu", severity="error", when="container.slurm")
def slurm_no_gpu(
    gpus: Gpus | None, container: Container, environ: Environ | Gap | None, driver: Driver | Gap | None
) -> Iterator[Problem]:
    """The Slurm job was given no GPU, or this is a login node.

    What it means:
    On a cluster with Slurm a job sees only the GPUs it asked for. Login nodes mostly have none. The batch shell, a step
    started with srun, and the login node can each see different GPUs.

    Why it breaks:
    The job was started without --gres=gpu or --gpus, or a step of it did not ask. Slurm then hides the device files.
    Where only the step has none, this is a warning: the job's own GPUs are there for it to take.

    How to fix it:
    Ask for a GPU, and run gpudoctor inside that job: srun --gpus 1 gpudoctor check.

    When to ignore it:
    When this job is meant to run on the processor.

    Sources:
    Slurm, generic resources (GRES), https://slurm.schedmd.com/gres.html; SLURM_JOB_GPUS and SLURM_STEP_GPUS,
    https://slurm.schedmd.com/srun.html
    """
    slurm = container.slurm
    variables = known(environ)
    mask = variables.get("CUDA_VISIBLE_DEVICES") if variables else None
    # Where the device files are not hidden, Slurm only says so.
    is_listed = gpus is not None and any(gpu.is_listed for gpu in gpus.nvidia) and mask != NOT_GIVEN
    if slurm is None or is_listed:
        return
    left_out = _is_left_out(slurm)
    if slurm.in_job and not left_out and (_given(slurm) or mask not in (None, "", NOT_GIVEN, "-1")):
        return
    there = bool(gpus and gpus.nvidia)
    if not slurm.in_job and there:
        return
    expected = there or (slurm.in_job and _serves(driver))
    yield problem(
        _summary(slurm),
        seen("inside a Slurm job", "yes" if slurm.in_job else "no"),
        seen("SLURM_JOB_GPUS", slurm.job_gpus or "not set"),
        seen("SLURM_STEP_GPUS", slurm.step_gpus or "not set"),
        seen("GPUs on the bus of this node", len(gpus.nvidia) if gpus else 0),
        severity="warning" if there and left_out else "error" if expected else "info",
        fix=by_hand(
            "Ask Slurm for a GPU",
            run("srun", "--gpus", "1", "gpudoctor", "check"),
            "In a batch script, add the line: #SBATCH --gpus=1 (on some clusters --gres=gpu:1).",
        ),
    )


def _summary(slurm: Slurm) -> str:
    if not slurm.in_job:
        return "This is a Slurm node, outside any job."
    if _is_left_out(slurm):
        return "This step of the Slurm job was given no GPU, though the job has one."
    return "This Slurm job was given no GPU."


def _serves(driver: Driver | Gap | None) -> bool:
    """The node has a driver that answers: it is one with GPUs, though the job sees none of them."""
    facts = known(driver)
    return bool(facts and facts.nvml and facts.nvml.ok)


def _is_left_out(slurm: Slurm) -> bool:
    """The job has GPUs, and the step that this is did not ask for any: Slurm names those of a step, if it has some."""
    return bool(slurm.in_job and slurm.in_step and slurm.job_gpus and not slurm.step_gpus)


def _given(slurm: Slurm) -> bool:
    """Slurm names a GPU of the job, or counts one."""
    count = slurm.gpus_on_node
    return bool(slurm.job_gpus or slurm.step_gpus or (count and count != "0"))
