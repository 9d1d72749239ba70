"""PYT021 mac-other-architecture: when it fires, when it is quiet, and what it cannot judge."""

import pytest
from msgspec.structs import replace

from gpudoctor.facts.base import Gap
from tests.rules.situations import UBUNTU
from tests.rules.stacks import MACOS, frameworks, interpreter, torch
from tests.rules.table import fires, quiet, skips

RULE = "mac-other-architecture"
INTEL = interpreter("3.9.13", platform="macosx-10.9-x86_64")


def mac(host=MACOS, on=INTEL):
    return {"host": host, "interpreter": on, "frameworks": frameworks(torch("2.2.2"))}


QUIET = {
    "a Python for arm64": mac(on=interpreter("3.12.4", platform="macosx-14-arm64")),
    "an Intel Mac": mac(host=replace(MACOS, arch="x86_64")),
    "Linux": mac(host=UBUNTU),
    "not known": mac(on=interpreter("3.12.4")),
}
OPEN = {"no frameworks seen": mac() | {"frameworks": Gap(reason="not seen")}}


def test_it_fires():
    assert "arm64" in fires(RULE, **mac()).fixes[0].steps[0].text


@pytest.mark.parametrize("machine", QUIET.values(), ids=QUIET)
def test_it_is_quiet(machine):
    quiet(RULE, **machine)


@pytest.mark.parametrize("machine", OPEN.values(), ids=OPEN)
def test_it_leaves_open_what_was_not_seen(machine):
    assert skips(RULE, **machine)
