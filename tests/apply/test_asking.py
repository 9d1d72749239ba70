"""uv is asked for another machine: what is not known of it refuses nothing."""

import shutil

import pytest

from gpudoctor.apply.dry_run_elsewhere import Asking
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.plan.machine import Machine
from tests.apply.package_index import served
from tests.apply.test_verified import online
from tests.apply.wheels import wheel

pytestmark = pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed")


@pytest.mark.parametrize(("macos", "taken"), [("13.6", False), ("14.0", True), ("26.1", True), (None, True)])
def test_the_release_of_macos_counts_where_it_is_known(tmp_path, macos, taken):
    (tmp_path / "index").mkdir()
    wheel(tmp_path / "index", "kit", "2.0", tag="py3-none-macosx_14_0_arm64")
    machine = Machine(platform="macos-arm64", macos=LibraryVersion(macos) if macos else None)
    with served(tmp_path / "index") as there:
        asking = Asking(str(tmp_path), online(there.url, tmp_path))
        found = asking.ask_uv_for(("kit==2.0",), "3.11", machine)
    assert (found.installs == ("kit==2.0",)) is taken, found
    assert ("new enough" in found.by) is (macos is None)
