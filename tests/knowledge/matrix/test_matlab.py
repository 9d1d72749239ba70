"""MATLAB releases and GPUs, as MathWorks' pages and the toolkits have them."""

import pytest

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.matlab import serves
from gpudoctor.report.matrix_tables import NotKnown
from gpudoctor.report.matrix_tables_matlab import matlab_sheets

MATRIX = load_matrix()
RELEASES = {row.release: row for row in MATRIX.table("matlab")}


@pytest.mark.parametrize(
    ("release", "capability", "answer"),
    [
        ("R2024a", "8.9", "yes"),
        ("R2024a", "9.0", "yes"),
        ("R2024a", "3.7", "too old"),
        ("R2025a", "12.0", "enable"),
        ("R2021a", "8.6", "yes"),
        ("R2021a", "8.0", "yes"),
        ("R2022a", "8.9", "yes"),
        ("R2022b", "9.0", "enable"),
        ("R2025b", "12.0", "enable"),
        ("R2020b", "8.0", "enable"),
        ("R2020a", "8.0", "compiles"),
        ("R2019a", "7.5", "yes"),
        ("R2018b", "7.5", "compiles"),
        ("R2017b", "2.0", "yes"),
        ("R2018a", "2.1", "too old"),
        # The oldest GPU of these is not known, and neither is what they leave out.
        ("R2023b", "3.5", None),
        ("R2023b", "12.0", "enable"),
        ("R2023b", "8.6", "yes"),
        ("R2016b", "8.6", "compiles"),
    ],
)
def test_serves(release, capability, answer) -> None:
    assert serves(RELEASES[release], Capability(capability), MATRIX) == answer


def test_releases_by_generation_each_with_its_source() -> None:
    assert len(RELEASES) >= 24
    assert all(row.source and row.checked for row in RELEASES.values())


def test_the_subject() -> None:
    assert len(matlab_sheets(MATRIX, None)[0].lines) == len(RELEASES)
    (line,) = matlab_sheets(MATRIX, "2024a")[0].lines
    assert line.cells[:4] == ("R2024a", "12.2", "5.0", "9.0")
    assert line.cells[4] == str(MATRIX.toolkit_floor(RELEASES["R2024a"].cuda, "linux").release)
    by_gpu = {line.cells[0]: line.cells[2] for line in matlab_sheets(MATRIX, "Tesla K40")[0].lines}
    assert by_gpu["R2024b"].startswith("no")
    assert by_gpu["R2021a"] == "yes"
    with pytest.raises(NotKnown):
        matlab_sheets(MATRIX, "R2012a")
