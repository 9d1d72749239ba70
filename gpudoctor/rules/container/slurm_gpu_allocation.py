"""BOX022: another user's program is running on the GPU that Slurm assigned to this job."""

from gpudoctor.facts.gpus import GpuProcess
from gpudoctor.facts.system import Slurm
from gpudoctor.rules.sections import Container, Gpu, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: A display server or a monitor holds less.
NOTEWORTHY_MIB = 256


@rule("BOX022", name="slurm-gpu-allocation", severity="error", when="container.slurm.in_job")
def slurm_gpu_allocation(gpus: Gpus, container: Container) -> Iterator[Problem]:
    """Another user's program is running on the GPU that Slurm assigned to this job.

    What it means:
    Slurm hands each GPU to one job. On the GPU of this job somebody else's program holds memory.

    Why it breaks:
    The cluster does not shut jobs off from other GPUs (ConstrainDevices in cgroup.conf), so a program can take a GPU it
    was not given; or a program outlived its job. Yours then runs out of memory or is slow.

    How to fix it:
    Tell the administrator the node, the GPU and the process numbers. Ask for another node meanwhile.

    When to ignore it:
    When the cluster shares GPUs on purpose (MPS, shards).

    Sources:
    Slurm, generic resources (GRES) and cgroup.conf, https://slurm.schedmd.com/gres.html,
    https://slurm.schedmd.com/cgroup.conf.html
    """
    slurm = container.slurm
    if slurm is None or not slurm.in_job:
        return
    for gpu in _given(slurm, gpus):
        foreign = [process for process in gpu.processes or () if _is_foreign(process)]
        if not foreign:
            continue
        text = "Tell the administrator which node, GPU and processes these are."
        yield problem(
            "Another user's program is running on the GPU that Slurm assigned to this job.",
            *tuple(
                seen(f"process {process.pid}", f"{process.name or 'name not known'}, {process.used_mib} MiB")
                for process in foreign[:4]
            ),
            subject=gpu.label,
            confidence="likely",
            fix=by_hand("Report it, and ask for another node", text),
        )


def _given(slurm: Slurm, gpus: Gpus) -> tuple[Gpu, ...]:
    """The GPUs of this step or job: those with its numbers, or all where Slurm shows no others."""
    words = (slurm.step_gpus or slurm.job_gpus or "").split(",")
    numbers = {int(word) for word in words if word.strip().isdecimal()}
    listed = tuple(gpu for gpu in gpus.nvidia if gpu.index is not None)
    if not numbers or len(listed) <= len(numbers):
        return listed if numbers else ()
    return tuple(gpu for gpu in listed if gpu.index in numbers)


def _is_foreign(process: GpuProcess) -> bool:
    return process.same_user is False and process.kind != "graphics" and (process.used_mib or 0) >= NOTEWORTHY_MIB
