"""The line of the stack for a GPU of which little is known."""

import pytest

from gpudoctor.facts.gpus import Gpu, Gpus, Refusal
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.report.summary import stack_lines

LOST = (Refusal(call="nvmlDeviceGetName", code=15, name="NVML_ERROR_GPU_IS_LOST"),)


@pytest.mark.parametrize(
    ("gpu", "text"),
    [
        (Gpu(vendor="nvidia", index=1, refusals=LOST), "NVIDIA GPU 1, not named by the driver"),
        (Gpu(vendor="nvidia", pci_id="10de:2684"), "NVIDIA GPU, PCI id 10de:2684, model not known"),
        (Gpu(vendor="amd", pci_bus_id="0000:03:00.0"), "AMD GPU, at 0000:03:00.0, model not known"),
        (Gpu(), "GPU of unknown maker, model not known"),
    ],
)
def test_a_gpu_without_a_name(gpu: Gpu, text: str) -> None:
    assert stack_lines(Snapshot(gpus=Gpus(devices=(gpu,))), ())[0].text == text
