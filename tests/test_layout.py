"""What holds for every module: it can be read in one go, and a rule's says at its top which rule it is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST = 300
RULES = [file for file in (ROOT / "gpudoctor/rules").glob("*/[a-z]*.py") if file.name != "__init__.py"]


@pytest.mark.parametrize("folder", ["gpudoctor", "scripts"])
def test_no_module_is_longer_than_can_be_read_in_one_go(folder):
    lines = {file: len(file.read_text().splitlines()) for file in (ROOT / folder).rglob("*.py")}
    assert lines
    assert {str(file.relative_to(ROOT)): number for file, number in lines.items() if number > LONGEST} == {}


def test_a_rules_module_begins_with_its_code():
    codes = {file: re.findall(r'^@rule\(\s*"([A-Z]{3}\d{3})"', file.read_text(), re.M) for file in RULES}
    assert codes
    wrong = {str(file) for file, found in codes.items() if not file.read_text().startswith(f'"""{found[0]}: ')}
    assert wrong == set()
