"""What a whole machine's snapshot did not see, each by itself: no verdict of health rests on it."""

import pytest
from msgspec.structs import replace

from gpudoctor.diagnosis.missing_facts import unseen_facts
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.system import Container, Slurm
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.rules.situations import unlisted
from tests.rules.stacks import libraries
from tests.whole import driver, framework, gpu, machine

GAP = Gap(reason="not seen")
CARD = gpu("NVIDIA GeForce RTX 3090", "8.6")


def whole(**sections):
    return replace(machine((CARD,), driver("550.54.14"), (framework("torch", "2.5.1+cu124"),)), **sections)


def with_torch(version, **facts):
    return machine((CARD,), driver("550.54.14"), (framework("torch", version, **facts),), libraries=libraries())


JETSON = {"host": replace(whole().host, tegra="R36")}


def answers(nvml, cuda):
    return driver(
        "550.54.14",
        nvml=Answer(outcome="answered", code=0, device_count=nvml),
        cuda_init=Answer(outcome="answered", code=0, device_count=cuda),
    )


BESIDE = Gpus(devices=(CARD, unlisted()))


@pytest.mark.parametrize(
    ("snapshot", "unseen"),
    [
        (whole(), None),
        *((whole(**{name: GAP}), words) for name, words in {
            "environ": "the environment variables",
            "toolkits": "the CUDA toolkits",
            "libraries": "the libraries of CUDA",
            "gpus": "the GPUs",
            "driver": "the driver",
            "frameworks": "the frameworks",
            "packages": "the installed packages",
            "host": "the operating system and the processor",
            "container": "whether this is a container",
            "interpreter": "the Python interpreter",
        }.items()),
        # Two that count the same GPUs disagree; NVML counts none on a Jetson.
        (whole(driver=answers(1, 2)), "which GPUs there are: NVML counts 1, the CUDA driver 2"),
        (whole(driver=answers(1, 1)), None),
        (whole(driver=answers(0, 1)), "NVML counts 0, the CUDA driver 1"),
        (whole(driver=answers(0, 1), **JETSON), None),
        (whole(driver=answers(1, 2), **JETSON), "NVML counts 1, the CUDA driver 2"),
        # A GPU that only the bus shows, unless it is given to somebody else.
        (whole(gpus=BESIDE), "the compute capability of GPU at"),
        (whole(gpus=Gpus(devices=(CARD, unlisted(bound_driver="vfio-pci")))), None),
        (whole(gpus=BESIDE, container=Container(kind="docker")), None),
        (whole(gpus=BESIDE, container=Container(kind="none")), "the compute capability"),
        (whole(gpus=BESIDE, container=Container(kind="none", slurm=Slurm(in_job=True))), None),
        (whole(gpus=BESIDE, container=Container(kind="none", slurm=Slurm(in_job=False))), "the compute capability"),
        (whole(gpus=Gpus(devices=(unlisted(),)), container=Container(kind="docker")), "the compute capability"),
        # Files of a framework that hold code for GPUs, and the way of its libraries.
        (with_torch("2.5.1+cu124"), "the GPU code of torch 2.5.1+cu124: its files were not seen"),
        (with_torch("2.5.1+cu124", code_files=False), "the files that hold it are not there"),
        (with_torch("2.5.1+cu124", code_files=True), "which libraries torch 2.5.1+cu124 loads: its files do not say"),
        (with_torch("2.5.1+cpu"), None),
    ],
)  # fmt: skip
def test_what_was_not_seen(snapshot, unseen):
    found = unseen_facts(snapshot, load_matrix())
    assert len(found) == (unseen is not None), found
    assert unseen is None or unseen in found[0]
