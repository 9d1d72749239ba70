"""BOX028 l4t-image-mismatch and LIB027 engine-other-cuda: what a report states, held against each other."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.libraries import LibraryCopy
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import LibraryVersion
from tests.rules.stacks import RTX_4090, framework, frameworks, libraries, stack, toolkit, toolkits
from tests.rules.table import fires, quiet, skips

FAILED = Live(symptoms=(Symptom(signature="onnxruntime-provider", text="Failed to create CUDAExecutionProvider"),))


def board(release, tag):
    image = f"dustynv/l4t-pytorch:{tag}" if tag else None
    return {"host": System(os="linux", tegra=release), "container": Container(image=image)}


def runtime(version, *cudas, cudnn=None, live=FAILED):
    named = LibraryCopy(family="cudnn", soname="cuDNN", path="named", version=LibraryVersion.parse(cudnn))
    return stack(
        RTX_4090,
        frameworks=frameworks(framework("onnxruntime", version)),
        toolkits=toolkits(*(toolkit(one) for one in cudas)),
        libraries=libraries(copies=(named,) if cudnn else ()),
        live=live,
    )


FIRES = {
    "another minor of JetPack 4": ("l4t-image-mismatch", board("# R32 (release), REVISION: 3.1, GCID: 1", "r32.5.0")),
    "JetPack 6 on JetPack 5": ("l4t-image-mismatch", board("R35.4.1", "r36.2.0")),
    "CUDA 12 for an older one": ("engine-other-cuda", runtime("1.16.0", "12.2", cudnn="8.9")),
    "cuDNN 8 for a newer one": ("engine-other-cuda", runtime("1.19.1", "12.6", cudnn="8.9.7")),
}
QUIET = {
    "the same line": ("l4t-image-mismatch", board("R32.7.3", "r32.7.1")),
    "JetPack 5 serves all of its releases": ("l4t-image-mismatch", board("R35.4.1", "r35.2.1")),
    "a release of which nothing is known": ("l4t-image-mismatch", board("R38.2.0", "r36.4.0")),
    "an image without a release": ("l4t-image-mismatch", board("R35.4.1", "latest")),
    "CUDA and cuDNN as it wants them": ("engine-other-cuda", runtime("1.19.1", "12.6", cudnn="9.3")),
    "the right CUDA is there as well": ("engine-other-cuda", runtime("1.16.0", "11.8", "12.2")),
    "a release that is not known": ("engine-other-cuda", runtime("0.5.0", "12.2")),
    "nothing failed": ("engine-other-cuda", runtime("1.16.0", "12.2", live=Live())),
    "no list of packages, no toolkit": (
        "engine-other-cuda",
        runtime("1.16.0") | {name: Gap(reason="not seen") for name in ("packages", "toolkits", "libraries")},
    ),
    "neither is stated": ("engine-other-cuda", runtime("1.16.0")),
}


@pytest.mark.parametrize(("rule", "machine"), FIRES.values(), ids=FIRES)
def test_it_fires(rule, machine):
    found = fires(rule, **machine)
    assert found.confidence == "likely" and found.fixes


@pytest.mark.parametrize(("rule", "machine"), QUIET.values(), ids=QUIET)
def test_it_is_quiet(rule, machine):
    quiet(rule, **machine)


def test_where_something_was_not_seen_it_is_left_open():
    assert skips("l4t-image-mismatch", **board("R32.7.1", "r32.5.0") | {"container": Gap(reason="not seen")})
    quiet("engine-other-cuda", **runtime("1.16.0", "12.2") | {"live": Gap(reason="not seen")})
