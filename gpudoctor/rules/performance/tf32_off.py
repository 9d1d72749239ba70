"""PRF003: a variable switches TF32 off, so 32-bit matrix products are several times slower than they could be."""

from gpudoctor.facts.versions import Capability
from gpudoctor.rules.sections import Environ, Frameworks, Gpus, Matrix
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, problem, rule, seen

VARIABLE = "NVIDIA_TF32_OVERRIDE"
#: The first GPUs with TF32 are Ampere's.
AMPERE = Capability("8.0")


@rule("PRF003", name="tf32-off", severity="info", when="environ.NVIDIA_TF32_OVERRIDE=0")
def tf32_off(gpus: Gpus, frameworks: Frameworks, environ: Environ, matrix: Matrix) -> Iterator[Problem]:
    """A variable switches TF32 off, so 32-bit matrix products are several times slower than they could be.

    What it means:
    GPUs since Ampere can calculate 32-bit matrix products in TF32: several times faster, with about three decimal
    digits. The variable NVIDIA_TF32_OVERRIDE=0 forbids it to every program. TensorFlow uses TF32 otherwise; PyTorch
    since 1.12 only where the program asks: torch.set_float32_matmul_precision("high").

    Why it breaks:
    It does not break: results are exact to seven digits, and training in 32 bits is slower.

    How to fix it:
    Unset the variable if three digits are enough for you, as they mostly are in training.

    When to ignore it:
    When digits count, or the program trains in 16 bits. Only a measurement tells how much there is to gain.

    Sources:
    PyTorch, CUDA semantics, "TensorFloat-32 (TF32) on Ampere (and later) devices",
    https://pytorch.org/docs/stable/notes/cuda.html; cuBLAS, environment variables, https://docs.nvidia.com/cuda/cublas/
    """
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
