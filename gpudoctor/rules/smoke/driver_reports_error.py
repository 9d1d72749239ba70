"""SMK030 driver-reports-error."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.rules.declare import rule
from gpudoctor.rules.live_problem import do, problems


@rule("SMK030", name="driver-reports-error", severity="error", since="0.1", when="failure")
def driver_reports_error(live: Live) -> Iterator[Problem]:
    """The driver, or the NVIDIA Container Toolkit, reports an error.

    What it means:
    A message of nvidia-smi, of the kernel or of the container engine was pasted that says the GPU cannot be used.

    Why it breaks:
    The message below says what is wrong; several causes can bring it about, likeliest first.

    How to fix it:
    Run the command below on that machine: it decides between the causes. Or run gpudoctor check there.

    When to ignore it:
    If the message was made before something was fixed.

    Sources:
    https://docs.nvidia.com/deploy/nvidia-smi/index.html
    """
    yield from problems(
        live,
        "driver-reports-error",
        lambda failed: f"{failed.meaning or failed.first.text}",
        fixes=lambda _: (do("Check that machine", "gpudoctor check --static"),),
    )
