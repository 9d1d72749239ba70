"""What follows from stated facts says so, and from what; what a look of ours saw stays as it is."""

import pytest

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.facts.system import Container, System, Wsl
from gpudoctor.inference.infer import infer
from gpudoctor.knowledge.matrix.load import load_matrix

UNSEEN = Gap(reason="not seen")


def implied(**sections):
    return infer(Snapshot(**{**dict.fromkeys(SECTIONS, UNSEEN), **sections}), load_matrix())


def tensorflow(kind):
    source = Source(kind=kind, where="pip list, line 3")
    return Frameworks(found=(Framework(name="tensorflow", version="2.13.0", source=source),))


def test_a_stated_build_follows_from_the_matrix_and_says_so():
    host = System(os="linux", arch="x86_64")
    (found,) = implied(host=host, frameworks=tensorflow("report")).frameworks.found
    assert (found.variant, str(found.cuda)) == ("cuda", "11.8")
    assert found.source == Source(kind="derived", where="pip list, line 3, and the matrix")
    assert implied(host=host, frameworks=Frameworks(found=(found,))).frameworks.found == (found,)


@pytest.mark.parametrize("kind", ["file", "metadata"])
def test_a_seen_build_is_not_guessed(kind):
    (found,) = implied(host=System(os="linux", arch="x86_64"), frameworks=tensorflow(kind)).frameworks.found
    assert (found.variant, found.source.kind) == (None, kind)


@pytest.mark.parametrize(
    ("gpu", "os", "arch"),
    [
        ("NVIDIA GeForce RTX 3090", "linux", "x86_64"),
        ("NVIDIA GeForce RTX 3090", "windows", "x86_64"),
        ("NVIDIA GH200 480GB", "linux", None),
        ("NVIDIA GeForce GT 750M", "macos", None),
        (None, "linux", None),
    ],
)
def test_the_processor_of_a_discrete_gpu(gpu, os, arch):
    gpus = Gpus(devices=(Gpu(vendor="nvidia", name=gpu),))
    assert implied(host=System(os=os), gpus=gpus).host.arch == arch
    assert implied(host=System(os=os, arch="aarch64"), gpus=gpus).host.arch == "aarch64"


@pytest.mark.parametrize(
    ("container", "wsl"),
    [
        (UNSEEN, Wsl(version=2)),
        (Container(kind="docker"), Wsl(version=2)),
        (Container(wsl=Wsl(version=1)), Wsl(version=1)),
    ],
)
def test_a_kernel_of_microsoft_is_that_of_wsl(container, wsl):
    host = System(os="linux", kernel="5.15.153.1-microsoft-standard-WSL2")
    assert implied(host=host, container=container).container.wsl == wsl


def test_where_we_looked_and_found_no_container_there_is_none():
    host = System(os="linux", kernel="5.15.153.1-microsoft-standard-WSL2")
    assert implied(host=host, container=None).container is None


@pytest.mark.parametrize(
    ("version", "implementation", "abi"),
    [("3.10.12", None, "cp310"), ("3.10.12", "pypy", None), ("3", None, None), (None, None, None)],
)
def test_the_abi_of_a_python(version, implementation, abi):
    python = Interpreter(executable="python", chosen_by="report", version=version, implementation=implementation)
    assert implied(interpreter=python).interpreter.abi == abi
