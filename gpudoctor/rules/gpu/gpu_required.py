"""GPU900: the machine has fewer usable NVIDIA GPUs than you require."""

from gpudoctor.rules._situation import known, unmet
from gpudoctor.rules.sections import Driver, Gap, Gpus, Wish
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule("GPU900", name="gpu-required", severity="error", when="wish.requirements")
def gpu_required(gpus: Gpus | None, driver: Driver | Gap | None, wish: Wish) -> Iterator[Problem]:
    """The machine has fewer usable NVIDIA GPUs than you require.

    What it means:
    The option --require gpu (or 'gpu>=2') was given. A GPU counts when the driver lists it.

    Why it breaks:
    There is no GPU, or the driver cannot use it. In the second case another finding says why.

    How to fix it:
    Mend the finding that names the cause, or run on a machine with a GPU.

    When to ignore it:
    Leave the requirement out.

    Sources:
    The requirement on the command line or in pyproject.toml
    """
    usable = sum(gpu.is_listed for gpu in gpus.nvidia) if gpus else 0
    state = known(driver)
    if not usable and state and state.cuda_init and state.cuda_init.ok:
        usable = state.cuda_init.device_count or 0
    for requirement in wish.of("gpu"):
        wanted = requirement.comparisons or ((">=", "1"),)
        if not unmet(str(usable), wanted):
            continue
        yield problem(
            f"{requirement.text} is required, but the driver lists {usable} usable NVIDIA GPUs.",
            seen("NVIDIA GPUs that the driver lists", usable),
            seen("NVIDIA GPUs seen at all", len(gpus.nvidia) if gpus else 0),
            subject=requirement.text,
        )
