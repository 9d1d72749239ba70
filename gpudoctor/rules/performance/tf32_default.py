"""PRF001: PyTorch 1.7 to 1.11 compute matrix products in TF32 by default."""

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules._situation import known
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Environ, Frameworks, Gap, Gpus, Matrix
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, SetEnv, problem, rule, seen

#: TF32 came with PyTorch 1.7 and was off for matrix products by default from 1.12 on.
FIRST, LAST = numbers_of("torch-tf32"), numbers_of("torch-tf32-off")
#: The first GPUs with TF32 are Ampere's.
AMPERE = Capability("8.0")


@rule("PRF001", name="tf32-default", severity="info", when="frameworks.torch.variant=cuda, gpus.nvidia, environ")
def tf32_default(
    gpus: Gpus, frameworks: Frameworks, environ: Environ | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """PyTorch 1.7 to 1.11 compute matrix products in TF32 by default.

    What it means:
    TF32 keeps the range of a 32-bit number and drops more than half of its digits: about three decimal digits are left.
    GPUs since Ampere calculate several times faster in it. PyTorch 1.7 to 1.11 use it for matrix products by default;
    1.12 and later only if asked.

    Why it breaks:
    It does not break. Results differ from those of a processor or an older GPU from the third or fourth digit on.

    How to fix it:
    Where digits count, set torch.backends.cuda.matmul.allow_tf32 = False, or the variable NVIDIA_TF32_OVERRIDE=0.

    When to ignore it:
    When training networks: the loss rarely notices.

    Sources:
    PyTorch, CUDA semantics, "TensorFloat-32 (TF32) on Ampere (and later) devices",
    https://pytorch.org/docs/stable/notes/cuda.html
    """
    torch = frameworks.get("torch")
    numbers = release_numbers(torch.version) if torch else None
    if torch is None or torch.variant != "cuda" or numbers is None or not FIRST <= numbers[:2] < LAST:
        return
    variables = known(environ)
    if variables is None or variables.get("NVIDIA_TF32_OVERRIDE") == "0":
        return
    capable = [
        (gpu, capability) for gpu in gpus.nvidia if (capability := matrix.capability(gpu)) and capability >= AMPERE
    ]
    if not capable:
        return
    gpu, capability = capable[0]
    inside = Ask(text="Or, in the program, switch torch.backends.cuda.matmul.allow_tf32 off.")
    yield problem(
        f"{torch.label} computes matrix products in TF32, with about three digits, by default.",
        seen("PyTorch", torch.version),
        seen(f"compute capability of {gpu.label}", capability),
        subject=gpu.label,
        fix=Fix(
            "Where precision matters, turn TF32 off",
            "safe",
            (SetEnv(name="NVIDIA_TF32_OVERRIDE", value="0"), inside),
            undo="unset NVIDIA_TF32_OVERRIDE",
        ),
    )
