"""`gpudoctor matrix`: tables for people and JSON for scripts, each row with its source; a slip gets near names."""

import json

import pytest
from click.testing import CliRunner

from gpudoctor.cli import matrix as matrix_command
from gpudoctor.cli.main import cli
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import ALL_TABLES, MatrixUnreadable


def ran(*arguments):
    return CliRunner().invoke(cli, ["matrix", *arguments])


SHOWN = [
    ((), ["edition", "torch", "official", "cudnn"]),
    (("torch",), ["2.15.0", "cu132", "torchvision"]),
    (("torch", "2.6"), ["2.6.0+cu124", "12.4.1", "9.1.0.70", "3.9-3.13", "0.21.0"]),
    (("torch", "2.6.0"), ["2.6.0+cu126", "2.6.0+cu118"]),
    (("torch", "2.6.0+cu124"), ["2.6.0+cu124"]),
    (("pytorch", "2.6"), ["2.6.0+cu124", "code for: compute capabilities"]),
    (("tensorflow",), ["2.20.0", "Linux"]),
    (("tensorflow", "2.16"), ["2.16.1-2.16.2", "nvidia-cudnn-cu12==8.9.7.29", ">=3.0.0"]),
    (("tensorflow", "2.21.0"), ["libcusolver"]),
    (("jax", "0.12.0"), ["cuda13", "cuda12", "580"]),
    (("keras", "3"), ["2.16.1", "keras>=3.0.0"]),
    (("keras", "2.15"), ["2.15.0"]),
    (("cuda",), ["12.4.1", "550.54.15"]),
    (("cuda", "12.4"), ["550.54.14", "551.61", "525.60.13", "gcc 13", "2.6.0+cu124"]),
    (("driver",), ["580", "13.0"]),
    (("cuda", "12.7"), ["565", "no CUDA 12.7 toolkit was released"]),
    (("driver", "535"), ["12.2", "9.0", "525.60.13", "no"]),
    (("driver", "580"), ["from 580.65.06 on"]),
    (("gpu", "RTX 3090"), ["NVIDIA GeForce RTX 3090", "8.6", "Ampere", "2204", "cu132"]),
    (("gpu", "rtx", "3090"), ["NVIDIA GeForce RTX 3090"]),
    (("gpu", "10de:2204"), ["NVIDIA GeForce RTX 3090"]),
    (("gpu", "gtx1080ti"), ["GTX 1080 Ti", "6.1", "580"]),
    (("gpu", "a100"), ["A100-SXM4-40GB", "A100 80GB PCIe"]),
    (("cudnn", "9"), ["9.28", "9.0"]),
    (("cudnn", "9.10"), ["9.10", "525.60.13"]),
]


@pytest.mark.parametrize(("arguments", "words"), SHOWN)
def test_shows(arguments, words):
    done = ran(*arguments)
    assert done.exit_code == 0, done.output
    for word in words:
        assert word in done.output
    # The overview sums up; every other table says where each row comes from.
    assert not arguments or "[1]" in done.output


@pytest.mark.parametrize(("arguments", "words"), SHOWN)
def test_fits_the_page(arguments, words):
    widest = max(ran(*arguments).output.splitlines(), key=len)
    assert len(widest) <= 100, widest


def test_of_an_update_of_cuda_its_own_driver_alone_is_shown():
    shown = {version: ran("cuda", version).output for version in ("12.4", "12.4.0", "12.4.1")}
    for version, own in (("12.4.0", ("550.54.14", "551.61")), ("12.4.1", ("550.54.15", "551.78"))):
        for driver in ("550.54.14", "551.61", "550.54.15", "551.78"):
            assert (driver in shown[version]) is (driver in own)
            assert driver in shown["12.4"]
        assert "525.60.13" in shown[version]


def test_one_product_where_the_name_is_whole():
    assert "3090 Ti" not in ran("gpu", "RTX 3090").output
    assert "1080 Ti" not in ran("gpu", "GTX 1080").output


@pytest.mark.parametrize("arguments", [arguments for arguments, _ in SHOWN if arguments])
def test_json_rows_have_source_date_and_grade(arguments):
    done = ran(*arguments, "--format", "json")
    document = json.loads(done.output)
    assert document["edition"] == load_matrix().edition
    assert document["subject"] == " ".join(arguments).replace("pytorch", "torch")
    assert document["tables"]
    rows = [row for table in document["tables"] for row in table["rows"] if table["title"] != "Notes"]
    assert rows
    for row in rows:
        assert row["source"]
        assert row["checked"].startswith("20")
        assert row["confidence"] in ("official", "metadata", "derived", "secondhand")


def test_json_has_every_build_of_every_torch():
    document = json.loads(ran("torch", "--format", "json").output)
    assert len(document["tables"][0]["rows"]) == len(load_matrix().torch_builds())


def test_overview_lists_every_table():
    document = json.loads(ran("--format", "json").output)
    rows = document["tables"][0]["rows"]
    assert {row["table"]: row["rows"] for row in rows} == {name: len(load_matrix().table(name)) for name in ALL_TABLES}


def test_sources_are_short_or_whole():
    short, whole = ran("torch", "2.6.0").output, ran("torch", "2.6.0", "-v").output
    assert "-v" in short
    (cut,) = [line for line in short.splitlines() if line.startswith("[1]")]
    assert cut.endswith(" ...")
    assert "previous-versions" in " ".join(whole.split()).replace("- ", "-")


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (("tensorflw",), "tensorflow"),
        (("troch",), "torch"),
        (("torch", "2.66"), "2.6"),
        (("torch", "abc"), "version 'abc'"),
        (("torch", "2.6.0+cu999"), "2.6.0"),
        (("tensorflow", "2.99"), "2.9"),
        (("jax", "9"), "0."),
        (("keras", "7"), "3"),
        (("cuda", "12.44"), "12.4"),
        (("cuda", "twelve"), "CUDA twelve"),
        (("cuda", "12.4.7"), "knows no CUDA 12.4.7. Did you mean 12.4.1, 12.4.0?"),
        (("driver", "536x"), "535"),
        (("driver", "123"), "driver 123. Did you mean 346"),
        (("driver", "448"), "Did you mean"),
        (("gpu", "RTX 3091"), "RTX 3090"),
        (("gpu", "10de:ffff"), "10de:ffff"),
        (("cudnn", "99"), "9."),
        (("cudnn", "x"), "version 'x'"),
    ],
)
def test_what_is_not_known_is_answered_with_the_nearest(arguments, near):
    done = ran(*arguments)
    assert done.exit_code == 2
    assert near in done.output
    assert "Traceback" not in done.output


def test_a_damaged_table_is_named(monkeypatch):
    def broken(name):
        raise MatrixUnreadable(f"the compatibility table {name}.json is damaged: no")

    monkeypatch.setattr(matrix_command, "load_matrix", lambda: Matrix(broken))
    done = ran("torch")
    assert done.exit_code == 3
    assert "torch.json is damaged" in done.output


def test_help_lists_the_subjects():
    done = ran("--help")
    assert done.exit_code == 0
    for word in ("torch", "driver", "fit", "cudnn"):
        assert word in done.output


def test_matlab_here_judges_what_is_installed(tmp_path, monkeypatch):
    (tmp_path / "MATLAB" / "R2023b" / "toolbox" / "matlab").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    done = ran("matlab", "--here", "--format", "json")
    here, _, typed = json.loads(done.stdout)["tables"]
    row, *_ = [row for row in here["rows"] if row["root"].endswith("/MATLAB/R2023b")]
    assert (row["release"], row["outcome"], row["has_toolbox"]) == ("R2023b", "no", False)
    assert "no-toolbox" in row["reasons"]
    assert row["source"]
    assert "gpuDeviceTable" in [line["line"] for line in typed["rows"]]
    assert "Parallel Computing Toolbox" in ran("matlab", "--here").output
    assert ran("matlab", "--here", "R2023b").exit_code == 2
