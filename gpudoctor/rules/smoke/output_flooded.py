"""SMK008 output-flooded."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.rules.declare import rule
from gpudoctor.rules.live_problem import do, problems


@rule("SMK008", name="output-flooded", severity="warning", since="0.1", when="failure")
def output_flooded(live: Live) -> Iterator[Problem]:
    """The framework printed so much output that it was stopped.

    What it means:
    gpudoctor ran the framework in a process of its own, which printed many megabytes and was ended.

    Why it breaks:
    A log level is set very high (TF_CPP_MAX_VLOG_LEVEL, NCCL_DEBUG=TRACE, LD_DEBUG), or an error repeats without
    end.

    How to fix it:
    Look at the lines below. Unset the variables that make it print.

    When to ignore it:
    Never: what was not run is not proved.

    Sources:
    https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/platform/default/logging.cc
    """
    yield from problems(
        live,
        "output-flooded",
        lambda failed: f"{failed.who} printed endlessly in the step {failed.stage}, so it was stopped.",
        fixes=lambda _: (
            do("Make it quiet", "Unset TF_CPP_MAX_VLOG_LEVEL, NCCL_DEBUG, LD_DEBUG and TORCH_LOGS, and run it again."),
        ),
    )
