"""ENV002: numbers of GPUs that may mean other cards."""

from gpudoctor.rules.sections import Environ, Gpus
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, problem, rule, seen
from gpudoctor.rules.visible_devices import is_numeric


@rule("ENV002", name="cvd-device-order", severity="info", when="gpus.several")
def cvd_device_order(gpus: Gpus, environ: Environ) -> Iterator[Problem]:
    """nvidia-smi and CUDA may number the GPUs differently, because they are different models."""
    models = sorted({gpu.name for gpu in gpus.nvidia if gpu.name and gpu.index is not None})
    mask = environ.get("CUDA_VISIBLE_DEVICES")
    if len(models) < 2 or environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or (mask and not is_numeric(mask)):
        return
    yield problem(
        "The GPUs are different models, so CUDA may number them differently from nvidia-smi.",
        seen("models", ", ".join(models)),
        seen("CUDA_DEVICE_ORDER", environ.get("CUDA_DEVICE_ORDER") or "not set"),
        *((seen("CUDA_VISIBLE_DEVICES", mask),) if mask else ()),
        confidence="likely" if mask else "possible",
        fix=Fix("Number the GPUs like nvidia-smi", "safe", (SetEnv(name="CUDA_DEVICE_ORDER", value="PCI_BUS_ID"),)),
    )
