"""Each milestone is a version with a source, and one that the code asks for."""

import re
from pathlib import Path

import pytest

import gpudoctor
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.milestones import milestones

CODE = "\n".join(path.read_text("utf-8") for path in Path(gpudoctor.__file__).parent.rglob("*.py"))
ASKED = set(re.findall(r'(?:milestone|numbers_of)\("([a-z0-9-]+)"\)', CODE))


def test_the_code_asks_for_those_that_are_there():
    assert set(milestones()) == ASKED


@pytest.mark.parametrize("row", milestones().values(), ids=lambda row: row.name)
def test_a_milestone_is_a_version_with_a_source(row):
    assert package_version(row.release) is not None
    assert row.says.endswith(".")
    assert row.source
