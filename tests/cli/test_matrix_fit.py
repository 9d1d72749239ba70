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
    assert "torch==2.14.1+cu126 --index-url" in ran(*HERE).output
    done = ran(*HERE, "torchvision")
    assert "torch==2.14.1+cu126 torchvision==0.29.1" in done.output


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
        # Newer releases of packaging take it for no requirement at all.
        (("torch===",), "torch"),
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


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (("torch", "flash-attn"), ("torch==2.14.1", "flash-attn==", "--no-build-isolation", "is compiled here")),
        (
            ("torch<2.9", "xformers"),
            ("With it: xformers"),
        ),
        (
            ("sageattention", "torch<2.9"),
            ("torch==2.8.0 sageattention==1.0.6", "SageAttention 2 is not on the package index"),
        ),
        (("xformers",), ("torch==2.14.1", "xformers==0.0.35")),
        (("torch>2.7,<2.12", "bitsandbytes"), ("torch==2.11.0", "bitsandbytes==0.50.2")),
        (("onnxruntime-gpu",), ("pip install onnxruntime-gpu==1.26.0", "With it: onnxruntime-gpu==1.26.0.")),
        (("cupy",), ("pip install cupy-cuda12x==14.2.0",)),
        (("triton", "torch<2.7"), ("torch==2.6.0", "triton==3.2.0")),
        (("tensorflow<2.16", "keras"), ("tensorflow[and-cuda]==2.15.1", "keras<2.16,>=2.15.0")),
        (("keras",), ("tensorflow[and-cuda]==", "keras>=3.10.0")),
        (("torch", "keras"), ("keras>=3", "KERAS_BACKEND=torch")),
    ],
)
def test_what_goes_with_a_framework_is_paired_with_it(wish, words):
    driver = ("--driver", "535.54", "--gpu", "RTX 4090", "--python", "3.11", "--glibc", "2.35")
    done = ran(*driver, *wish)
    assert done.exit_code == 0, done.output
    for word in words:
        assert word in " ".join(done.output.split()), done.output


def test_why_an_older_torch_is_said_where_a_package_asks_for_it():
    done = ran("--driver", "580.65.06", "--gpu", "8.9", "--python", "3.12", "torch", "xformers")
    assert "An older torch, or another CUDA, than would fit: xformers is made for these only." in " ".join(
        done.output.split()
    )
    assert "An older torch" not in ran(*HERE, "torch", "keras").output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--gpu", "GTX 1080", "flash-attn"), "No flash-attn is known that suits torch"),
        (("--gpu", "RTX 4090", "tensorflow", "keras<3"), "keras<3 is asked for"),
        (("--gpu", "RTX 4090", "torch==2.14.1", "xformers==0.0.30"), "a wish without xformers"),
        (("--cpu", "onnxruntime-gpu"), "onnxruntime in its place"),
    ],
)
def test_what_does_not_pair_is_refused_and_nothing_is_proposed(arguments, words):
    done = ran("--python", "3.12", *arguments)
    assert done.exit_code == 1
    assert words in " ".join(done.output.split())
    assert "pip install" not in done.output


def test_tensorflow_cpu_is_a_wish_for_the_cpu():
    assert "it runs on the CPU" in ran("--python", "3.12", "tensorflow-cpu").output
    done = ran("--gpu", "RTX 4090", "tensorflow-cpu")
    assert done.exit_code == 2
    assert "Leave one out" in done.output


@pytest.mark.parametrize(
    ("driver", "words", "absent"),
    [
        ("999.10", ["what is new in driver branch 999", "what branch 615 does, CUDA 13.4"], ["taken as the first"]),
        ("616.10", ["what is new in driver branch 616"], []),
        ("615.10", [], ["driver branch"]),
        ("448.10", ["driver branch 448 itself (no branch of this number is known)"], ["what is new"]),
    ],
)
def test_a_driver_that_is_not_in_the_tables_is_judged_and_said(driver, words, absent):
    done = " ".join(ran("--driver", driver, "--gpu", "7.5", "--python", "3.8", "--glibc", "2.35").output.split())
    assert "pip install torch" in done
    assert all(word in done for word in words), done
    assert not any(word in done for word in absent), done


def test_windows_drivers_have_numbers_of_their_own():
    done = ran("--os", "windows", "--driver", "616.10", "--gpu", "7.5", "--python", "3.12")
    assert "driver branch" not in done.output


def test_a_driver_newer_than_the_tables_serves_what_the_newest_branch_serves():
    given = ("--python", "3.12", "--glibc", "2.39", "torch")
    for gpu in ("7.5", "8.9", "12.0"):
        known, newer = ran("--driver", "615.10", "--gpu", gpu, *given), ran("--driver", "999.10", "--gpu", gpu, *given)
        assert [line for line in known.output.splitlines() if "pip install" in line] == [
            line for line in newer.output.splitlines() if "pip install" in line
        ]
    # Maxwell, Pascal and Volta ended with branch 580.
    assert "does not serve" in ran("--driver", "999.10", "--gpu", "6.1", *given).output


def test_separate_environments_are_numbered():
    done = ran("--driver", "580.65.06", "--gpu", "GTX 1080 Ti", "--python", "3.12", "torch", "tensorflow<2.20")
    assert done.exit_code == 0
    assert "Environment 2 of 2" in done.output
    assert "Separate environments, because" in done.output


def test_a_branch_is_taken_as_its_first_release():
    done = ran("--driver", "580", "--gpu", "8.9", "--python", "3.12")
    assert "torch==2.14.1+cu126 --index-url" in done.output
    assert "branch 580" in done.output


def test_windows_commands_are_for_powershell():
    done = ran("--os", "windows", "--driver", "528.33", "--gpu", "3090", "--python", "3.10", "tensorflow")
    assert '    python -m pip install tensorflow==2.10.1 "numpy<2"' in done.output
