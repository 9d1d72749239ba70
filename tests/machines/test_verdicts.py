"""The root causes that the rules find on each machine: what is wrong there, and nothing that merely follows from it."""

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.probes.container import probe as container
from gpudoctor.probes.driver import probe as driver
from gpudoctor.probes.environ import probe as environ
from gpudoctor.probes.gpus import probe as gpus
from gpudoctor.probes.system import probe as system
from gpudoctor.rules.load import load_rules
from tests.machines import MACHINES, host_of

ROOT_CAUSES: dict[str, set[str]] = {
    "ubuntu-3090-healthy": set(),
    "ubuntu-3090-mismatch": {"drv-lib-mismatch"},
    "ubuntu-3060-not-loaded": {"drv-kernel-headers-missing"},
    "debian-970-nouveau": {"drv-nouveau-bound"},
    "ubuntu-3090-secure-boot": {"drv-secureboot-rejected"},
    "ubuntu-3090-no-nodes": {"dev-nodes-missing"},
    "ubuntu-3090-no-permission": {"dev-permission"},
    "rocky-a100-slurm-without-gpu": {"slurm-no-gpu"},
    "ubuntu-h100-fabric-manager-down": {"fabric-manager-version"},
    "debian-cloud-without-gpu": {"no-gpu"},
    "fedora-radeon": {"no-gpu"},
    "arch-hybrid-laptop": {"laptop-gpu-off"},
    "jetson-orin": set(),
    "docker-without-gpu": {"container-no-gpu-flag"},
    "kubernetes-device-lost": {"container-cgroup-device-lost"},
    "wsl2-4090-healthy": set(),
    "wsl2-linux-driver": {"wsl-linux-driver-installed"},
    "wsl1": {"wsl1"},
    "windows11-4090": set(),
    "macos-m2": {"no-gpu"},
}


@pytest.mark.parametrize("name", ROOT_CAUSES)
def test_root_causes(name: str) -> None:
    diagnosis = diagnose(_machine(name), load_matrix(), load_rules(), None)
    assert not diagnosis.crashed, diagnosis.crashed
    assert {finding.name for finding in diagnosis.root_causes} == ROOT_CAUSES[name]


def test_every_named_machine_is_there() -> None:
    assert set(ROOT_CAUSES) <= set(MACHINES)


def _machine(name: str) -> Snapshot:
    """The machine's own sections; there is no target."""
    host = host_of(name)
    found, nvml, cuda = gpus.probe(host)
    return Snapshot(
        host=system.probe(host),
        container=container.probe(host),
        environ=environ.probe(host),
        gpus=found,
        driver=driver.probe(host, nvml, cuda),
        toolkits=None,
        frameworks=None,
    )
