"""SMK020: compiling for the GPU failed."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK020", name="compile-failed", severity="error", since="0.1")
def compile_failed(failed: Failed) -> Said:
    """Compiling for the GPU failed.

    What it means:
    XLA, Triton or torch.compile makes code for your GPU while the program runs, and could not.

    Why it breaks:
    A file or program that it needs is missing or too old: libdevice.10.bc, ptxas, a C compiler, the headers of
    Python, the link libcuda.so.

    How to fix it:
    Mend what this finding is listed under, where there is one.

    When to ignore it:
    If your program does not compile (no jit_compile, no torch.compile), except with JAX, which always does.

    Sources:
    https://openxla.org/xla/gpu_architecture
    """
    return (
        f"{failed.who} cannot compile{failed.where}: {failed.meaning or failed.first.text}",
        (do("See what is there", "which -a ptxas cc gcc nvcc", "find / -name 'libdevice*.bc' 2>/dev/null"),),
    )
