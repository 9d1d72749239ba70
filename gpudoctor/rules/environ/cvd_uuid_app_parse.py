"""ENV005: CUDA_VISIBLE_DEVICES holds names where some programs expect numbers."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.fix import Fix, SetEnv
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.system import Environ
from gpudoctor.rules._evidence import seen
from gpudoctor.rules.declare import rule
from gpudoctor.rules.visible_devices import read_mask


@rule("ENV005", name="cvd-uuid-app-parse", severity="info", since="0.1")
def cvd_uuid_app_parse(gpus: Gpus, environ: Environ) -> Iterator[Problem]:
    """CUDA_VISIBLE_DEVICES lists GPUs by UUID, which CUDA accepts but some programs do not.

    What it means:
    The variable may hold numbers or UUIDs. CUDA reads both. Some programs read the variable themselves and expect
    numbers.

    Why it breaks:
    They end with: invalid literal for int() with base 10: 'GPU-...'.

    How to fix it:
    For such a program, name the GPUs by their numbers, together with CUDA_DEVICE_ORDER=PCI_BUS_ID.

    When to ignore it:
    When no program complains.

    Sources:
    CUDA C++ programming guide, environment variables, https://docs.nvidia.com/cuda/cuda-c-programming-guide/
    """
    value = environ.get("CUDA_VISIBLE_DEVICES")
    if value is None or not value.strip().startswith("GPU-"):
        return
    mask = read_mask(value, gpus)
    by_uuid = {gpu.uuid: gpu.index for gpu in gpus.nvidia if gpu.uuid and gpu.index is not None}
    indexes = [by_uuid.get(uuid) for uuid in mask.visible]
    if mask.reason or not indexes or None in indexes:
        return
    numbers = ",".join(str(index) for index in indexes)
    steps = (SetEnv(name="CUDA_DEVICE_ORDER", value="PCI_BUS_ID"), SetEnv(name="CUDA_VISIBLE_DEVICES", value=numbers))
    yield Problem(
        summary="CUDA_VISIBLE_DEVICES lists GPUs by UUID; some programs accept only numbers.",
        confidence="possible",
        evidence=(seen("CUDA_VISIBLE_DEVICES", value), seen("the same GPUs by number", numbers)),
        fixes=(
            Fix(
                title="For a program that expects numbers, use numbers",
                safety="safe",
                steps=steps,
                undo=f"export CUDA_VISIBLE_DEVICES={value}",
            ),
        ),
    )
