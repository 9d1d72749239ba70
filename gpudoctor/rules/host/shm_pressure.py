"""HST005: hardly any shared memory is free; data loaders and NCCL need some."""

from gpudoctor.rules._situation import DEFAULT_SHM_BYTES, GIB, known
from gpudoctor.rules.sections import Frameworks, Gap, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen

#: Nearly full: less than a GiB, and less than a tenth of all of it.
LITTLE_BYTES, LITTLE_SHARE = GIB, 10


@rule("HST005", name="shm-pressure", severity="warning", when="host.spaces")
def shm_pressure(host: System, frameworks: Frameworks | Gap | None) -> Iterator[Problem]:
    """Hardly any shared memory is free; data loaders and NCCL need some.

    What it means:
    Processes of one program hand data to each other through /dev/shm, a disk in main memory. It is nearly full.

    Why it breaks:
    A data loader with many workers fills it; or a program that was killed left its files there. The next one ends with
    "Bus error" or "No space left on device", though disk and memory are free.

    How to fix it:
    Use fewer workers, or a smaller batch. Remove files in /dev/shm that belong to no running program.

    When to ignore it:
    When the program that fills it is yours and runs well.

    Sources:
    shm_overview(7); PyTorch, torch.utils.data and torch.multiprocessing,
    https://pytorch.org/docs/stable/multiprocessing.html
    """
    shm, found = host.space("shm"), known(frameworks)
    if shm is None or shm.total is None or shm.free is None or shm.total <= DEFAULT_SHM_BYTES:
        return
    if shm.free >= LITTLE_BYTES or shm.free * LITTLE_SHARE >= shm.total:
        return
    torch = bool(found and found.get("torch"))
    yield problem(
        f"Only {shm.free // 1024**2} MiB of {shm.total / GIB:.0f} GiB shared memory (/dev/shm) are free.",
        seen("size of /dev/shm", f"{shm.total // 1024**2} MiB"),
        seen("free", f"{shm.free // 1024**2} MiB"),
        severity=None if torch else "info",
        confidence="likely",
        fix=by_hand(
            "See what fills it, and use fewer workers",
            run("ls", "-l", shm.path),
            "Lower num_workers of the DataLoader. Remove files that belong to no running program.",
        ),
    )
