"""SMK031: a package with its own GPU code does not work."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK031", name="extension-failed", severity="error", since="0.1")
def extension_failed(failed: Failed) -> Said:
    """A package with its own GPU code does not work.

    What it means:
    Bitsandbytes, flash-attn, xformers or the like could not be used.

    Why it breaks:
    Such packages are compiled for one PyTorch, one CUDA and certain GPUs. This one was compiled for others.

    How to fix it:
    Install the release of the package that was made for the installed PyTorch and CUDA.

    When to ignore it:
    If your program does not use the package.

    Sources:
    https://docs.pytorch.org/docs/stable/cpp_extension.html
    """
    return (
        f"{failed.meaning or failed.first.text}",
        (do("See which versions belong together", "pip list | grep -i -E 'torch|flash|xformers|bitsandbytes'"),),
    )
