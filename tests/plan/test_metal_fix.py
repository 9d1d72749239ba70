"""The newest PyTorch for the GPU of a Mac whose macOS is too old for the one that is installed."""

import msgspec
import pytest

from gpudoctor.facts.fix import Run
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.metal_fix import torch_for_mac
from tests.rules.stacks import MACOS, interpreter, packages


@pytest.mark.parametrize(
    ("release", "python", "beside", "install"),
    [
        ("13.6", "3.12.4", ("torchvision==0.30.0",), "install torch==2.8.0 torchvision==0.23.0"),
        ("12.6", "3.11.4", (), "install torch==2.4.1"),
        # The first macOS whose GPU a release uses.
        ("12.3", "3.11.4", (), "install torch==2.4.1"),
        ("12.2", "3.11.4", (), None),
        ("11.7", "3.11.4", (), None),
        # No release for this Python uses the GPU there.
        ("13.6", "3.14.1", (), None),
        (None, "3.12.4", (), None),
    ],
)
def test_macos_is_updated_or_an_older_release_stays_on_it(release, python, beside, install):
    here = Scene(
        host=msgspec.structs.replace(MACOS, distribution_version=release),
        interpreter=interpreter(python),
        packages=packages("torch==2.15.0", *beside),
    )
    fix = torch_for_mac(LibraryVersion("14.0"), here, load_matrix())
    assert fix.safety == "manual"
    done = [" ".join(step.argv) for step in fix.steps if isinstance(step, Run)]
    if install is None:
        assert "macOS to 14.0 or newer" in fix.title
        assert done == []
        return
    assert "macOS to 14.0 or newer" in fix.steps[0].text
    names = " ".join(("torch", *(one.partition("==")[0] for one in beside)))
    assert done[0].endswith(f"uninstall --yes {names}")
    assert done[1].endswith(install)


def test_a_host_that_was_not_seen_gets_no_release():
    fix = torch_for_mac(LibraryVersion("14.0"), Scene(), load_matrix())
    assert "macOS to 14.0" in fix.title and fix.steps == ()
