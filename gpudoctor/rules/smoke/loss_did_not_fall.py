"""SMK012: the network did not learn."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK012", name="loss-did-not-fall", severity="error", since="0.1")
def loss_did_not_fall(failed: Failed) -> Said:
    """The network did not learn.

    What it means:
    gpudoctor trained a small network on data that every working installation learns from. Its loss did not fall, or
    too few answers were right.

    Why it breaks:
    The device calculates wrong numbers: a GPU that the build does not serve, a compiler with a known fault,
    unstable memory or clocks, or a precision that this GPU does not have.

    How to fix it:
    Compare with the CPU: gpudoctor smoke --device cpu. If only one GPU is wrong, take away overclocking and
    look at its temperature and its memory errors.

    When to ignore it:
    Never: results of this device cannot be trusted.

    Sources:
    https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
    """
    return (
        f"{failed.who} trained{failed.where}, but the network did not learn: {failed.first.text}"
        if not failed.first.pasted
        else "The loss became NaN (not a number).",
        (
            do("Compare with the CPU", "gpudoctor smoke --device cpu"),
            do(
                "Check the GPU itself",
                "nvidia-smi -q -d TEMPERATURE,ECC,CLOCK",
                "Take away overclocking, and try again.",
            ),
        ),
    )
