"""What torch.compile asks of the driver beyond what PyTorch does."""

import pytest

from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.cuda_compat import is_data_centre
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit
from gpudoctor.plan.triton import brings_ptxas

LINUX = "linux-x86_64"


@pytest.mark.parametrize(
    ("driver", "gpu", "wish", "said"),
    [
        ("570.86.16", "12.0", "==2.13.0", True),  # ptxas-blackwell of Triton 3.7 is of CUDA 13.1
        ("580.65.06", "12.0", "==2.13.0", False),
        ("570.86.16", "8.9", "==2.13.0", False),  # before 10.0 it is ptxas 12.8
        ("470.223.02", "7.0", "==2.7.1", False),  # PyTorch for CUDA 11.8 brings its own
    ],
)
def test_its_assembler_has_a_floor_of_its_own(driver: str, gpu: str, wish: str, said: bool) -> None:
    where = Machine(driver=DriverRelease(driver), capabilities=(Capability(gpu),), python="3.12", platform=LINUX)
    found = fit(where, (Wanted(framework="torch", specifier=wish),), load_matrix()).environments[0].proposals[0]
    assert any("torch.compile" in text for text in found.limits) is said


def test_builds_for_cuda_11_bring_an_assembler() -> None:
    assert brings_ptxas("2.7.1+cu118", CudaVersion("11.8"))
    assert not brings_ptxas("2.2.0+cu118", CudaVersion("11.8"))
    assert not brings_ptxas("2.7.1+cu126", CudaVersion("12.6"))


@pytest.mark.parametrize(("name", "is_one"), [("A100", True), ("V100", True), ("RTX 3090", False), ("GB10", False)])
def test_data_centre_gpus_by_what_people_call_them(name: str, is_one: bool) -> None:
    assert is_data_centre(Machine(gpu_names=(name,)), load_matrix()) is is_one
