"""GPU006: faulty memory of a GPU could not be replaced, or needs a reset to be replaced."""

from gpudoctor.rules._gpu_fixes import reset
from gpudoctor.rules.sections import Gpu, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule(
    "GPU006",
    name="row-remap-failure",
    severity="error",
    when="gpus.nvidia.row_remaps or gpus.nvidia.retired_pages_pending",
)
def row_remap_failure(gpus: Gpus) -> Iterator[Problem]:
    """Faulty memory of a GPU could not be replaced, or needs a reset to be replaced.

    What it means:
    GPUs from Ampere on have spare memory rows and exchange bad ones for them; older ones retire bad pages. Either the
    exchange failed because no spare is left, or it takes place only at the next reset.

    Why it breaks:
    Until the reset the bad row stays in use. When the spares are gone, every further error hits programs.

    How to fix it:
    Pending: end the work on the GPU, and reset it or restart. Failed: take the GPU out of use and have it exchanged.

    When to ignore it:
    A pending exchange can wait for the next maintenance window.

    Sources:
    NVIDIA GPU memory error management, row remapping, https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/
    """
    for gpu in gpus.nvidia:
        remaps = gpu.row_remaps
        if remaps is not None and remaps.failed:
            evidence = [seen("row remapping", "failed")]
            if remaps.uncorrectable is not None:
                evidence.append(seen("rows remapped after uncorrectable errors", remaps.uncorrectable))
            text = "Take this GPU out of use, save nvidia-bug-report.sh's file, and have the GPU replaced."
            yield problem(
                "Faulty memory of this GPU could not be replaced: no spare rows are left.",
                *tuple(evidence),
                subject=gpu.label,
                fix=by_hand("Have the GPU replaced", text),
            )
        elif (remaps is not None and remaps.pending) or gpu.retired_pages_pending:
            yield _pending(gpu)


def _pending(gpu: Gpu) -> Problem:
    return problem(
        "Faulty memory of this GPU will be replaced at the next reset; until then it stays in use.",
        seen("replacement of faulty memory", "waits for a reset"),
        subject=gpu.label,
        severity="warning",
        not_leading_to=("ecc-uncorrectable",),
        fix=reset(gpu),
    )
