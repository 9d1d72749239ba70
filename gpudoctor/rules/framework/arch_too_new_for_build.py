"""FRM002: the GPU is too new for the installed framework build."""

import re
from collections.abc import Iterable

from gpudoctor.knowledge.matrix.kernels import Refusal, ptx_is_refused
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules._gpu_labels import evidence_of, labels_with_capability
from gpudoctor.rules.builds import (
    DeviceCode,
    Service,
    built_for_cuda,
    device_code,
    index_code,
    is_jetson,
    is_left_out,
    possible_code,
    ptx_does_not_help,
    release_numbers,
    services,
)
from gpudoctor.rules.framework.ptx_jit_slow_start import CONTAINER
from gpudoctor.rules.sections import Framework, Frameworks, Gpus, Interpreter, Matrix, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen

RELEASE = by_hand(
    "Take TensorFlow 2.21.0, whose PTX these GPUs take",
    'In an environment with Python 3.10 to 3.13: pip install "tensorflow[and-cuda]==2.21.0" '
    '"nvidia-cuda-nvcc-cu12>=12.8". It does not find libcusolver.so.11 by itself: gpudoctor check then names '
    "the LD_LIBRARY_PATH that helps. Its first start compiles for minutes.",
)
#: From this release on torch asks nvrtc for no newer GPU than nvrtc knows (github.com/pytorch/pytorch/pull/87611).
FIRST_TO_ASK_FOR_LESS = numbers_of("torch-asks-nvrtc")
#: The oldest Python that it has wheels for.
ITS_PYTHON = numbers_of("torch-asks-nvrtc-python")


@rule("FRM002", name="arch-too-new-for-build", severity="error")
def arch_too_new_for_build(gpus: Gpus, frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The GPU is too new for the installed framework build.

    What it means:
    The framework contains machine code for a fixed list of GPU architectures, and none of it runs on this GPU. The GPU
    is found and `torch.cuda.is_available()` is True, but the first computation ends with "no kernel image is available
    for execution on the device", or with a wrong result.

    Why it breaks:
    Machine code for compute capability X.y runs on GPUs of the same X and the same or a higher second number only.
    Code for a new X comes with a newer CUDA version and a newer build of the framework. PTX, a form that the driver
    compiles for newer GPUs, is not in the usual PyTorch builds; and where it is, cuBLAS and cuDNN of a CUDA major
    older than the GPU have no code for it. TensorFlow's wheels have PTX, but only that of 2.21 helps Blackwell GPUs
    (GeForce RTX 50 cards, B200): in releases 2.16 to 2.20 three quarters of the kernels are for sm_90a, which is H100
    alone, so the driver ends with "CUDA_ERROR_INVALID_PTX", then "CUDA_ERROR_INVALID_HANDLE"; older ones use cuDNN 8,
    which has no code for them; from 2.22 on XLA, which Keras uses, writes PTX of a version that is too old.
    PyTorch before 1.13 also compiles code while it runs (TorchScript, prod) and names the GPU to its compiler; one
    that is older than the GPU ends with "nvrtc: error: invalid value for --gpu-architecture". All else works, so that
    is a warning.

    How to fix it:
    Install a build that names your GPU's architecture: for the GeForce RTX 50 series (12.0) PyTorch from release 2.7
    on built with CUDA 12.8 or newer; for TensorFlow NVIDIA's container (25.01 and 25.02, the last ones of it), release
    2.21.0, or a build of your own with the GPU's architecture. Reinstalling the driver or a CUDA toolkit does not
    change what is in the build.

    When to ignore it:
    If you never use that GPU with this framework (another GPU is chosen with CUDA_VISIBLE_DEVICES).

    Sources:
    https://docs.nvidia.com/cuda/cuda-c-programming-guide/#application-compatibility
    https://pytorch.org/get-started/previous-versions/
    https://docs.nvidia.com/cuda/blackwell-compatibility-guide/
    https://github.com/tensorflow/tensorflow/issues/89272, /99592 and /111958 (TensorFlow on RTX 50 cards)
    https://github.com/remote-worker-prof/edu-ai-math-essentials (RTX 5070 Ti: 2.19.1 fails, 2.21.0 trains)
    https://github.com/pytorch/pytorch/issues/87595 (nvrtc)
    """
    for framework in built_for_cuda(frameworks):
        code = (
            device_code(framework, matrix, scene.host)
            or index_code(framework, scene.packages, matrix, scene.host)
            or _of_the_index(framework, matrix)
        )
        if code is None or is_jetson(scene.host):
            continue
        unserved = [
            service
            for service in services(code, framework.cuda, gpus, matrix)
            if service.capability > code.lowest
            and not is_left_out(code, service.capability, matrix)
            and (
                service.coverage == "none"
                or (service.coverage == "ptx" and ptx_does_not_help(framework, service.capability, matrix))
            )
        ]
        if not unserved:
            yield from _while_it_runs(framework, code, gpus, scene, matrix)
            continue
        refusal = _refusal(framework, unserved)
        names = labels_with_capability(unserved)
        between = all(service.capability < code.highest for service in unserved)
        what = "older and for newer GPUs, not for this one" if between else "older GPUs only"
        summary = f"{framework.label} has no code that runs on {names}: it was compiled for {what}."
        if refusal is not None:
            summary = f"{framework.label} has only PTX for {names}, and {refusal.reason}: it fails there."
        sure = code.of is None and (refusal.measured if refusal else not _by_ptx(unserved))
        # Of an unknown release the code is older than this GPU: then the first release that has code for it.
        other_build = _other_build(framework.name, scene, matrix, framework.version or "0")
        yield problem(
            summary,
            *evidence_of(unserved),
            code.evidence(framework),
            subject=framework.label,
            confidence="certain" if sure else "likely",
            fixes=_ways(other_build) if refusal else (other_build,),
        )


def _other_build(name: str, scene: Scene, matrix: Matrix, version: str | None = None) -> Fix:
    # Imported here: most builds have code for the GPU.
    from gpudoctor.plan.recipes import framework_for_gpus

    return framework_for_gpus(name, scene, matrix, version)


def _ways(other_build: Fix) -> tuple[Fix, ...]:
    """The release that users report to work where it can be had here; its makers name the container alone."""
    return (CONTAINER, RELEASE) if other_build.safety == "manual" else (other_build, CONTAINER)


def _by_ptx(services: Iterable[Service]) -> bool:
    return any(service.coverage == "ptx" for service in services)


def _refusal(framework: Framework, services: Iterable[Service]) -> Refusal | None:
    """Why the driver does not get far with the PTX that is there."""
    found = (
        ptx_is_refused(framework.name, framework.version, service.capability)
        for service in services
        if service.coverage == "ptx"
    )
    return next((refusal for refusal in found if refusal is not None), None)


def _while_it_runs(
    framework: Framework, code: DeviceCode, gpus: Gpus, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """An old torch whose ready-made code serves the GPU, and whose own compiler does not know it."""
    toolkit = matrix.toolkit(framework.cuda) if framework.cuda is not None else None
    numbers = release_numbers(framework.version)
    if framework.name != "torch" or numbers is None or numbers >= FIRST_TO_ASK_FOR_LESS or toolkit is None:
        return
    newest = max(toolkit.capabilities, default=None)
    unknown = [one for one in services(code, framework.cuda, gpus, matrix) if newest and one.capability > newest]
    if not unknown:
        return
    python = release_numbers(scene.interpreter.version) if isinstance(scene.interpreter, Interpreter) else None
    text = "Install torch 1.13 or newer in an environment with Python 3.7 or newer."
    too_old = by_hand("Use a newer torch, on a newer Python", text)
    yield problem(
        f"{framework.label} cannot compile code for {labels_with_capability(unknown)} at run time: its CUDA "
        f"{framework.cuda} does not know that GPU.",
        *evidence_of(unknown),
        seen(f"the newest GPU that CUDA {framework.cuda} compiles for", f"compute capability {newest}"),
        subject=framework.label,
        severity="warning",
        fix=too_old if python and python < ITS_PYTHON else _other_build("torch", scene, matrix),
    )


def _of_the_index(framework: Framework, matrix: Matrix) -> DeviceCode | None:
    """What an unlisted build, a nightly one say, can contain; those of PyTorch's index have no PTX that would help."""
    return possible_code(framework, matrix) if re.search(r"\+cu\d", framework.version or "") else None
