"""GPU023: the installed nvidia-smi cannot report the compute capability; tools that ask for it fail."""

from gpudoctor.rules.sections import Driver, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: nvidia-smi of this branch and older ones answer: Field "compute_cap" is not a valid field to query.
LAST_WITHOUT = 470


@rule(
    "GPU023",
    name="collector-field-unsupported",
    severity="info",
    when="gpus.nvidia.is_listed, driver.release, driver.module_release",
)
def collector_field_unsupported(gpus: Gpus, driver: Driver) -> Iterator[Problem]:
    """The installed nvidia-smi cannot report the compute capability; tools that ask for it fail.

    What it means:
    Build scripts ask nvidia-smi --query-gpu=compute_cap for which GPU they should compile. This driver's nvidia-smi is
    older than that question. The GPU itself is fine.

    Why it breaks:
    The script ends with: Field "compute_cap" is not a valid field to query.

    How to fix it:
    Give the script the compute capability yourself, in the variable it names; or update the driver.

    When to ignore it:
    When no tool complains.

    Sources:
    https://github.com/huggingface/candle/issues/733 (driver 470), https://github.com/NVIDIA/TensorRT-LLM/pull/735
    """
    served = [gpu for gpu in gpus.nvidia if gpu.is_listed and gpu.capability is not None]
    if not served or driver.release is None or driver.release.branch > LAST_WITHOUT or driver.module_release is None:
        return
    known = ", ".join(dict.fromkeys(str(gpu.capability) for gpu in served))
    text = f"Set what the tool reads, such as CUDA_COMPUTE_CAP or TORCH_CUDA_ARCH_LIST, to {known}."
    yield problem(
        "The nvidia-smi of this driver does not know the field compute_cap, which some build tools ask for.",
        seen("driver release", driver.release),
        seen("compute capability, as NVML tells it", known),
        # Nothing here is seen to ask: notes of what was seen come before it.
        confidence="possible",
        fix=by_hand("Tell the tool the compute capability", text),
    )
