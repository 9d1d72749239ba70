"""Which release of an extension goes with the torch that is there."""

import pytest

from gpudoctor.facts.python import Framework
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import Capability, CudaVersion, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.extension_for import Beside, against, beside_torch, extension_for, rows_of
from tests.rules.stacks import UBUNTU, interpreter, torch

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
        ("torchao", Beside(torch="2.9.1+cu128", cuda=12, python="3.12", platform=LINUX), "torchao==0.15.0"),
        ("torchao", Beside(torch="2.12.0", cuda=13, python="3.12", platform=LINUX), "torchao==0.18.0"),
        ("auto-gptq", Beside(torch="2.1.2+cu121", cuda=12, python="3.11", platform=LINUX), "auto-gptq==0.6.0"),
        ("auto-gptq", Beside(torch="2.6.0+cu124", cuda=12, python="3.11", platform=LINUX), None),
        ("tensorrt", Beside(cuda=12, python="3.12", platform=LINUX), "tensorrt-cu12==11.4.0.106"),
        ("tensorrt", Beside(cuda=13, python="3.12", platform=LINUX, capabilities=(Capability("7.0"),)), None),
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


FLASH = "https://github.com/Dao-AILab/flash-attention/releases/download/v2.8.3.post1/flash_attn-2.8.3.post1"
CAUSAL = "https://github.com/Dao-AILab/causal-conv1d/releases/download/v1.6.1.post4/causal_conv1d-1.6.1"


@pytest.mark.parametrize(
    ("name", "beside", "wheel"),
    [
        (
            "flash-attn",
            Beside(torch="2.8.0+cu128", cuda=12, python="3.12", platform=LINUX, new_abi=True),
            f"{FLASH}%2Bcu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
        ),
        (
            "flash-attn",
            Beside(torch="2.6.0+cu124", cuda=12, python="3.11", platform=LINUX, new_abi=False),
            f"{FLASH}%2Bcu12torch2.6cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
        ),
        (
            "flash-attn",
            Beside(torch="2.3.1+cu118", cuda=11, python="3.10", platform=LINUX, new_abi=False),
            f"{FLASH.replace('2.8.3.post1', '2.7.3')}%2Bcu11torch2.3cxx11abiFALSE-cp310-cp310-linux_x86_64.whl",
        ),
        # The files of a release may stand under the tag of a later one.
        (
            "causal-conv1d",
            Beside(torch="2.7.1", cuda=12, python="3.12", platform=LINUX, new_abi=True),
            f"{CAUSAL}%2Bcu12torch2.7cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
        ),
    ],
)
def test_a_wheel_of_the_release_page_comes_before_compiling(name, beside, wheel):
    found = extension_for(name, beside, load_matrix())
    assert found is not None and found.requirement == f"{name} @ {wheel}" and not found.is_compiled


@pytest.mark.parametrize(
    "beside",
    [
        Beside(torch="2.8.0", cuda=13, python="3.12", platform=LINUX, new_abi=True),
        Beside(torch="2.8.0", cuda=12, python="3.14", platform=LINUX, new_abi=True),
        Beside(torch="2.8.0", cuda=12, python="3.12", platform=LINUX, new_abi=None),
        Beside(torch="2.8.0", cuda=12, python="3.12", platform="linux-aarch64", new_abi=True),
        Beside(torch="2.15.0", cuda=12, python="3.12", platform=LINUX, new_abi=True),
        # It is built where glibc is 2.35.
        Beside(torch="2.8.0", cuda=12, python="3.12", platform=LINUX, new_abi=True, glibc=LibraryVersion("2.31")),
    ],
)
def test_it_is_compiled_where_no_wheel_is_made_for_what_is_there(beside):
    found = extension_for("flash-attn", beside, load_matrix())
    assert found is not None and found.is_compiled and found.options == ("--no-build-isolation",)


@pytest.mark.parametrize(
    ("there", "cuda", "new_abi"),
    [
        (torch("2.6.0+cu124"), 12, False),
        (torch("2.7.0+cu126"), 12, True),
        (torch("2.6.0+cpu"), 0, False),
        # The package index has one build of a release; what torch itself says counts more.
        (Framework(name="torch", version="2.6.0"), 12, False),
        (Framework(name="torch", version="2.6.0", cuda=CudaVersion("11.8"), cxx11_abi=True), 11, True),
        (Framework(name="torch", version="99.0"), None, None),
        (Framework(name="torch", version=None), None, None),
    ],
)
def test_what_the_torch_that_stays_is(there, cuda, new_abi):
    found = beside_torch(there, Scene(host=UBUNTU, interpreter=interpreter("3.11.2")), load_matrix())
    assert (found.torch, found.cuda, found.new_abi) == (there.version, cuda, new_abi)
    assert (found.python, found.platform) == ("3.11", LINUX)


@pytest.mark.parametrize(
    ("name", "beside", "why"),
    [
        ("vllm", Beside(capabilities=(Capability("8.9"), Capability("6.1"))), "needs a GPU of compute capability 7.5"),
        ("vllm", Beside(capabilities=(Capability("7.5"),)), None),
        ("vllm", Beside(platform="windows-x86_64"), "is for linux-aarch64 and linux-x86_64 only"),
        ("vllm", Beside(python="3.9"), "needs Python <3.15,>=3.11"),
        ("vllm", Beside(torch="2.6.0+cu124"), "is made for torch==2.14.0"),
        ("vllm", Beside(cuda=12), "is built for CUDA 13"),
        ("vllm", Beside(cuda=13, torch="2.14.0", python="3.12", platform=LINUX), None),
        ("cupy", Beside(cuda=13, numpy=("<2",)), "needs numpy"),
        ("cupy", Beside(cuda=13, numpy=(">=2",)), None),
    ],
)
def test_what_is_against_the_newest_release(name, beside, why):
    found = against(rows_of(name, load_matrix())[0], beside)
    assert found is None if why is None else found.startswith(why)
