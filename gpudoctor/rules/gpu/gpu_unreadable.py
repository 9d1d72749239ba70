"""GPU004: the driver did not report facts about this GPU that it should."""

from gpudoctor.facts.gpus import Refusal
from gpudoctor.rules._gpu_fixes import chosen
from gpudoctor.rules._refused_calls import is_grave, refusal_seen, refusal_words
from gpudoctor.rules.sections import Gpu, Gpus
from gpudoctor.rules.terms import Evidence, Iterator, Problem, by_hand, problem, rule, run, seen


@rule("GPU004", name="gpu-unreadable", severity="error", when="gpus.nvidia.refusals")
def gpu_unreadable(gpus: Gpus) -> Iterator[Problem]:
    """The driver did not report facts about this GPU that it should.

    What it means:
    gpudoctor asked the driver for facts such as memory, identity and error counters, and got an error instead. That is
    another thing than "this GPU does not have that", which is normal.

    Why it breaks:
    The GPU or its driver is in a bad state, is being reset, or its permissions are limited. What was not told cannot be
    judged, so this GPU is not called healthy.

    How to fix it:
    Look at the codes below. Reset the GPU or restart the machine; if the error stays, install the driver anew and look
    for Xid lines in the kernel log.

    When to ignore it:
    When only a passing reading is missing (such as power or temperature) and programs work.

    Sources:
    nvmlReturn_t in the NVML API reference, https://docs.nvidia.com/deploy/nvml-api/
    """
    for gpu in gpus.nvidia:
        if not gpu.refusals:
            continue
        grave = [refusal for refusal in gpu.refusals if is_grave(refusal)]
        calls = len(gpu.refusals)
        first = (grave or list(gpu.refusals))[0]
        yield problem(
            f"The driver refused {_count(calls)} about this GPU: {refusal_words(first)}.",
            *tuple(_words(gpu, grave)),
            subject=gpu.label,
            severity="error" if grave else "warning",
            not_leading_to=() if grave else ("gpu-required", "capability-required"),
            fix=by_hand(
                "Reset the GPU when no program uses it, or restart the machine",
                run("nvidia-smi", "--gpu-reset", *chosen(gpu)),
                needs_root=True,
            ),
        )


def _count(calls: int) -> str:
    return f"{calls} question{'' if calls == 1 else 's'}"


def _words(gpu: Gpu, grave: list[Refusal]) -> Iterator[Evidence]:
    ordered = [*grave, *(refusal for refusal in gpu.refusals if refusal not in grave)]
    for refusal in ordered[:4]:
        yield refusal_seen(refusal)
    if len(ordered) > 4:
        yield seen("more questions refused", len(ordered) - 4)
