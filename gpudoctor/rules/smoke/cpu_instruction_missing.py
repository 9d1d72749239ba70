"""SMK029: the CPU does not support an instruction that the framework uses."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK029", name="cpu-instruction-missing", severity="error", since="0.1")
def cpu_instruction_missing(failed: Failed) -> Said:
    """The CPU does not support an instruction that the framework uses.

    What it means:
    The framework's ready-made package was compiled for newer processors, and the operating system ended it at the
    first instruction that this one does not have.

    Why it breaks:
    Ready-made TensorFlow needs AVX since release 1.6. Virtual machines may hide instructions that the processor
    has.

    How to fix it:
    In a virtual machine, let the processor be passed through (host-passthrough). Else take a package compiled for
    older processors, or another machine.

    When to ignore it:
    If you do not use this framework.

    Sources:
    https://www.tensorflow.org/install/pip#hardware_requirements
    """
    return (
        f"{_whose(failed)} uses an instruction that this CPU does not support.",
        (do("See what the CPU supports", "grep -o -w -E 'avx|avx2|fma|avx512f' /proc/cpuinfo | sort -u"),),
    )


def _whose(failed: Failed) -> str:
    return "a compiled part" if failed.first.framework is None else failed.who
