"""Decides whether a smoke training passed, alike for all frameworks: loss, accuracy, agreement with a reference."""

import math

#: What a step's loss, outputs and gradients may differ from those in double precision on the CPU, relative to the
#: largest: some dozens of roundings of each format (of 2^-11 of a number in TF32 and float16, of 2^-8 in bfloat16).
#: Measured of these networks, made smooth, on a CPU with TensorFlow, PyTorch and JAX: float16 0.002, bfloat16 0.018 at
#: most. A computation that is wrong is wrong by about 1.
TOLERANCES = {
    "float32": 0.001,
    "tf32": 0.05,
    "float16": 0.1,
    "mixed-float16": 0.1,
    "bfloat16": 0.2,
    "mixed-bfloat16": 0.2,
}

#: The loss must fall below this part of the first one.
FALL = 0.7


def outcome(first_loss, last_loss, accuracy, threshold, placed_on_ok, difference, tolerance):
    """("passed" or "failed", why it failed or None). None for what was not measured; a loss is always measured."""
    wrong = [
        *_wrong_losses(first_loss, last_loss),
        *_wrong_accuracy(accuracy, threshold),
        *([] if placed_on_ok in (True, None) else ["it did not run where it was asked to"]),
        *_wrong_difference(difference, tolerance),
    ]
    return ("failed", "; ".join(wrong)) if wrong else ("passed", None)


def finite(value):
    """`value` as a float that JSON can hold; None for NaN, an infinity and None."""
    return float(value) if value is not None and math.isfinite(value) else None


def _wrong_losses(first, last):
    if first is None or last is None:
        return ["the loss was not measured"]
    for name, loss in (("first", first), ("last", last)):
        if not math.isfinite(loss):
            return ["the {} loss is {}".format(name, loss)]
    if last >= first:
        return ["the loss did not fall: {:.3f} before, {:.3f} after".format(first, last)]
    if last > first * FALL:
        return ["the loss fell too little: from {:.3f} to {:.3f}".format(first, last)]
    return []


def _wrong_accuracy(accuracy, threshold):
    if accuracy is None or threshold is None:
        return []
    if not accuracy >= threshold:  # so that NaN is wrong
        return ["the accuracy is {:.2f}, below {:.2f}".format(accuracy, threshold)]
    return []


def _wrong_difference(difference, tolerance):
    if difference is None or tolerance is None:
        return []
    if not difference <= tolerance:
        return ["the result differs from the CPU's by {:.2g}, more than {:.2g}".format(difference, tolerance)]
    return []
