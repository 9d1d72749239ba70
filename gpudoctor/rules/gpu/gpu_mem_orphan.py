"""GPU002: GPU memory is in use, but no visible process holds it."""

from gpudoctor.rules._situation import is_bare, os_of, slurm_of
from gpudoctor.rules.sections import Container, Gap, Gpu, Gpus, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen

#: The driver itself keeps some memory: several hundred MiB on large cards.
DRIVER_RESERVED_FRACTION = 0.05
DRIVER_RESERVED_MIB = 1024


@rule("GPU002", name="gpu-mem-orphan", severity="warning", when="gpus.devices.has_details")
def gpu_mem_orphan(gpus: Gpus, host: System | Gap, container: Container) -> Iterator[Problem]:
    """GPU memory is in use, but no visible process holds it.

    What it means:
    The GPU reports used memory, but the driver lists no process with that much. Often a training run was ended and
    some of its worker processes live on.

    Why it breaks:
    Your next program gets too little memory: "CUDA out of memory" on a GPU that seems idle.

    How to fix it:
    List the processes that hold the device files open and end those you know. One that has ended already (state Z)
    goes with the process that started it. If none is left, reset the GPU or restart. The memory of a process in another
    container or of another user is not an orphan: ask first.

    When to ignore it:
    On machines that share the GPU among containers, virtual machines or users whose processes you cannot see.

    Sources:
    nvidia-smi(1), section on compute processes; fuser(1)
    """
    slurm = slurm_of(container)
    if not is_bare(container) or os_of(host) != "linux" or (slurm and slurm.in_job):
        return
    named = any(process.name for gpu in gpus.nvidia for process in gpu.processes or ())
    for gpu in gpus.nvidia:
        lost = _unaccounted(gpu, named)
        if lost is None:
            continue
        listed = (
            ", ".join(
                f"PID {one.pid}{' (ended)' if one.gone else '' if one.name else ' (unknown)'}: {one.used_mib} MiB"
                for one in gpu.processes or ()
            )
            or "none"
        )
        yield problem(
            f"{lost} MiB of GPU memory are in use, but no visible process holds them.",
            seen("memory in use", f"{gpu.memory_used_mib} of {gpu.memory_total_mib} MiB"),
            seen("processes that the driver lists", listed),
            subject=gpu.label,
            confidence="possible",
            fix=by_hand(
                "Find the processes that hold the GPU, and end those you know",
                run("fuser", "-v", "/dev/nvidia-uvm"),
                "End a process you know to be a left-over: kill PID.",
                needs_root=True,
            ),
        )


def _unaccounted(gpu: Gpu, named: bool) -> int | None:
    """MiB that no process accounts for; None where it is little, or cannot be told.

    A process without a name, where others have one, has ended as far as the system knows.
    """
    used, total, processes = gpu.memory_used_mib, gpu.memory_total_mib, gpu.processes
    if used is None or not total or processes is None or gpu.mig_enabled or gpu.virtualization not in (None, "none"):
        return None
    sizes = [process.used_mib for process in processes]
    if any(size is None for size in sizes):
        return None
    lost = used - sum(one.used_mib or 0 for one in processes if not one.gone and (one.name or not named))
    return lost if lost > max(DRIVER_RESERVED_MIB, total * DRIVER_RESERVED_FRACTION) else None
