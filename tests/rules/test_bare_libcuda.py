"""cuDNN 8 and the driver's name without a version, outside WSL."""

import pytest

from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.system import Container, Wsl
from tests.rules.stacks import RTX_4090, SITE, resolution, stack
from tests.rules.table import fires, judge, quiet

RULE = "cudnn-bare-libcuda"
FOLDER = f"{SITE}/nvidia/cudnn/lib"


def seen(version: str = "8.5.0", origin: str = "pip", **libcuda: str | None) -> Libraries:
    name = f"libcudnn.so.{version[0]}"
    folder = FOLDER if origin == "pip" else "/usr/lib/x86_64-linux-gnu"
    taken = resolution("torch", name, "cudnn", f"{folder}/{name}", version=version, origin=origin)
    return Libraries(resolutions=(taken,), libcuda_of_cudnn=libcuda or None)


@pytest.mark.parametrize("version", ["8.0.5", "8.5.0", "8.7.0"])
def test_the_first_convolution_fails(version: str) -> None:
    found = fires(RULE, **stack(RTX_4090, libraries=seen(version, torch=None)))
    assert (found.severity, found.confidence, found.subject) == ("warning", "likely", "torch")
    link = found.fixes[0]
    assert link.steps[0].argv == ("ln", "-s", "/usr/lib/x86_64-linux-gnu/libcuda.so.1", f"{FOLDER}/libcuda.so")
    assert not link.needs_root
    assert link.undo == f"rm {FOLDER}/libcuda.so"


def test_a_cudnn_of_the_system_looks_where_the_loader_does() -> None:
    link = fires(RULE, **stack(RTX_4090, libraries=seen(origin="system", torch=None))).fixes[0]
    assert link.steps[0].argv[-1] == "/usr/lib/x86_64-linux-gnu/libcuda.so"
    assert link.needs_root


@pytest.mark.parametrize(
    "libraries",
    [
        seen("8.5.0", torch="/usr/lib/x86_64-linux-gnu/libcuda.so"),
        seen("8.5.0"),
        seen("8.9.2", torch=None),
        seen("9.1.0", torch=None),
        seen("8.5.0", tensorflow=None),
    ],
)
def test_what_is_found_or_not_asked_for_is_no_fault(libraries: Libraries) -> None:
    quiet(RULE, **stack(RTX_4090, libraries=libraries))


def test_wsl_has_a_rule_of_its_own_and_without_a_gpu_nothing_fails() -> None:
    wsl = Container(wsl=Wsl(version=2, driver_library=True))
    quiet(RULE, **stack(RTX_4090, libraries=seen(torch=None), container=wsl))
    quiet(RULE, **stack(libraries=seen(torch=None)))


def test_two_frameworks_with_one_cudnn_are_one_finding_and_folders_stay() -> None:
    both = tuple(
        resolution(one, "libcudnn.so.8", "cudnn", f"{FOLDER}/libcudnn.so.8", version="8.5.0", origin="pip")
        for one in ("torch", "tensorflow")
    )
    nowhere = {"torch": None, "tensorflow": None}
    (found,) = judge(RULE, **stack(RTX_4090, libraries=Libraries(resolutions=both, libcuda_of_cudnn=nowhere)))
    assert found.subject == "torch and tensorflow"
    named = Libraries(resolutions=both, libcuda_of_cudnn=nowhere, search_path=("/opt/own/lib",))
    wsl = Container(wsl=Wsl(version=2, driver_library=True))
    (found,) = judge("wsl-libcuda-path", **stack(RTX_4090, libraries=named, container=wsl))
    assert found.fixes[0].steps[0].value == "/usr/lib/wsl/lib:/opt/own/lib"
