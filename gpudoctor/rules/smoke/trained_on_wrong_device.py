"""SMK011 trained-on-wrong-device."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.rules.declare import rule
from gpudoctor.rules.live_problem import Failed, do, problems


@rule("SMK011", name="trained-on-wrong-device", severity="error", since="0.1", when="failure")
def trained_on_wrong_device(live: Live) -> Iterator[Problem]:
    """The network was not trained on the requested device.

    What it means:
    gpudoctor asked the framework to train on a device and looked where the work was done: it was somewhere else.

    Why it breaks:
    The framework falls back to the processor where it cannot use the GPU for a step, or the numbers of the GPUs
    mean others than you think.

    How to fix it:
    Mend what this finding is listed under, where there is one. Look at the device list: gpudoctor devices.

    When to ignore it:
    If you do not mean to use that device.

    Sources:
    https://www.tensorflow.org/guide/gpu#logging_device_placement
    """
    yield from problems(
        live,
        "trained-on-wrong-device",
        lambda failed: f"{failed.who} was asked to train{failed.where} but trained on {_placed(failed)}.",
        fixes=lambda _: (do("See which devices there are", "gpudoctor devices"),),
    )


def _placed(failed: Failed) -> str:
    trial = failed.first.trial
    return trial.placed_on if trial is not None and trial.placed_on else "another one"
