"""Runs smoke trainings one after another within the time limit; one that fails does not stop the rest."""

import time

from agent_channel import Skip, thrown
from smoke_judgement import finite, outcome

#: Time for all trainings of a framework where the request names none, seconds.
SECONDS = 120.0


class Trials:
    """Trains what it is given; one that fails does not lose the rest."""

    def __init__(self, channel):
        self.channel = channel
        self.seconds = channel.request.get("seconds") or SECONDS
        self.deadline = time.perf_counter() + self.seconds

    @property
    def over(self):
        """Whether the time is up."""
        return time.perf_counter() >= self.deadline

    def run(self, train, **asked):
        """Run `train()` and tell what came of it.

        `asked`: network, device, precision, mode of the Trial. `train` returns the fields that it measured, and
        `placed_on_ok`; it raises Skip where the training is not possible here.
        """
        trial, began, end = dict(asked), time.perf_counter(), {}
        try:
            with self.channel.stage(stage_name(**asked)) as end:
                if self.over:
                    raise Skip("no time was left of {:g} s".format(self.seconds))
                trial.update(judged(train()))
                end.update({key: trial[key] for key in ("outcome", "detail") if trial[key]})
        except Exception as error:
            trial.update(outcome="failed", detail=first_line(error), error=thrown(error))
        if end.get("outcome") == "skipped":
            trial.update(outcome="skipped", detail=end["detail"])
        self.channel.fact("trial", seconds=round(time.perf_counter() - began, 6), **trial)
        return trial["outcome"]

    def steps(self, count):
        """0, 1 … count - 1; raises Skip when the time is up before."""
        for step in range(count):
            if step and self.over:
                raise Skip("the time was up after {} of {} steps".format(step, count))
            yield step


def stage_name(network, device, precision="float32", mode=None):
    """Such as "train dense float32 on gpu:0 (graph)"."""
    return "train {} {} on {}{}".format(network, precision, device, " ({})".format(mode) if mode else "")


def judged(measured):
    """What was measured, judged; in numbers that JSON can hold."""
    names = ("first_loss", "last_loss", "accuracy", "threshold", "placed_on_ok", "difference", "tolerance")
    verdict, detail = outcome(*(measured.get(name) for name in names))
    trial = {name: finite(value) if isinstance(value, float) else value for name, value in measured.items()}
    trial.pop("placed_on_ok", None)
    return dict(trial, outcome=verdict, detail=detail)


def first_line(error):
    """RuntimeError: CUDA error: no kernel image is available."""
    return "{}: {}".format(type(error).__name__, (str(error).strip().splitlines() or [""])[0])[:500]
