"""The device file that AMD's GPUs compute through, from machines that are written down."""

import pytest

from gpudoctor.facts.gpus import DeviceNode, Gpus
from gpudoctor.host.machine import Machine
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.gpus import probe as gpus
from tests.machines import answers, parts

RADEON = parts.merge(
    parts.linux("ubuntu", "24.04", "6.14.0-29-generic"),
    parts.pci("0000:03:00.0", "1002:744c", driver="amdgpu"),
    answers.nvml_missing(),
    answers.cuda_missing(),
)
SHUT = parts.nodes("kfd", mode=0o660, group="render", refused="EACCES")
KFD = DeviceNode(path="/dev/kfd", mode=0o660, owner="root", group="render", accessible=False, error="EACCES")


@pytest.mark.parametrize(("file", "seen"), [(SHUT, (KFD,)), (Machine(), ())])
def test_the_device_file_of_amd(file, seen):
    found, _, _ = gpus.probe(RecordedHost.of(parts.merge(RADEON, file)))
    assert isinstance(found, Gpus)
    assert found.amd_nodes == seen


def test_where_there_is_no_gpu_of_amd_s_nobody_looks():
    nvidia = parts.merge(RADEON, SHUT, Machine(files={"/sys/bus/pci/devices/0000:03:00.0/vendor": "0x10de\n"}))
    found, _, _ = gpus.probe(RecordedHost.of(nvidia))
    assert isinstance(found, Gpus)
    assert found.amd_nodes is None
