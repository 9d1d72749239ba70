"""FRM012 ptx-jit-slow-start."""

from collections.abc import Iterator

from gpudoctor.matrix.query import Matrix
from gpudoctor.model.base import Gap
from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix, SetEnv
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.python import Frameworks
from gpudoctor.model.system import Container, System
from gpudoctor.rules._builds import (
    DeviceCode,
    Service,
    built_for_cuda,
    capability_of,
    device_code,
    driver_os,
    in_words,
    ptx_does_not_help,
    services,
)
from gpudoctor.rules._declare import rule
from gpudoctor.rules._driver_floor import floor_of_ptx

#: The largest value the driver takes for its cache of compiled code is 4 GiB; frameworks fill about 1 GiB.
CACHE_BYTES = "2147483648"

CONTAINER = Fix(
    title="Use NVIDIA's container, which has machine code for new GPUs",
    safety="manual",
    steps=(
        Ask(text="See https://catalog.ngc.nvidia.com/orgs/nvidia/containers/tensorflow (nvcr.io/nvidia/tensorflow)."),
    ),
)


@rule("FRM012", name="ptx-jit-slow-start", severity="warning", since="0.1")
def ptx_jit_slow_start(
    gpus: Gpus,
    driver: Driver,
    frameworks: Frameworks,
    host: System | Gap | None,
    container: Container | Gap | None,
    matrix: Matrix,
) -> Iterator[Problem]:
    """The framework has no machine code for this GPU; the driver compiles it at the start, which takes long.

    What it means:
    The build holds code for this GPU only as PTX. It works, but at the first use the driver compiles all of it. That
    takes minutes, in a container each time anew.

    Why it breaks:
    The build is older than the GPU, or leaves it out to stay small. No TensorFlow release up to 2.22 has machine code
    for Blackwell GPUs, for example (on GeForce RTX 50 cards its PTX does not help either: arch-too-new-for-build).
    Compiled code goes into a cache of 1 GiB in the home folder; when that is too small or not writable, every start is
    slow.

    How to mend it:
    Enlarge the cache (below) and keep it on a disk that outlives the container (CUDA_CACHE_PATH). Or take a newer build
    that has machine code for the GPU, such as NVIDIA's container of the framework.

    When to ignore it:
    If only the very first start is slow and you do not mind. It is a note only where the PTX is for the GPU's own
    generation (TensorFlow on A100 or RTX 3090): part of the kernels is there as machine code then.

    Sources:
    https://developer.nvidia.com/blog/cuda-pro-tip-understand-fat-binaries-jit-caching/
    https://www.tensorflow.org/install/gpu
    """
    os = driver_os(host, container)
    for framework in built_for_cuda(frameworks):
        code = device_code(framework, matrix, host)
        if code is None or os is None or floor_of_ptx(framework, gpus, driver, matrix, host, os) is not None:
            continue
        compiled = [
            service
            for service in services(code, framework.cuda, gpus, matrix)
            if service.coverage == "ptx" and not ptx_does_not_help(framework, service.capability, matrix)
        ]
        if not compiled:
            continue
        names = in_words(service.gpu.label for service in compiled)
        in_part = all(_names_its_major(code, service) for service in compiled)
        has = "much of its code as PTX only" if in_part else "only PTX"
        room = Fix(
            title="Give the cache of compiled code more room",
            safety="safe",
            steps=(SetEnv(name="CUDA_CACHE_MAXSIZE", value=CACHE_BYTES),),
            undo="unset CUDA_CACHE_MAXSIZE",
        )
        fixes = (room, CONTAINER) if framework.name == "tensorflow" else (room,)
        yield Problem(
            summary=f"{framework.label} has {has} for {names}, so its first start compiles for minutes.",
            subject=framework.label,
            severity="info" if in_part else None,
            evidence=(*(service.evidence for service in compiled), code.evidence(framework)),
            fixes=fixes,
        )


def _names_its_major(code: DeviceCode, service: Service) -> bool:
    """The PTX is for the GPU's own generation.

    Then a part of the kernels is there as machine code too, and TensorFlow itself does not warn: of its releases 2.8 to
    2.15 a fifth of the kernels for 8.0 (scan of the wheels, 2026-11).
    """
    made_for = (capability_of(arch).major for arch in code.archs if arch.startswith("compute_"))
    return service.capability.major in made_for
