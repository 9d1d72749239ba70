"""FRM002 arch-too-new-for-build."""

import re
from collections.abc import Iterator

from gpudoctor.matrix.query import Matrix
from gpudoctor.model.base import Gap
from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Problem
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.python import Framework, Frameworks, Interpreter, Packages
from gpudoctor.model.system import Container, System
from gpudoctor.plan.places import Scene
from gpudoctor.plan.recipes import framework_for_gpus
from gpudoctor.rules._builds import (
    DeviceCode,
    built_for_cuda,
    device_code,
    in_words,
    is_jetson,
    libraries_lack,
    possible_code,
    services,
)
from gpudoctor.rules._declare import rule


@rule("FRM002", name="arch-too-new-for-build", severity="error", since="0.1")
def arch_too_new_for_build(
    gpus: Gpus,
    frameworks: Frameworks,
    interpreter: Interpreter | Gap | None,
    packages: Packages | Gap | None,
    host: System | Gap | None,
    container: Container | Gap | None,
    driver: Driver | Gap | None,
    matrix: Matrix,
) -> Iterator[Problem]:
    """A GPU is newer than everything the installed framework was compiled for.

    What it means:
    The framework contains machine code for a fixed list of GPU architectures, and none of it runs on this GPU. The GPU
    is found and `torch.cuda.is_available()` is True, but the first computation ends with "no kernel image is available
    for execution on the device", or with a wrong result.

    Why it breaks:
    Machine code for compute capability X.y runs on GPUs of the same X and the same or a higher second number only.
    Code for a new X comes with a newer CUDA version and a newer build of the framework. PTX, a form that the driver
    compiles for newer GPUs, is not in the usual PyTorch builds; and where it is, cuBLAS and cuDNN of a CUDA major
    older than the GPU have no code for it.

    How to mend it:
    Install a build that names your GPU's architecture: for the GeForce RTX 50 series (12.0) PyTorch from release 2.7
    on built with CUDA 12.8 or newer. Reinstalling the driver or a CUDA toolkit does not change what is in the build.

    When to ignore it:
    If you never use that GPU with this framework (another GPU is chosen with CUDA_VISIBLE_DEVICES).

    Sources:
    https://docs.nvidia.com/cuda/cuda-c-programming-guide/#application-compatibility
    https://pytorch.org/get-started/previous-versions/
    """
    scene = Scene(host=host, container=container, gpus=gpus, driver=driver, interpreter=interpreter, packages=packages)
    for framework in built_for_cuda(frameworks):
        code = device_code(framework, matrix, host) or _of_the_index(framework, matrix)
        if code is None or is_jetson(host):
            continue
        unserved = [
            service
            for service in services(code, framework.cuda, gpus, matrix)
            if service.capability > code.lowest
            and (
                service.coverage == "none"
                or (service.coverage == "ptx" and libraries_lack(framework, service.capability, matrix))
            )
        ]
        if not unserved:
            continue
        names = in_words(f"{service.gpu.label}, compute capability {service.capability}" for service in unserved)
        yield Problem(
            summary=f"{framework.label} has no code that runs on {names}: it was compiled for older GPUs only.",
            subject=framework.label,
            confidence="certain" if code.of is None else "likely",
            evidence=(*(service.evidence for service in unserved), code.evidence(framework)),
            fixes=(framework_for_gpus(framework.name, scene, matrix, framework.version),),
        )


def _of_the_index(framework: Framework, matrix: Matrix) -> DeviceCode | None:
    """What an unlisted build, a nightly one say, can contain; those of PyTorch's index have no PTX that would help."""
    return possible_code(framework, matrix) if re.search(r"\+cu\d", framework.version or "") else None
