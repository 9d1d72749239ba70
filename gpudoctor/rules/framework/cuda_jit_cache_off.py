"""FRM021: the cache of compiled GPU code is switched off, so some programs start slowly every time."""

from gpudoctor.facts.finding import Confidence
from gpudoctor.rules.builds import built_for_cuda, device_code, in_words, services
from gpudoctor.rules.sections import Environ, Frameworks, Gap, Gpus, Matrix, System
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, SetEnv, problem, rule, seen

VARIABLE = "CUDA_CACHE_DISABLE"


@rule("FRM021", name="cuda-jit-cache-off", severity="warning", when="environ.CUDA_CACHE_DISABLE=1")
def cuda_jit_cache_off(
    gpus: Gpus, frameworks: Frameworks | Gap | None, environ: Environ, host: System | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """The cache of compiled GPU code is switched off, so some programs start slowly every time.

    What it means:
    CUDA_CACHE_DISABLE is set. What has only PTX for this GPU, the driver compiles at every start.

    Why it breaks:
    Without the cache nothing of the compiled code is kept, and each start takes minutes.

    How to fix it:
    Unset the variable.

    When to ignore it:
    If the cache was switched off to measure start-up times. A framework that has machine code for the GPU does without
    the cache: then nothing is said.

    Sources:
    https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cuda-environment-variables
    """
    if environ.get(VARIABLE) != "1" or not gpus.nvidia:
        return
    built = built_for_cuda(frameworks) if isinstance(frameworks, Frameworks) else ()
    known = [(one, code) for one in built if (code := device_code(one, matrix, host)) is not None]
    for framework, code in known:
        if any(one.coverage == "ptx" for one in services(code, framework.cuda, gpus, matrix)):
            summary = f"{framework.label} is recompiled at each start, because {VARIABLE} is set."
            yield _problem(summary, framework.label, (seen(VARIABLE, "1"), code.evidence(framework)))
    if not known:
        what = "A program that has only PTX for this GPU" if not built else in_words(one.label for one in built)
        summary = f"{what} may be recompiled at each start, because {VARIABLE} is set."
        yield _problem(summary, None, (seen(VARIABLE, "1"),), "possible")


def _problem(
    summary: str, subject: str | None, evidence: tuple[Evidence, ...], confidence: Confidence = "certain"
) -> Problem:
    keep = Fix(
        "Let the driver keep compiled code", "safe", (SetEnv(name=VARIABLE, value=None),), undo=f"export {VARIABLE}=1"
    )
    return problem(summary, *evidence, subject=subject, confidence=confidence, fix=keep)
