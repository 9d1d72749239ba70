"""GPU005: a GPU's memory had uncorrectable errors."""

from gpudoctor.rules._driver_state import failed_with, of_gpu, xid_lines
from gpudoctor.rules._gpu_fixes import reset
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Driver, Gap, Gpu, Gpus
from gpudoctor.rules.terms import Evidence, Iterator, Problem, answer_seen, log_seen, problem, rule, seen

#: Double-bit error; uncontained error. 63 and 94 are errors that were contained or remapped, and are no fault by now.
XIDS = (48, 95)
#: CUDA_ERROR_ECC_UNCORRECTABLE.
CUDA_ECC = 214


@rule(
    "GPU005",
    name="ecc-uncorrectable",
    severity="error",
    when="driver.kernel_log or gpus.nvidia.ecc_uncorrected_volatile or driver.cuda_init.code",
)
def ecc_uncorrectable(gpus: Gpus, driver: Driver | Gap | None) -> Iterator[Problem]:
    """A GPU's memory had uncorrectable errors.

    What it means:
    ECC checks the GPU's memory. Since the driver was loaded it met errors it could not correct. Programs that touched
    that memory were ended (CUDA error 214), and results before that may be wrong.

    Why it breaks:
    A memory cell is failing, seldom a passing disturbance.

    How to fix it:
    End all work on this GPU and restart it: the driver then takes the bad memory out of use. If errors come back, have
    the GPU tested and exchanged. Do not switch ECC off: that hides the error and keeps the wrong results.

    When to ignore it:
    Never.

    Sources:
    NVIDIA GPU memory error management, https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/; Xid 48 and 95,
    https://docs.nvidia.com/deploy/xid-errors/
    """
    state = known(driver)
    lines = xid_lines(state, *XIDS) if state else ()
    refused = state.cuda_init if state and failed_with(state.cuda_init, CUDA_ECC) else None
    told = [gpu for gpu in gpus.nvidia if gpu.ecc_uncorrected_volatile or of_gpu(lines, gpu)]
    # CUDA's own answer does not name the GPU; with one GPU it need not.
    if refused and not told and len(gpus.nvidia) == 1:
        told = list(gpus.nvidia)
    for gpu in told:
        own = of_gpu(lines, gpu)
        count = gpu.ecc_uncorrected_volatile or 0
        yield problem(
            _summary(count),
            *((seen("uncorrected memory errors since the driver was loaded", count),) if count else ()),
            *_totals(gpu),
            *log_seen(own),
            *((answer_seen("The CUDA driver", refused),) if refused else ()),
            subject=gpu.label,
            fix=reset(
                gpu,
                first="Move the work to another GPU and end every program on this one.",
                then="If errors come back, have the GPU tested and replaced. Leave ECC on.",
            ),
        )


def _summary(count: int) -> str:
    if not count:
        return "The driver reports uncorrectable memory errors of a GPU."
    errors = "1 error" if count == 1 else f"{count} errors"
    return f"This GPU's memory had {errors} that could not be corrected."


def _totals(gpu: Gpu) -> Iterator[Evidence]:
    if gpu.ecc_uncorrected_aggregate is not None:
        yield seen("uncorrected memory errors in all", gpu.ecc_uncorrected_aggregate)
    if gpu.retired_pages is not None:
        yield seen("memory pages retired", gpu.retired_pages)
