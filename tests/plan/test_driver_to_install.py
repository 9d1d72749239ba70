"""Which branch of the driver to install, by the GPUs and the CUDA that it must offer."""

import pytest

from gpudoctor.facts.versions import Capability, CudaVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.driver_to_install import driver_to_install
from gpudoctor.plan.machine import Machine

MATRIX = load_matrix()
FERMI, KEPLER, PASCAL, VOLTA, ADA, BLACKWELL, RUBIN = "2.0", "3.7", "6.1", "7.0", "8.9", "12.0", "10.7"


@pytest.mark.parametrize(
    ("gpus", "cuda", "branch"),
    [
        # With long support, although newer ones are there.
        ((ADA,), None, "580"),
        ((ADA,), "12.4", "580"),
        ((ADA,), "13.0", "580"),
        ((BLACKWELL, PASCAL), None, "580"),
        # The last that serves it.
        ((FERMI,), None, "390"),
        ((KEPLER,), None, "470"),
        # None with long support offers that CUDA, or serves that GPU.
        ((ADA,), "13.1", "615"),
        ((RUBIN,), None, "615"),
        # None offers it, or serves both.
        ((VOLTA,), "13.1", None),
        ((FERMI,), "12.4", None),
        ((ADA,), "99.0", None),
        ((ADA, KEPLER), None, None),
        ((KEPLER, BLACKWELL), None, None),
        # A CUDA alone: for any GPU that it compiles for.
        ((), "12.4", "580"),
        ((), "8.0", "390"),
        ((), "11.8", None),
        # Neither is known.
        ((), None, None),
        ((), "99.0", None),
    ],
)
def test_the_branch(gpus, cuda, branch):
    machine = Machine(platform="linux-x86_64", capabilities=tuple(map(Capability, gpus)))
    assert driver_to_install(machine, CudaVersion(cuda) if cuda else None, MATRIX) == branch


@pytest.mark.parametrize("machine", [Machine(platform="windows-x86_64"), Machine(platform="linux-x86_64", wsl=True)])
def test_windows_has_other_drivers(machine):
    assert driver_to_install(machine, CudaVersion("12.4"), MATRIX) is None
