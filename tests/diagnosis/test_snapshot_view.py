"""Short ways to what a snapshot states: which system it may be, whose GPUs, what it is about."""

import re

import pytest

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System, Wsl
from tests.rules.situations import gpu, gpus
from tests.rules.stacks import RADEON, RTX_4090, frameworks, libraries, packages, resolution, torch

GAP = Gap(reason="not stated")


def seen(around=(), **sections):
    return SnapshotView(Snapshot(**sections), around)


@pytest.mark.parametrize(
    ("view", "systems"),
    [
        (seen(host=System(os="linux"), container=None), {"linux"}),
        # A Linux of which nothing else is known may be WSL's.
        (seen(host=System(os="linux"), container=GAP), {"linux", "wsl"}),
        (seen(host=System(os="windows"), container=GAP), {"windows"}),
        (seen(host=System(os="linux"), container=Container(wsl=Wsl(version=2))), {"wsl"}),
        (seen(host=System(is_posix=True)), {"linux", "wsl", "macos"}),
        (seen(host=System(is_posix=False)), set()),
        (seen(("macos",), host=GAP), {"macos"}),
        (seen(("windows",), host=GAP), {"windows"}),
        # Who names Windows may mean what runs in it.
        (seen(("windows", "container"), host=GAP), set()),
        (seen(("windows", "wsl"), host=GAP), set()),
        (seen(("linux",), host=GAP), set()),
        (seen(("macos",), host=System(os="linux"), container=None), {"linux"}),
        (seen(host=GAP), set()),
    ],
)
def test_the_systems_that_it_may_be(view, systems):
    assert view.systems == systems


@pytest.mark.parametrize(
    ("view", "makers"),
    [
        (seen(gpus=gpus(RTX_4090, RADEON)), {"nvidia", "amd"}),
        (seen(("amd",), gpus=gpus(RTX_4090)), {"nvidia"}),
        (seen(("amd", "intel", "wsl"), gpus=GAP), {"amd", "intel"}),
        (seen(("amd",), gpus=None), set()),
        (seen(gpus=gpus(Gpu(vendor=None))), set()),
    ],
)
def test_who_made_the_gpus(view, makers):
    assert view.makers == makers
    assert view.no_gpu is (view.section(type(gpus()), "gpus") is None and not makers)


def said(signature):
    return Live(symptoms=(Symptom(signature=signature, text="x"),))


@pytest.mark.parametrize(
    ("view", "about"),
    [
        (seen(), set()),
        (seen(("about-torch", "wsl")), {"torch"}),
        (seen(("about-jax",), frameworks=frameworks(torch())), {"jax", "torch"}),
        (seen(frameworks=frameworks(torch())), set()),
        (seen(("about-another",)), {"another"}),
        # A message of PyTorch's is of PyTorch.
        (seen(("about-another",), live=said("torch-gpu-out-of-memory")), {"torch"}),
        (seen(live=said("torch-gpu-out-of-memory")), set()),
    ],
)
def test_what_it_is_about(view, about):
    assert view.about == about


@pytest.mark.parametrize(
    ("view", "framework", "another"),
    [
        (seen(("about-jax",)), "torch", True),
        (seen(("about-jax",)), "jax", False),
        (seen(("about-jax",), live=said("torch-gpu-out-of-memory")), "torch", False),
        (seen(("about-another",)), "torch", False),
        (seen(), "torch", False),
    ],
)
def test_what_computes_with_another_framework(view, framework, another):
    assert view.computes_with_another(framework) is another


@pytest.mark.parametrize(
    ("view", "is_one"),
    [
        (seen(host=System(os="linux", tegra="R36")), True),
        (seen(("jetson",), host=System(os="linux")), True),
        (seen(host=System(os="linux")), False),
        (seen(host=GAP), False),
    ],
)
def test_a_jetson(view, is_one):
    assert view.on_jetson is is_one


def test_single_facts():
    view = seen(
        ("wsl",),
        frameworks=frameworks(torch("2.6.0+cu124")),
        packages=packages("torch==2.6.0", installer="conda"),
        libraries=libraries(
            resolution("tensorflow", "libcudnn.so.8", "cudnn"),
            resolution("tensorflow", "libcudart.so.12", "cudart", "/x/libcudart.so.12"),
            resolution("torch", "libnccl.so.2", "nccl"),
        ),
        live=said("no-cuda-gpus"),
        gpus=gpus(gpu(name="Tesla T4"), gpu(1, name="Tesla V100")),
    )
    assert (view.variant("torch"), view.numbers("torch"), view.by_conda) == ("cuda", (2, 6, 0), True)
    assert (view.variant("jax"), view.numbers("jax"), view.framework("jax")) == (None, None, None)
    assert [one.soname for one in view.missed] == ["libcudnn.so.8"]
    assert [one.soname for one in view.missed_by_programs] == ["libcudnn.so.8", "libnccl.so.2"]
    assert view.said("x", "no-cuda-gpus") and not view.said("x")
    assert view.is_around("wsl") and not view.is_around("windows")
    assert view.all_named(re.compile("Tesla")) and not view.all_named(re.compile("T4"))
    assert view.fact("by_conda") is True and view.fact("about") == frozenset()
    bare = seen(packages=packages("torch==2.6.0"), gpus=gpus(gpu(name=None)))
    assert (bare.by_conda, bare.missed, bare.missed_by_programs, bare.messages) == (False, (), (), ())
    assert not bare.all_named(re.compile(""))
    assert seen(packages=packages("numpy==2")).by_conda is None
    assert seen(packages=packages("pytorch==2.6.0", "torch==2.6.0", installer="conda")).by_conda is True
    assert not seen().said("x")
