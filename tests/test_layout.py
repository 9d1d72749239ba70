"""What holds for every module: it is short enough to be read in one go."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST = 300


@pytest.mark.parametrize("folder", ["gpudoctor", "scripts"])
def test_no_module_is_longer_than_can_be_read_in_one_go(folder):
    lines = {file: len(file.read_text().splitlines()) for file in (ROOT / folder).rglob("*.py")}
    assert lines
    assert {str(file.relative_to(ROOT)): number for file, number in lines.items() if number > LONGEST} == {}
