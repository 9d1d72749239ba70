"""Tables as text: any width, nothing lost; short forms of versions, platforms and architectures."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.types import Companions
from gpudoctor.report.matrix_tables import Line, Sheet, sheets_text
from gpudoctor.report.matrix_tables_frameworks import capabilities, span, systems, tensorflow_sheets, torch_sheets
from gpudoctor.report.matrix_tables_stack import cuda_sheets, cudnn_sheets, gpu_sheets

MATRIX = load_matrix()
PAGES = {
    "torch": torch_sheets(MATRIX, "2.6"),
    "tensorflow": tensorflow_sheets(MATRIX, None),
    "tensorflow 2.4": tensorflow_sheets(MATRIX, "2.4"),
    "cuda": cuda_sheets(MATRIX, "12.4"),
    "gpu": gpu_sheets(MATRIX, "T4"),
}


@pytest.mark.parametrize(
    ("pythons", "short"),
    [
        ((), ""),
        (("3.12",), "3.12"),
        (("3.9", "3.10", "3.11"), "3.9-3.11"),
        (("3.10", "3.9"), "3.9-3.10"),
        (("2.7", "3.5", "3.6"), "2.7 3.5-3.6"),
        (("3.6", "3.8"), "3.6 3.8"),
    ],
)
def test_python_spans(pythons, short):
    assert span(pythons) == short


def test_capabilities_and_systems():
    assert capabilities(("sm_75", "sm_90a", "sm_100", "compute_120")) == "7.5 9.0a 10.0 +12.0"
    assert systems(("linux-x86_64", "windows-x86_64", "macos-arm64")) == "Linux Windows macOS"


@pytest.mark.parametrize("width", [80, 90, 100, 140])
@pytest.mark.parametrize("sheets", PAGES.values(), ids=PAGES)
def test_no_line_is_wider_than_the_page(sheets, width):
    text = sheets_text(sheets, width)
    assert max(map(len, text.splitlines())) <= width
    assert text == "\n".join(line.rstrip() for line in text.split("\n"))


@pytest.mark.parametrize("width", [40, 60, 100])
def test_nothing_is_lost_by_wrapping(width):
    sheets = tensorflow_sheets(MATRIX, "2.16")
    words = "".join(sheets_text(sheets, width).split())
    for sheet in sheets[:1]:
        for line in sheet.lines:
            for cell in line.cells[:3]:
                assert all(piece in words for piece in cell.split("-")), cell


def row(source, checked="2026-01-01"):
    return Companions(torch="1", source=source, checked=checked, confidence="official")


def test_a_source_has_one_number():
    rows = [row("a"), row("b"), row("a"), row("a", "2026-02-02")]
    lines = tuple(Line(cells=(str(index),), row=one) for index, one in enumerate(rows))
    text = sheets_text((Sheet(title="T", columns=("c",), lines=lines),), 80, verbose=True)
    assert [line.split()[1] for line in text.splitlines()[4:8]] == ["[1]", "[2]", "[1]", "[3]"]
    assert "[3] official, 2026-02-02: a" in text


def test_empty_columns_and_empty_sheets_are_left_out():
    lines = (Line(cells=("x", "")), Line(cells=("y", "")))
    sheets = (Sheet(title="Full", columns=("a", "b"), lines=lines), Sheet(title="Empty", columns=("a",), lines=()))
    assert sheets_text(sheets, 80) == "Full\n\na\n-\nx\ny\n"


def test_a_note_stands_once_for_all_that_share_it():
    text = " ".join(sheets_text(torch_sheets(MATRIX, "2.15.0"), 200).split())
    assert text.count("not yet seen on a download index") == 1
    assert "2.15.0+cu134 2.15.0+cu130 not yet seen" in text
    assert sheets_text(cudnn_sheets(MATRIX, "9"), 200).count("first cuDNN for CUDA 13") == 1
    assert sheets_text(cudnn_sheets(MATRIX, "9"), 200).count("have no code below sm_75") == 1
