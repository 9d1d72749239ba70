"""PRF003: TF32 is switched off for every program."""

from gpudoctor.facts.versions import Capability
from gpudoctor.rules.sections import Environ, Frameworks, Gpus, Matrix
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, problem, rule, seen

VARIABLE = "NVIDIA_TF32_OVERRIDE"
#: The first GPUs with TF32 are Ampere's.
AMPERE = Capability("8.0")


@rule("PRF003", name="tf32-off", severity="info", when="environ.NVIDIA_TF32_OVERRIDE=0")
def tf32_off(gpus: Gpus, frameworks: Frameworks, environ: Environ, matrix: Matrix) -> Iterator[Problem]:
    """A variable switches TF32 off, so 32-bit matrix products are several times slower than they could be."""
    if environ.get(VARIABLE) != "0":
        return
    built = [one for one in frameworks.found if one.name in ("torch", "tensorflow") and one.variant == "cuda"]
    capable = [gpu for gpu in gpus.nvidia if (capability := matrix.capability(gpu)) and capability >= AMPERE]
    if not built or not capable:
        return
    yield problem(
        f"{VARIABLE}=0 switches TF32 off: 32-bit matrix products are several times slower than they could be.",
        seen(VARIABLE, "0"),
        seen("GPUs with TF32", ", ".join(gpu.label for gpu in capable)),
        seen("frameworks", ", ".join(one.label for one in built)),
        confidence="possible",
        fix=Fix("Allow TF32", "safe", (SetEnv(name=VARIABLE, value=None),), undo=f"export {VARIABLE}=0"),
    )
