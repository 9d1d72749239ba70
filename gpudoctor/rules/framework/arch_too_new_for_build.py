"""FRM002: the GPU is too new for the installed framework build."""

import re
from collections.abc import Iterable

from gpudoctor.knowledge.matrix.kernels import Refusal, ptx_is_refused
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.recipes import framework_for_gpus
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
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Gpus, Interpreter, Matrix, Packages, Scene, System
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
def arch_too_new_for_build(
    gpus: Gpus,
    frameworks: Frameworks,
    packages: Packages | Gap | None,
    host: System | Gap | None,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """The GPU is too new for the installed framework build."""
    for framework in built_for_cuda(frameworks):
        code = (
            device_code(framework, matrix, host)
            or index_code(framework, packages, matrix, host)
            or _of_the_index(framework, matrix)
        )
        if code is None or is_jetson(host):
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
        other_build = framework_for_gpus(framework.name, scene, matrix, framework.version or "0")
        yield problem(
            summary,
            *evidence_of(unserved),
            code.evidence(framework),
            subject=framework.label,
            confidence="certain" if sure else "likely",
            fixes=_ways(other_build) if refusal else (other_build,),
        )


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
        fix=too_old if python and python < ITS_PYTHON else framework_for_gpus("torch", scene, matrix),
    )


def _of_the_index(framework: Framework, matrix: Matrix) -> DeviceCode | None:
    """What an unlisted build, a nightly one say, can contain; those of PyTorch's index have no PTX that would help."""
    return possible_code(framework, matrix) if re.search(r"\+cu\d", framework.version or "") else None
