"""FRM021 cuda-jit-cache-off."""

from collections.abc import Iterator

from gpudoctor.matrix.query import Matrix
from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Fix, SetEnv
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.python import Frameworks
from gpudoctor.model.system import Environ, System
from gpudoctor.rules._builds import built_for_cuda, device_code, services
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen

VARIABLE = "CUDA_CACHE_DISABLE"


@rule("FRM021", name="cuda-jit-cache-off", severity="warning", since="0.1")
def cuda_jit_cache_off(
    gpus: Gpus, frameworks: Frameworks, environ: Environ, host: System | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """The cache of compiled GPU code is switched off, and a framework depends on it.

    What it means:
    CUDA_CACHE_DISABLE is set. The framework has only PTX for this GPU, so the driver compiles it at every start.

    Why it breaks:
    Without the cache nothing of the compiled code is kept, and each start takes minutes.

    How to mend it:
    Unset the variable.

    When to ignore it:
    If the cache was switched off to measure start-up times.

    Sources:
    https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cuda-environment-variables
    """
    if environ.get(VARIABLE) != "1":
        return
    for framework in built_for_cuda(frameworks):
        code = device_code(framework, matrix, host)
        if code is None:
            continue
        if any(one.coverage == "ptx" for one in services(code, framework.cuda, gpus, matrix)):
            yield Problem(
                summary=f"{framework.label} is compiled anew at each start, because {VARIABLE} is set.",
                subject=framework.label,
                evidence=(seen(VARIABLE, "1"), code.evidence(framework)),
                explains=("ptx-jit-slow-start",),
                fixes=(
                    Fix(
                        title="Let the driver keep compiled code",
                        safety="safe",
                        steps=(SetEnv(name=VARIABLE, value=None),),
                        undo=f"export {VARIABLE}=1",
                    ),
                ),
            )
