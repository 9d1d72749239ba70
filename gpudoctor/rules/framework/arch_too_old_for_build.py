"""FRM003 arch-too-old-for-build."""

from collections.abc import Iterator

from gpudoctor.matrix.query import Matrix
from gpudoctor.model.base import Gap
from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Problem
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.python import Frameworks, Interpreter, Packages
from gpudoctor.model.system import Container, System
from gpudoctor.plan.places import Scene
from gpudoctor.plan.recipes import framework_for_gpus
from gpudoctor.rules._builds import built_for_cuda, device_code, in_words, is_jetson, services
from gpudoctor.rules._declare import rule


@rule("FRM003", name="arch-too-old-for-build", severity="error", since="0.1")
def arch_too_old_for_build(
    gpus: Gpus,
    frameworks: Frameworks,
    interpreter: Interpreter | Gap | None,
    packages: Packages | Gap | None,
    host: System | Gap | None,
    container: Container | Gap | None,
    driver: Driver | Gap | None,
    matrix: Matrix,
) -> Iterator[Problem]:
    """A GPU is older than everything the installed framework was compiled for.

    What it means:
    The framework's machine code begins at a newer architecture than this GPU has. The GPU is found, but the first
    computation ends with "no kernel image is available for execution on the device".

    Why it breaks:
    New builds drop old architectures. CUDA 13 ended support for Maxwell, Pascal and Volta (GeForce GTX 900 and 10
    series, Titan V, Tesla P100 and V100), and PyTorch's CUDA 12.8 builds already left out Maxwell and Pascal. A plain
    `pip install torch` follows the newest CUDA, not your GPU.

    How to mend it:
    Install a build for an older CUDA version of the same release, where there is one: PyTorch's cu126 builds keep
    compute capability 5.0 to 7.0. Else install an older release. A newer driver does not help.

    When to ignore it:
    If this GPU only drives a display and the computing is done on another one.

    Sources:
    https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/ (deprecated architectures)
    https://pytorch.org/get-started/previous-versions/
    """
    scene = Scene(host=host, container=container, gpus=gpus, driver=driver, interpreter=interpreter, packages=packages)
    for framework in built_for_cuda(frameworks):
        code = device_code(framework, matrix, host)
        if code is None or is_jetson(host):
            continue
        found = services(code, framework.cuda, gpus, matrix)
        unserved = [one for one in found if one.coverage == "none" and one.capability < code.lowest]
        if not unserved:
            continue
        names = in_words(f"{one.gpu.label}, compute capability {one.capability}" for one in unserved)
        only_displays = len(unserved) < len(found) and all(one.gpu.display_active for one in unserved)
        yield Problem(
            summary=f"{framework.label} has no code that runs on {names}: its code begins at {code.lowest}.",
            subject=framework.label,
            severity="info" if only_displays else None,
            evidence=(*(one.evidence for one in unserved), code.evidence(framework)),
            explains=("driver-too-old",),
            fixes=(framework_for_gpus(framework.name, scene, matrix, framework.version),),
        )
