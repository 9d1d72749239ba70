"""Which release of an extension goes with the torch that is there."""

import pytest

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.extension_for import Beside, extension_for

LINUX = "linux-x86_64"


@pytest.mark.parametrize(
    ("name", "beside", "wanted"),
    [
        ("xformers", Beside(torch="2.5.1+cu121", cuda=12, python="3.11", platform=LINUX), "xformers==0.0.29.post1"),
        ("xformers", Beside(torch="2.9.0+cu130", cuda=13, python="3.12", platform=LINUX), "xformers==0.0.33"),
        ("xformers", Beside(torch="2.9.0+cu128", cuda=12, python="3.12", platform=LINUX), "xformers==0.0.33.post1"),
        ("vllm", Beside(torch="2.6.0+cu124", cuda=12, python="3.12", platform=LINUX), "vllm==0.8.5.post1"),
        ("vllm", Beside(torch="2.6.0+cu124", cuda=12, python="3.12", platform="windows-x86_64"), None),
        ("torchcodec", Beside(torch="2.9.1+cpu", cuda=0, python="3.12", platform=LINUX), "torchcodec==0.9.1"),
        ("cupy", Beside(cuda=11, python="3.12", platform=LINUX), "cupy-cuda11x==13.6.0"),
        ("cupy-cuda12x", Beside(cuda=12, python="3.12", platform=LINUX), "cupy-cuda12x==14.2.0"),
        ("xformers", Beside(torch="2.6.0+cpu", cuda=0, python="3.12", platform=LINUX), None),
        ("xformers", Beside(torch="2.9.0", capabilities=(Capability("7.0"),)), None),
        ("no-such-package", Beside(), None),
    ],
)
def test_the_newest_release_for_what_is_there(name, beside, wanted):
    found = extension_for(name, beside, load_matrix())
    assert (found.requirement if found else None) == wanted


def test_an_older_one_is_asked_for():
    beside = Beside(torch="2.10.0", cuda=12, python="3.12", platform=LINUX)
    found = extension_for("xformers", beside, load_matrix(), "<0.0.35")
    assert found is not None and found.requirement == "xformers==0.0.34"
