"""FRM012: a framework has only PTX for this GPU: a slow first start, and on Blackwell failures of PyTorch's cuDNN."""

from collections.abc import Iterable

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.types import Toolkit
from gpudoctor.rules._driver_floor import floor_of_ptx
from gpudoctor.rules._gpu_labels import evidence_of, labels
from gpudoctor.rules.builds import (
    DeviceCode,
    Service,
    built_for_cuda,
    capability_of,
    device_code,
    driver_os,
    ptx_does_not_help,
    release_numbers,
    services,
)
from gpudoctor.rules.sections import Container, Driver, Framework, Frameworks, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, by_hand, problem, rule

#: The first GPUs that an older cuBLAS and cuDNN of the same CUDA major have no code for.
BLACKWELL = Capability("10.0")
#: The largest value the driver takes for its cache of compiled code is 4 GiB; frameworks fill about 1 GiB.
CACHE_BYTES = "2147483648"

CONTAINER = by_hand(
    "Use NVIDIA's container, which has machine code for new GPUs",
    "See https://catalog.ngc.nvidia.com/orgs/nvidia/containers/tensorflow (nvcr.io/nvidia/tensorflow).",
)


@rule("FRM012", name="ptx-jit-slow-start", severity="warning", when="frameworks.found.variant=cuda, gpus.nvidia")
def ptx_jit_slow_start(
    gpus: Gpus, driver: Driver, frameworks: Frameworks, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The framework has only PTX for this GPU: its first start is slow, and PyTorch's cuDNN may fail on Blackwell.

    What it means:
    The build holds code for this GPU only as PTX. It works, but at the first use the driver compiles all of it. That
    takes minutes, in a container each time anew.

    Why it breaks:
    The build is older than the GPU, or leaves it out to stay small. TensorFlow up to 2.15 has no machine code for H100,
    for example. For Blackwell GPUs no TensorFlow up to 2.22 has any, and of the PTX only that of 2.21 helps them
    (arch-too-new-for-build). Compiled code goes into a cache of 1 GiB in the home folder; when that is too small or not
    writable, every start is slow.
    A PyTorch with CUDA 12.0 to 12.7 brings a cuBLAS and a cuDNN that are older than Blackwell GPUs (RTX 50 cards,
    B200): what they have as PTX works, the rest, convolutions above all, may fail.

    How to fix it:
    Enlarge the cache (below) and keep it on a disk that outlives the container (CUDA_CACHE_PATH). Or take a newer build
    that has machine code for the GPU, such as NVIDIA's container of the framework.

    When to ignore it:
    If only the very first start is slow and you do not mind. It is a note only where the PTX is for the GPU's own
    generation (TensorFlow on A100 or RTX 3090): part of the kernels is there as machine code then. So it is with
    TensorFlow 1 outside of containers: it has less code, which takes one to three minutes, once.

    Sources:
    https://developer.nvidia.com/blog/cuda-pro-tip-understand-fat-binaries-jit-caching/
    https://www.tensorflow.org/install/source#gpu
    https://docs.nvidia.com/cuda/blackwell-compatibility-guide/
    https://github.com/pytorch/pytorch/issues/145949 (what Blackwell GPUs ask of cuBLAS and cuDNN)
    https://github.com/tensorflow/tensorflow/issues/22043 (1.10: minutes) and /62320 (2.15: half an hour)
    """
    os = driver_os(scene.host, scene.container)
    for framework in built_for_cuda(frameworks):
        code = device_code(framework, matrix, scene.host)
        if code is None or os is None or floor_of_ptx(framework, gpus, driver, matrix, scene.host, os) is not None:
            continue
        compiled = [
            service
            for service in services(code, framework.cuda, gpus, matrix)
            if service.coverage == "ptx" and not ptx_does_not_help(framework, service.capability, matrix)
        ]
        if not compiled:
            continue
        names = labels(service.gpu for service in compiled)
        in_part = all(_names_its_major(code, service) for service in compiled)
        has = "much of its code as PTX only" if in_part else "only PTX"
        kept = not isinstance(scene.container, Container) or scene.container.kind in (None, "none")
        room = Fix(
            "Give the cache of compiled code more room",
            "safe",
            (SetEnv(name="CUDA_CACHE_MAXSIZE", value=CACHE_BYTES),),
            undo="unset CUDA_CACHE_MAXSIZE",
        )
        fixes = (room, CONTAINER) if framework.name == "tensorflow" else (room,)
        may_fail = _libraries_are_older(framework, compiled, matrix)
        yield problem(
            f"{framework.label} has {has} for {names}: the driver compiles it at the first start, for minutes"
            f"{', and what its cuDNN has no code for fails' if may_fail else ''}.",
            *evidence_of(compiled),
            code.evidence(framework),
            subject=framework.label,
            confidence="likely" if may_fail else "certain",
            severity="info" if in_part or (kept and _is_small(framework)) else None,
            fixes=fixes,
        )


def _libraries_are_older(framework: Framework, services: Iterable[Service], matrix: Matrix) -> bool:
    """A torch brings the cuBLAS and the cuDNN of its own time, which may not know a GPU that its PTX serves."""
    is_newer = max(service.capability for service in services) >= BLACKWELL
    toolkits = (row for row in matrix.table("cuda_arch") if isinstance(row, Toolkit))
    first = min((row.cuda for row in toolkits if BLACKWELL in row.capabilities), default=None)
    is_older = framework.cuda is not None and first is not None and framework.cuda < first
    return framework.name == "torch" and is_newer and is_older


def _is_small(framework: Framework) -> bool:
    """TensorFlow 1: its code is compiled in minutes, that of TensorFlow 2 in up to half an hour."""
    numbers = release_numbers(framework.version)
    return framework.name == "tensorflow" and numbers is not None and numbers < (2,)


def _names_its_major(code: DeviceCode, service: Service) -> bool:
    """The PTX is for the GPU's own generation.

    Then a part of the kernels is there as machine code too, and TensorFlow itself does not warn: of its releases 2.8 to
    2.15 a fifth of the kernels for 8.0 (scan of the wheels, 2026-11).
    """
    made_for = (capability_of(arch).major for arch in code.archs if arch.startswith("compute_"))
    return service.capability.major in made_for
