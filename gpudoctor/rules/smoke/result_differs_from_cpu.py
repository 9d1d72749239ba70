"""SMK013: the GPU's results differ from the CPU's by more than rounding explains."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK013", name="result-differs-from-cpu", severity="warning", since="0.1")
def result_differs_from_cpu(failed: Failed) -> Said:
    """The GPU's results differ from the CPU's by more than rounding explains.

    What it means:
    gpudoctor did the same calculation on the GPU and on the processor, from the same numbers, and compared.

    Why it breaks:
    Lower precision than asked for (TF32), a compiler or a library with a fault, or a GPU that is unstable.

    How to fix it:
    Switch TF32 off and try again. If it stays, take away overclocking and look at the GPU's memory errors.

    When to ignore it:
    If your program does not need that many digits.

    Sources:
    https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
    """
    return (
        f"{failed.who} computes different numbers{failed.where} than on the CPU: {failed.first.text}",
        (
            do("Try without TF32", "NVIDIA_TF32_OVERRIDE=0 gpudoctor smoke"),
            do("Check the GPU itself", "nvidia-smi -q -d TEMPERATURE,ECC,CLOCK"),
        ),
    )
