"""DRV031: the driver starts and counts its GPUs, but then reports an error about one."""

from gpudoctor.rules._driver_fixes import REBOOT
from gpudoctor.rules._refused_calls import is_grave, refusal_seen, refusal_words
from gpudoctor.rules.sections import Answer, Driver
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen


@rule("DRV031", name="driver-refuses", severity="error", when="driver.nvml.refusals or driver.cuda_init.refusals")
def driver_refuses(driver: Driver) -> Iterator[Problem]:
    """The driver starts and counts its GPUs, but then reports an error about one.

    What it means:
    gpudoctor asked NVML and the CUDA driver for every GPU, and for every pair of GPUs, what programs ask of them. To
    some of this the driver answered with an error code, as it would answer a program.

    Why it breaks:
    Mostly the GPU is in a bad state, used exclusively by another process, without a licence (vGPU), or waits for a
    service such as Fabric Manager; the code says which. Frameworks meet the same code when they take up the GPU.

    How to fix it:
    Look at the codes below. End what holds the GPU, reset it or restart the machine; if the error stays, look for NVRM
    and Xid lines in the kernel log.

    When to ignore it:
    When only the state of a pair of GPUs (nvmlDeviceGetP2PStatus) is missing and programs work.

    Sources:
    CUresult in the CUDA driver API reference, https://docs.nvidia.com/cuda/cuda-driver-api/; nvmlReturn_t in the NVML
    API reference, https://docs.nvidia.com/deploy/nvml-api/
    """
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
