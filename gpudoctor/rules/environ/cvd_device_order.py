"""ENV002: nvidia-smi and CUDA may number the GPUs differently, because they are different models."""

from gpudoctor.rules.sections import Environ, Gpus
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, problem, rule, seen, variable_seen
from gpudoctor.rules.visible_devices import is_numeric


@rule("ENV002", name="cvd-device-order", severity="info", when="gpus.several")
def cvd_device_order(gpus: Gpus, environ: Environ) -> Iterator[Problem]:
    """nvidia-smi and CUDA may number the GPUs differently, because they are different models.

    What it means:
    nvidia-smi numbers the GPUs by their slot. CUDA by default puts the fastest first. With different models, GPU 0 of a
    program can be GPU 1 of nvidia-smi.

    Why it breaks:
    CUDA_VISIBLE_DEVICES=1 then selects another card than you expect, and a memory reading seems to belong to the wrong
    one.

    How to fix it:
    Set CUDA_DEVICE_ORDER=PCI_BUS_ID, which makes CUDA number like nvidia-smi, or name GPUs by UUID.

    When to ignore it:
    When you do not select GPUs by number.

    Sources:
    CUDA programming guide, environment variables,
    https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html
    """
    models = sorted({gpu.name for gpu in gpus.nvidia if gpu.name and gpu.index is not None})
    mask = environ.get("CUDA_VISIBLE_DEVICES")
    if len(models) < 2 or environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or (mask and not is_numeric(mask)):
        return
    yield problem(
        "The GPUs are different models, so CUDA may number them differently from nvidia-smi.",
        seen("models", ", ".join(models)),
        *variable_seen("CUDA_DEVICE_ORDER", environ),
        *((seen("CUDA_VISIBLE_DEVICES", mask),) if mask else ()),
        confidence="likely" if mask else "possible",
        fix=Fix("Number the GPUs like nvidia-smi", "safe", (SetEnv(name="CUDA_DEVICE_ORDER", value="PCI_BUS_ID"),)),
    )
