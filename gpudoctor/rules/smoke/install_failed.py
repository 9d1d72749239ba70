"""SMK032: something could not be installed or built."""

from gpudoctor.rules.live_problem import Failed, Said, failure_rule


@failure_rule("SMK032", name="install-failed", severity="error", since="0.1")
def install_failed(failed: Failed) -> Said:
    """Something could not be installed or built.

    What it means:
    A message of pip, uv, conda or a compiler was pasted that says an installation failed.

    Why it breaks:
    The message below says what is wrong; several causes can bring it about, likeliest first.

    How to fix it:
    Run the command below on that machine: it decides between the causes.

    When to ignore it:
    If the installation was done another way since.

    Sources:
    https://pip.pypa.io/en/stable/topics/dependency-resolution/
    """
    return (
        f"{failed.meaning or failed.first.text}",
        (),
    )
