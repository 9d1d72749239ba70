"""SMK030: the driver, or the NVIDIA Container Toolkit, reports an error."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK030", name="driver-reports-error", severity="error", since="0.1")
def driver_reports_error(failed: Failed) -> Said:
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
    return (
        f"{failed.meaning or failed.first.text}",
        (do("Check that machine", "gpudoctor check --static"),),
    )
