"""LIB025 extension-library-missing: when it fires, when it is quiet, and what it cannot judge."""

import pytest
from msgspec.structs import replace

from gpudoctor.facts.base import Gap
from gpudoctor.facts.libraries import Libraries, LibraryCopy, LinkedExtension
from tests.rules.stacks import RTX_4090, frameworks, stack, torch
from tests.rules.table import fires, quiet, skips

RULE = "extension-library-missing"
OLD = "libcudart.so.11.0"


def module(name="ops", absent=(), needs=(OLD,), package="rasteriser"):
    file = f"/v/lib/python3.11/site-packages/{package}/{name}.cpython-311-x86_64-linux-gnu.so"
    return LinkedExtension(package=package, version="0.1", file=file, needs=needs, absent=absent)


def machine(*modules):
    given = stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cu124")))
    return given | {"libraries": Libraries(extensions=modules)}


FIRES = {"another CUDA's": machine(module(absent=(OLD,)))}
QUIET = {
    "none": machine(),
    "found": machine(module()),
    "one of its modules can be loaded": machine(module(absent=(OLD,)), module("ops12")),
    "not looked": stack(RTX_4090) | {"libraries": Libraries(extensions=None)},
}
OPEN = {"no libraries seen": stack(RTX_4090) | {"libraries": Gap(reason="not seen")}}


@pytest.mark.parametrize("given", FIRES.values(), ids=FIRES)
def test_it_fires(given):
    found = fires(RULE, **given)
    assert OLD in found.summary
    assert "CUDA 12.4" in found.fixes[0].title


@pytest.mark.parametrize(
    ("version", "title"),
    [
        ("0.6.15+pt26cu124", "libraries of CUDA 12.4"),
        ("0.6.15+pt112cu113", "built for CUDA 12.4"),
        ("0.6.15", "built for"),
    ],
)
def test_a_build_for_torchs_cuda_lacks_the_library(version, title):
    own = replace(module(absent=(OLD,)), version=version)
    assert title in fires(RULE, **machine(own)).fixes[0].title


def test_a_module_for_another_torch_is_told_so():
    gone = ("libtorch_cuda_cpp.so",)
    own = module(needs=(OLD, "libc10.so", *gone), absent=gone)
    found = fires(RULE, **machine(own, module("_plain", needs=(), absent=())))
    assert "torch 2.6.0+cu124" in found.summary
    assert "torch 2.6.0+cu124" in found.fixes[0].title
    quiet(RULE, **machine(own, module("ops2", needs=("libc10.so",))))


def test_a_copy_off_the_loaders_path_is_named():
    away = LibraryCopy(family="cudart", soname=OLD, path=f"/usr/local/cuda-11.8/lib64/{OLD}", origin="toolkit")
    given = machine(module(absent=(OLD,)))
    given |= {"libraries": replace(given["libraries"], copies=(away,))}
    assert away.path in [one.value for one in fires(RULE, **given).evidence]


@pytest.mark.parametrize("given", QUIET.values(), ids=QUIET)
def test_it_is_quiet(given):
    quiet(RULE, **given)


@pytest.mark.parametrize("given", OPEN.values(), ids=OPEN)
def test_it_leaves_open_what_was_not_seen(given):
    assert skips(RULE, **given)
