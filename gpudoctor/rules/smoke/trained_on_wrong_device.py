"""SMK011: the network was not trained on the requested device."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK011", name="trained-on-wrong-device", severity="error", since="0.1")
def trained_on_wrong_device(failed: Failed) -> Said:
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
    return (
        f"{failed.who} was asked to train{failed.where} but trained on {_placed(failed)}.",
        (do("See which devices there are", "gpudoctor devices"),),
    )


def _placed(failed: Failed) -> str:
    trial = failed.first.trial
    return trial.placed_on if trial is not None and trial.placed_on else "another one"
