"""The first line of a rule's file says what the rule finds, for those who read the list of files."""

import re
from pathlib import Path

import pytest

import gpudoctor.rules

FILES = sorted(path for path in Path(gpudoctor.rules.__file__).parent.glob("*/*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_says_what_its_rule_finds(path: Path) -> None:
    first = path.read_text("utf-8").partition("\n")[0]
    assert re.match(r'"""[A-Z]{3}\d{3}: \w+.* .*\w', first), first
