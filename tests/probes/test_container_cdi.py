"""Tables for the lists of GPUs that container engines read."""

import pytest

from gpudoctor.facts.system import CdiList
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.container.tools import parse_list, read_lists

FOLDER = "/usr/lib/x86_64-linux-gnu"
CUDA, NVML = f"{FOLDER}/libcuda.so.535.161.07", f"{FOLDER}/libnvidia-ml.so.535.161.07"
#: As nvidia-ctk writes them.
YAML = f"""---
cdiVersion: 0.5.0
containerEdits:
  env:
  - NVIDIA_VISIBLE_DEVICES=void
  hooks:
  - args:
    - nvidia-cdi-hook
    - create-symlinks
    - --link
    - libcuda.so.535.161.07::{FOLDER}/libcuda.so.1
    hookName: createContainer
    path: /usr/bin/nvidia-cdi-hook
  mounts:
  - containerPath: {FOLDER}/libEGL_nvidia.so.535.161.07
    hostPath: {FOLDER}/libEGL_nvidia.so.535.161.07
  - containerPath: {CUDA}
    hostPath: {CUDA}
    options:
    - ro
  - containerPath: {NVML}
    hostPath: {NVML}
devices:
- containerEdits:
    deviceNodes:
    - path: /dev/nvidia0
  name: "0"
kind: nvidia.com/gpu
"""
JSON = (
    '{"cdiVersion":"0.5.0","kind":"nvidia.com/gpu","containerEdits":{"mounts":['
    f'{{"hostPath":"{CUDA}","containerPath":"{CUDA}"}},{{"hostPath":"{NVML}","containerPath":"{NVML}"}}]}}}}'
)
WSL = """kind: nvidia.com/gpu
containerEdits:
  mounts:
  - hostPath: /usr/lib/wsl/drivers/nv_dispi.inf_amd64_1/libcuda.so.1.1
  - hostPath: /usr/lib/wsl/lib/libdxcore.so
"""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (YAML, {CUDA: "535.161.07", NVML: "535.161.07"}),
        (JSON, {CUDA: "535.161.07", NVML: "535.161.07"}),
        (YAML.replace("kind: nvidia.com/gpu", 'kind: "nvidia.com/gpu"'), {CUDA: "535.161.07", NVML: "535.161.07"}),
        (YAML.replace("nvidia.com/gpu", "k8s.device-plugin.nvidia.com/gpu"), None),
        (YAML.replace("nvidia.com/gpu", "amd.com/gpu"), None),
        ("kind: nvidia.com/gpu\n", {}),
        ("", None),
        ("\0\x80{", None),
    ],
)
def test_parse_list(text, named):
    assert parse_list(text) == named


OLD = DriverRelease("535.161.07")
ETC, RUN = "/etc/cdi/nvidia.yaml", "/var/run/cdi/nvidia.yaml"


def test_a_list_of_wsl_names_no_release_of_the_driver():
    assert read_lists(RecordedHost({ETC: WSL})) == (CdiList(path=ETC),)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, ()),
        ({"/etc/cdi/README": YAML}, ()),
        ({ETC: YAML}, (CdiList(path=ETC, release=OLD, absent=(CUDA, NVML)),)),
        ({ETC: YAML, CUDA: "ELF"}, (CdiList(path=ETC, release=OLD, absent=(NVML,)),)),
        ({ETC: YAML, CUDA: "ELF", NVML: "ELF"}, (CdiList(path=ETC, release=OLD),)),
        (
            {RUN: JSON, ETC: YAML, CUDA: "ELF", NVML: "ELF"},
            (CdiList(path=ETC, release=OLD), CdiList(path=RUN, release=OLD)),
        ),
        (
            {ETC: YAML.replace(NVML, f"{FOLDER}/libnvidia-ml.so.550.90.07"), CUDA: "ELF"},
            (CdiList(path=ETC, absent=(f"{FOLDER}/libnvidia-ml.so.550.90.07",)),),
        ),
        ({"/etc/cdi/other.yaml": "kind: amd.com/gpu\n"}, ()),
    ],
)
def test_read_lists(files, found):
    assert read_lists(RecordedHost(files)) == found


def test_a_list_that_may_not_be_read_is_not_seen():
    assert read_lists(RecordedHost({ETC: YAML}, gaps={ETC: "permission denied"})) is None


def test_a_library_that_may_not_be_looked_at_is_not_called_absent():
    (found,) = read_lists(RecordedHost({ETC: YAML, NVML: "ELF"}, gaps={CUDA: "permission denied"})) or ()
    assert found.absent == ()
