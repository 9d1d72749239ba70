"""`gpudoctor matrix fit`: a machine that is not here, from the words of a command line."""

import json

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli


def ran(*arguments):
    return CliRunner().invoke(cli, ["matrix", "fit", *arguments])


HERE = ("--driver", "535.54", "--gpu", "RTX 4090", "--python", "3.12", "--glibc", "2.35")


def test_the_answer_says_what_to_type_why_and_why_nothing_newer():
    done = ran(*HERE, "torch", "tensorflow")
    assert done.exit_code == 0, done.output
    for words in (
        "torch==2.14.1+cu126 'tensorflow[and-cuda]==2.20.0' --extra-index-url https://download.pytorch.org/whl/cu126",
        "NVIDIA GeForce RTX 4090 (compute capability 8.9)",
        "CUDA 12.6 runs on drivers from 525.60.13 on; this is 535.54",
        "not torch 2.15.0+cu132",
        "driver >= 580.65.06",
    ):
        assert words in done.output
    assert "Not judged" not in done.output


def test_json():
    document = json.loads(ran(*HERE, "--format", "json", "torch").output)
    (environment,) = document["environments"]
    (proposal,) = environment["proposals"]
    assert environment["command"][:4] == ["python3.12", "-m", "pip", "install"]
    assert proposal["source"]
    assert proposal["checked"]
    assert {reason["constraint"] for reason in proposal["why"]} == {"python", "libc", "driver", "gpu"}
    assert proposal["why_not_newer"]["obstacles"][0]["constraint"] == "driver"
    assert document["machine"]["capabilities"] == ["8.9"]


def test_torch_is_the_default_wish_and_brings_its_companions():
    assert "torch==2.14.1 --index-url" in ran(*HERE).output
    done = ran(*HERE, "torchvision")
    assert "torch==2.14.1 torchvision==0.29.1" in done.output


@pytest.mark.parametrize(
    "name", ["RTX 4090", "rtx4090", "4090", "8.9", "sm_89", "10de:2684", "NVIDIA GeForce RTX 4090"]
)
def test_ways_to_name_a_gpu(name):
    done = ran("--gpu", name, "--driver", "580.65.06")
    assert done.exit_code == 0, done.output
    assert "compute capability 8.9" in done.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--driver", "440.100", "--gpu", "T4", "--python", "3.12"), "constraint: driver"),
        (("--driver", "535", "--gpu", "RTX 5090"), "Driver 535 does not serve NVIDIA GeForce RTX 5090"),
        (("--gpu", "8.9", "torch==99"), "knows no GPU build torch==99"),
        (("--gpu", "8.9", "--glibc", "musl"), "no wheel for musl"),
        (("--os", "windows", "--gpu", "8.9", "--python", "3.12", "tensorflow"), "WSL 2"),
        (("--os", "windows", "--arch", "arm64", "--gpu", "8.9"), "windows-aarch64"),
        (("--driver", "580.65.06", "--gpu", "5090", "--gpu", "1080 Ti"), "leaves out"),
        (("--gpu", "8.9", "torch", "tensorflow", "--python", "3.15"), "No GPU build of TensorFlow fits"),
    ],
)
def test_nothing_fits(arguments, words):
    done = ran(*arguments)
    assert done.exit_code == 1, done.output
    assert words in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--gpu", "RTX 3091"), "NVIDIA GeForce RTX 3090"),
        (("--gpu", "mx"), "more than one"),
        (("--gpu", "99.9"), "no GPU of compute capability 99.9"),
        (("--gpu", ""), "knows no GPU"),
        (("--driver", "x"), "no driver release"),
        (("--driver", "5"), "no driver release"),
        (("--python", "3.x"), "no Python version"),
        (("--python", "12"), "no Python version"),
        (("--glibc", "two"), "no glibc version"),
        (("--arch", "sparc"), "x86_64 or aarch64"),
        (("--os", "beos"), "linux"),
        (("--os", "macos", "--gpu", "8.9"), "contradicts"),
        (("--os", "macos", "--driver", "535"), "contradicts"),
        (("--os", "windows", "--glibc", "2.35"), "--glibc is of Linux"),
        (("--cpu", "--gpu", "8.9"), "Leave one out"),
        (("torch==2.6,==2.7",), "No version can be torch"),
        (("torch>=3", "torch<2"), "No version can be torch"),
        (("torch>2,<2",), "No version can be torch"),
        (("torch===",), "No version can be torch"),
        (("torch===two",), "No version can be torch"),
        (("pytoch",), "torch"),
        (("torch=2",), "torch==2.6.0"),
        (("2.6",), "torch"),
        (("torch==two",), "torch==2.6.0"),
        (("",), "torch"),
    ],
)
def test_bad_input_is_one_clear_message(arguments, words):
    done = ran(*arguments)
    assert done.exit_code == 2, done.output
    assert words in " ".join(done.output.split())
    assert "Traceback" not in done.output
    assert done.output.count("Error:") == 1


def test_separate_environments_are_numbered():
    done = ran("--driver", "580.65.06", "--gpu", "GTX 1080 Ti", "--python", "3.12", "torch", "tensorflow")
    assert done.exit_code == 0
    assert "Environment 2 of 2" in done.output
    assert "Separate environments, because" in done.output


def test_a_branch_is_taken_as_its_first_release():
    done = ran("--driver", "580", "--gpu", "8.9", "--python", "3.12")
    assert "torch==2.14.1 --index-url" in done.output
    assert "branch 580" in done.output


def test_windows_commands_are_for_powershell():
    done = ran("--os", "windows", "--driver", "528.33", "--gpu", "3090", "--python", "3.10", "tensorflow")
    assert "    python -m pip install tensorflow==2.10.1 'numpy<2'" in done.output
