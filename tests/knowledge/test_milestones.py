"""Each milestone is a version with a source, and one that the code asks for."""

import re
from pathlib import Path

import pytest

import gpudoctor
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.milestones import milestones

CODE = "\n".join(path.read_text("utf-8") for path in Path(gpudoctor.__file__).parent.rglob("*.py"))
ASKED = set(re.findall(r'(?:milestone|numbers_of)\("([a-z0-9-]+)"\)', CODE))
#: Those that end with a release that is seen: pip-without-python-3.7.
SERIES = tuple(re.findall(r'milestones\(\)\.get\(f"([a-z0-9-]+)\{', CODE))


def test_the_code_asks_for_those_that_are_there():
    assert {name for name in milestones() if not name.startswith(SERIES)} == ASKED
    assert all(any(name.startswith(series) for name in milestones()) for series in SERIES)


@pytest.mark.parametrize("row", milestones().values(), ids=lambda row: row.name)
def test_a_milestone_is_a_version_with_a_source(row):
    assert package_version(row.release) is not None
    assert row.says.endswith(".")
    assert row.source
