"""`gpudoctor plan`: formats, machines here and elsewhere, and faults."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from tests.e2e.command import gpudoctor

THERE = ("--driver", "535.54", "--gpu", "RTX 4090", "--python", "3.12", "--glibc", "2.35")
INDEX = "https://download.pytorch.org/whl/cu126"


def ran(*arguments):
    return CliRunner().invoke(cli, ["plan", *arguments])


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("terminal", "python3.12 -m venv gpu-env"),
        ("shell", f"gpu-env/bin/python -m pip install torch==2.14.1+cu126 --index-url {INDEX}\n"),
        ("powershell", "python3.12 -m venv gpu-env; must_work\n"),
        ("dockerfile", "\nFROM python:3.12-slim-bookworm\n"),
        ("requirements", f"--extra-index-url {INDEX}\ntorch==2.14.1+cu126\n"),
        ("uv", 'torch = { index = "pytorch-cu126" }'),
        ("conda-env", '      - "torch==2.14.1+cu126"'),
        ("json", '"build": "torch 2.14.1+cu126"'),
    ],
)
def test_formats(form, words):
    done = ran(*THERE, "--format", form, "torch")
    assert done.exit_code == 0, done.output
    assert words in done.output
    assert "not torch 2.15.0+cu132" in done.output.replace("\n", " ") or form == "json"


def test_json_has_the_steps_and_why():
    document = json.loads(ran(*THERE, "--format", "json", "torch").output)
    assert document["choices"][0]["why_not_newer"].startswith("not torch 2.15.0+cu132")
    assert document["install"][0]["argv"][-1] == INDEX
    assert document["alternatives"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--os", "windows", "--gpu", "3090", "--driver", "580.97", "--python", "3.12", "torch"), r"gpu-env\Scripts"),
        (("--os", "macos", "--python", "3.12", "torch"), "MPS"),
        (
            ("--os", "linux", "--arch", "aarch64", "--gpu", "GH200", "--driver", "580.65.06", "torch"),
            "torch 2.15.0+cu132",
        ),
        (("--os", "linux", "--cuda", "cpu", "torch"), "https://download.pytorch.org/whl/cpu"),
        ((*THERE, "--cuda", "12.1", "torch"), "torch==2.5.1"),
        (("--python", "2.7", "--cuda", "cpu", "torch==1.4"), "python2.7 -m virtualenv gpu-env"),
        ((*THERE, "--conda", "ai", "torch"), "conda create --yes --name ai"),
        ((*THERE, "--manager", "uv", "torch"), "uv venv --python python3.12 gpu-env"),
        ((*THERE, "--venv", "my env", "torch"), "'my env/bin/python' -m pip"),
        ((*THERE, "--venv=-x", "torch"), "-m venv ./-x ./-x/bin/python -m pip"),
        ((*THERE, "--index-url", "https://in.house/simple", "torch"), "--index-url https://in.house/simple"),
        ((*THERE, "--torch-index", "https://in.house/whl", "torch"), "--index-url https://in.house/whl/cu126"),
        (
            ("--gpu", "5090", "--gpu", "1080 Ti", "--driver", "580.65.06", "--python", "3.12", "torch"),
            "No build serves",
        ),
    ],
)
def test_machines_elsewhere(arguments, words):
    done = ran(*arguments)
    assert done.exit_code == 0, done.output
    assert words in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "Name a framework"),
        (("pytoch",), 2, "Did you mean"),
        ((*THERE, "tensorflow==2.10", "--python", "3.13"), 1, "Python 3.7 to 3.10"),
        ((*THERE, "torch>3,<2"), 2, "No version can be"),
        ((*THERE, "torch==="), 2, "torch==="),
        ((*THERE, "torch", "--cuda", "twelve"), 2, "no CUDA version"),
        ((*THERE, "torch", "--cuda", "cpu"), 2, "builds without a GPU"),
        ((*THERE, "torch", "--venv", "a", "--conda", "b"), 2, "Leave one out"),
        ((*THERE, "torch", "--venv", ""), 2, "is empty"),
        ((*THERE, "torch", "--conda=-x"), 2, "begins with a dash"),
        (("--os", "macos", "--gpu", "4090", "torch"), 2, "contradicts"),
        (("--os", "windows", "--glibc", "2.35", "torch"), 2, "--glibc is of Linux"),
        (("--gpu", "RTX 3091", "torch"), 2, "RTX 3090"),
        (("--gpu", "4090", "--python", "/usr/bin/python3", "torch"), 2, "no Python version"),
        ((*THERE, "torch==2.4.1", "tensorflow", "--format", "uv"), 2, "one environment"),
        ((*THERE, "--format", "dockerfile", "torch", "--python", "3.9"), 2, "no base image is known"),
        ((*THERE, "torch", "-r", "/gone.txt"), 2, "could not be read"),
        ((*THERE, "torch", "keras<3"), 1, "runs on TensorFlow only"),
        ((*THERE, "torch", "-o", "/nowhere/x"), 3, "could not be written"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_message(arguments, code, words):
    done = ran(*arguments)
    assert done.exit_code == code, done.output
    assert words in " ".join(done.output.split())
    assert "Traceback" not in done.output


def test_files_of_requirements(tmp_path, monkeypatch):
    (tmp_path / "r.txt").write_text("torch>=2.6\ntorchvision\nrich==13.0\n-c c.txt\n")
    (tmp_path / "c.txt").write_text("torch<2.10\n")
    done = ran(*THERE, "-r", str(tmp_path / "r.txt"), "--format", "shell")
    assert done.exit_code == 0, done.output
    assert "torch==2.9.1 " in done.output
    assert f"-r {tmp_path}/r.txt" in done.output
    (tmp_path / "r.txt").write_text("torch\nto rch\n")
    assert "r.txt, line 2" in ran(*THERE, "-r", str(tmp_path / "r.txt")).output
    monkeypatch.chdir(tmp_path)
    assert "pyproject.toml could not be read" in ran(*THERE, "--from-pyproject").output
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["tensorflow", "rich"]\n')
    done = ran(*THERE, "--from-pyproject", "--format", "requirements")
    assert "tensorflow[and-cuda]==2.20.0\nrich\n" in done.output


def test_output_goes_to_a_file(tmp_path):
    path = tmp_path / "install.sh"
    assert ran(*THERE, "torch", "--format", "shell", "-o", str(path)).exit_code == 0
    subprocess.run(["bash", "-n", str(path)], check=True)
    assert os.access(path, os.X_OK)
    project = tmp_path / "pyproject.toml"
    assert ran(*THERE, "torch", "--format", "uv", "-o", str(project)).exit_code == 0
    assert not os.access(project, os.X_OK)


def test_this_machine(tmp_path):
    done = gpudoctor("plan", "torch", "--python", sys.executable, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.err
    document = json.loads(done.out)
    assert document["choices"][0]["framework"] == "torch"
    assert os.listdir(tmp_path) == []


def test_another_python_of_this_machine_means_a_new_environment(tmp_path):
    done = gpudoctor("plan", "torch", "--python", "3.13", "--manager", "uv", "--format", "json", cwd=tmp_path)
    document = json.loads(done.out)
    assert document["place"]["venv"] == "gpu-env"
    assert document["make"][0]["argv"] == ["uv", "venv", "--python", "3.13", "gpu-env"]


LINK = "ln -sf ../../cusolver/lib/libcusolver.so.11 {}/site-packages/nvidia/cusparse/lib/libcusolver.so.11"
#: What is typed, or written to a file, for a release that a link mends.
LINKED = [
    ((), LINK.format("gpu-env/lib/python3.12")),
    (("--venv", "v", "--manager", "uv"), LINK.format("v/lib/python3.12")),
    (("--conda", "/envs/c"), LINK.format("/envs/c/lib/python3.12")),
    (("--conda", "c"), "Below site-packages, link nvidia/cusolver/lib/libcusolver.so.11 into nvidia/cusparse/lib."),
    (("--format", "shell"), LINK.format("gpu-env/lib/python3.12")),
    (("--format", "dockerfile"), f"RUN {json.dumps(LINK.format('/usr/local/lib/python3.12').split())}"),
]


@pytest.mark.parametrize(("words", "line"), LINKED)
def test_tensorflow_on_blackwell_is_installed_and_linked(words, line):
    done = ran("tensorflow", "--gpu", "5090", "--driver", "580.65.06", "--python", "3.12", *words)
    assert done.exit_code == 0
    assert done.output.splitlines()[-1].strip() == line
    assert "tensorflow[and-cuda]==2.21.0" in done.output


@pytest.mark.parametrize(
    "words", [("plan", "torch", "--format", "json"), ("plan", "torch"), ("install", "torch", "--json")]
)
@pytest.mark.parametrize("option", ["--venv", "--conda"])
def test_a_name_that_is_not_utf_8_is_refused(words, option):
    done = CliRunner().invoke(cli, [*words, option, "b\udcb0\udce9"])
    assert done.exit_code == 2 and "not UTF-8" in done.output
