"""Where the facts were taken, in the words that causes use; the system, by facts and by a text's words."""

import pytest
from msgspec.structs import replace

from gpudoctor.diagnosis.surroundings import surroundings_of, system_of
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, Slurm, System, Wsl
from tests.rules.situations import gpu, gpus
from tests.rules.stacks import interpreter, packages

WSL = Wsl(version=2)
GAP = Gap(reason="not stated")
LIB64 = packages("torch==2.6.0")


def located(folder):
    return replace(LIB64, installed=tuple(replace(one, location=folder) for one in LIB64.installed))


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({}, set()),
        ({"host": System(os="linux")}, set()),
        ({"host": System(os="windows")}, {"windows"}),
        ({"host": System(os="macos")}, {"macos"}),
        ({"host": System(os="linux", tegra="R36")}, {"jetson"}),
        ({"container": Container(kind="none")}, set()),
        ({"container": Container()}, set()),
        ({"container": Container(kind="docker")}, {"container"}),
        ({"container": Container(kubernetes=True)}, {"container"}),
        ({"container": Container(kind="none", kubernetes=True)}, {"container"}),
        ({"container": Container(kind="none", wsl=WSL)}, {"wsl"}),
        ({"container": Container(kind="apptainer", wsl=WSL)}, {"wsl", "wsl-apptainer", "container"}),
        ({"container": Container(kind="apptainer")}, {"container"}),
        ({"container": Container(kind="none", notebook="colab")}, {"notebook"}),
        ({"container": Container(kind="docker", rootless=True)}, {"container", "rootless"}),
        ({"container": Container(kind="none", slurm=Slurm(in_job=True))}, {"slurm"}),
        ({"container": Container(kind="docker", gpus_requested=False)}, {"container", "no-gpu-flag"}),
        ({"container": Container(kind="docker", gpus_requested=True)}, {"container"}),
        ({"gpus": gpus(Gpu(vendor="amd"))}, {"amd"}),
        ({"gpus": gpus(Gpu(vendor="amd"), gpu())}, set()),
        ({"gpus": gpus(gpu(), gpu(1))}, {"several-gpus"}),
        ({"gpus": gpus(gpu(virtualization="vgpu"))}, {"vgpu"}),
        ({"gpus": gpus(gpu(virtualization="passthrough"))}, set()),
        ({"gpus": gpus(gpu(name="NVIDIA GeForce RTX 4070 Laptop GPU"))}, {"laptop"}),
        ({"gpus": gpus(gpu(name=None))}, set()),
        ({"packages": located("/usr/lib64/python3.9/site-packages")}, {"lib64"}),
        ({"packages": located("/usr/lib/python3.9/site-packages")}, set()),
        ({"packages": LIB64}, set()),
        ({"interpreter": interpreter(environment="conda-base")}, {"conda"}),
        ({"interpreter": interpreter(environment=None)}, set()),
    ],
)
def test_the_surroundings(sections, words):
    assert surroundings_of(Snapshot(**sections)) == words


@pytest.mark.parametrize(
    ("sections", "around", "system"),
    [
        ({"host": System(os="linux")}, (), "linux"),
        ({"host": System(os="linux"), "container": Container(wsl=WSL)}, (), "wsl"),
        # Facts say more than words.
        ({"host": System(os="windows")}, ("macos",), "windows"),
        ({"host": GAP}, ("macos",), "macos"),
        # Who is in WSL names Windows, too.
        ({"host": GAP}, ("wsl", "windows"), "wsl"),
        ({"host": GAP}, ("windows", "macos"), None),
        ({"host": GAP}, ("container",), None),
        ({"host": GAP}, (), None),
    ],
)
def test_the_system(sections, around, system):
    assert system_of(Snapshot(**sections), around) == system
