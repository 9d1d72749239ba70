"""BOX001: the container has too little shared memory for data loaders and multi-GPU training."""

from gpudoctor.rules._situation import DEFAULT_SHM_BYTES, is_contained, known
from gpudoctor.rules.sections import Container, Frameworks, Gap, Gpus, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("BOX001", name="container-shm-small", severity="warning", when="not container.kind=none")
def container_shm_small(
    gpus: Gpus, host: System, container: Container, frameworks: Frameworks | Gap | None
) -> Iterator[Problem]:
    """The container has too little shared memory for data loaders and multi-GPU training.

    What it means:
    Processes of one program hand data to each other through /dev/shm. Container engines give it 64 MiB by default.

    Why it breaks:
    PyTorch's DataLoader workers and NCCL (training on several GPUs) need more. They fail with "Bus error", "No space
    left on device" or a NCCL error, though disk and memory are free.

    How to fix it:
    Start the container with more: --shm-size=8g or --ipc=host. In Kubernetes, mount an emptyDir with medium Memory at
    /dev/shm.

    When to ignore it:
    When you use one GPU and no data loader with several workers.

    Sources:
    PyTorch README, section on the Docker image, https://github.com/pytorch/pytorch#docker-image; NCCL user guide,
    troubleshooting, https://docs.nvidia.com/deeplearning/nccl/
    """
    shm = host.space("shm")
    found = known(frameworks)
    needed = len(gpus.nvidia) > 1 or bool(gpus.nvidia and found and (found.get("torch") or found.get("paddle")))
    if not is_contained(container) or not needed or shm is None or shm.total is None:
        return
    if shm.total > DEFAULT_SHM_BYTES:
        return
    if container.kubernetes:
        text = "In the pod's specification, mount an emptyDir volume with medium: Memory at /dev/shm."
    else:
        text = "Start the container again with --shm-size=8g, or with --ipc=host."
    yield problem(
        f"This container has only {shm.total // 1024**2} MiB of shared memory (/dev/shm).",
        seen("size of /dev/shm", f"{shm.total // 1024**2} MiB"),
        *((seen("free", f"{shm.free // 1024**2} MiB"),) if shm.free is not None else ()),
        seen("NVIDIA GPUs", len(gpus.nvidia)),
        fix=by_hand("Give the container more shared memory", text, needs_container=True),
    )
