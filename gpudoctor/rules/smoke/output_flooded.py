"""SMK008: the framework printed so much output that it was stopped."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK008", name="output-flooded", severity="warning", since="0.1")
def output_flooded(failed: Failed) -> Said:
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
    return (
        f"{failed.who} printed endlessly in the step {failed.stage}, so it was stopped.",
        (do("Make it quiet", "Unset TF_CPP_MAX_VLOG_LEVEL, NCCL_DEBUG, LD_DEBUG and TORCH_LOGS, and run it again."),),
    )
