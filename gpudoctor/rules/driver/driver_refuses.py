"""DRV031: the driver starts, and then refuses to tell of its GPUs."""

from gpudoctor.rules._driver_fixes import REBOOT
from gpudoctor.rules._refused import is_grave, refusal_seen, refusal_words
from gpudoctor.rules.sections import Answer, Driver
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen


@rule("DRV031", name="driver-refuses", severity="error", when="driver.nvml.refusals or driver.cuda_init.refusals")
def driver_refuses(driver: Driver) -> Iterator[Problem]:
    """The driver starts and counts its GPUs, but then reports an error about one."""
    for who, answer in (("The CUDA driver", driver.cuda_init), ("NVML", driver.nvml)):
        if answer is not None and answer.ok and answer.refusals:
            yield _problem(who, answer)


def _problem(who: str, answer: Answer) -> Problem:
    grave = [refusal for refusal in answer.refusals if is_grave(refusal)]
    ordered = [*grave, *(refusal for refusal in answer.refusals if refusal not in grave)]
    first, rest = ordered[0], len(ordered) - 4
    return problem(
        f"{who} starts, but answers {first.call} with {refusal_words(first)}.",
        *(refusal_seen(one) for one in ordered[:4]),
        *((seen("more questions refused", rest),) if rest > 0 else ()),
        subject=who,
        severity="error" if grave else "warning",
        not_leading_to=() if grave else ("gpu-required", "capability-required"),
        fixes=(
            REBOOT,
            by_hand("If it stays, collect what the driver knows", run("nvidia-bug-report.sh"), needs_root=True),
        ),
    )
