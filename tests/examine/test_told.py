"""What tickets tell in passing reaches the answer: releases in commands, GPUs in titles, the Python that runs."""

import re

import pytest

from gpudoctor.facts.fix import Run
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.message import messages
from gpudoctor.report.triage import headline, remedy_for

NO_MATCH = "ERROR: Could not find a version that satisfies the requirement {} (from versions: none)"
CPU_BUILD = "AssertionError: Torch not compiled with CUDA enabled"


def commands(one):
    remedy = remedy_for(one)
    steps = [" ".join(step.argv) for step in remedy.steps if isinstance(step, Run)] if remedy else []
    return [*steps, *remedy.commands] if remedy else []


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            "RTX 4060 mobile is not used\nI typed conda install pytorch==1.6.0 cudatoolkit=10.1 -c pytorch",
            "arch-too-new-for-build",
        ),
        ("TensorFlow on an RTX 4090?\n- Ubuntu 20.04\n- TensorFlow==2.3.", "tf1-on-new-gpu"),
        # Where the installer refused, nothing was installed.
        (f"RTX 4060\npip install torch==1.6.0\n{NO_MATCH.format('torch==1.6.0')}", "python-unsupported-by-framework"),
        # Who names the framework does not name the processor's build.
        (
            "- Windows 10\n- TensorFlow: tensorflow 2.0.0\n- GPU: RTX 2060\nFailed to get convolution algorithm",
            "framework-reserves-memory",
        ),
        ("Alpine Linux in Docker\nNo matching distribution found for tensorflow", "musl-without-wheels"),
        (
            "docker: could not select device driver\nDocker runs on my Windows 10 machine",
            "docker-on-windows-without-wsl",
        ),
        (
            "The docker image says Failed to initialize NVML: Driver/library version mismatch",
            "container-driver-in-image",
        ),
        ("Failed to initialize NVML: Driver/library version mismatch", "drv-lib-mismatch"),
    ],
)
def test_the_first_cause(judged, text, cause):
    assert judged(text).causes[0].key == cause


@pytest.mark.parametrize(
    ("text", "has"),
    [
        (NO_MATCH.format("tensorflow==2.3.0") + "\nmacOS 11", "--python 3.8"),
        (NO_MATCH.format("torch==1.13.1+cu116") + "\non a Windows machine", "--python 3.10"),
        # The release has wheels for this Python: it is something else.
        (NO_MATCH.format("tensorflow==2.3.0") + "\nPython version: 3.8.10", "struct.calcsize"),
        (
            f"{CPU_BUILD}\n** Python executable: D:\\ui\\python_embeded\\python.exe",
            "D:\\ui\\python_embeded\\python.exe -m pip",
        ),
        (f"{CPU_BUILD}\nPython executable: /opt/my env/bin/python", "'/opt/my env/bin/python' -m pip"),
    ],
)
def test_the_commands(judged, text, has):
    assert has in "\n".join(commands(judged(text)))


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("My RX 7900XT is not detected by the program", "rocminfo"),
        ("My Jetson Orin NX does not detect the GPU", "/etc/nv_tegra_release"),
        ("My RTX 3090 is not detected by the program", "nvidia-smi"),
    ],
)
def test_the_question_is_for_that_maker(judged, text, has):
    question = judged(text).question
    assert question is not None
    assert has in question.ask
    assert has == "nvidia-smi" or "nvidia-smi" not in question.ask


def test_what_happens_is_no_cause(judged):
    one = judged("On Linux with a Radeon the program does not detect the GPU")
    assert not one.causes or one.causes[0].is_effect
    assert headline(one).startswith("The cause is not known")


def test_messages_that_leave_it_open_do_not_make_it_likely(judged):
    one = judged("CUDNN_STATUS_NOT_INITIALIZED\nFailed to get convolution algorithm\nCould not create cudnn handle")
    assert one.causes[0].confidence == "possible"


def test_the_indexes_that_are_known_are_those_of_the_matrix():
    (record,) = [row for row in messages() if row.id == "torch-index-not-published"]
    tags = {row.index_suffix.rsplit("/", 1)[-1] for row in load_matrix().torch_builds() if row.index_suffix}
    unknown = [
        tag
        for tag in tags
        if re.fullmatch(r"cu\d+", tag) and re.search(record.pattern, f"https://download.pytorch.org/whl/{tag}")
    ]
    assert not unknown


def test_a_start_command_without_gpus_is_why_there_is_none(judged):
    error = "E cuda_driver.cc:313] failed call to cuInit: UNKNOWN ERROR"
    text = f"docker run -it tensorflow/tensorflow:latest-gpu bash\n{error}"
    assert judged(text).causes[0].key == "container-no-gpu-flag"
    asked = text.replace("-it", "--gpus all -it")
    assert judged(asked).causes[0].key != "container-no-gpu-flag"


def test_a_report_that_names_no_framework_gets_no_cause_of_one(judged):
    text = (
        "[ERROR]: No GPU was detected!\n" + "The program was built from its source on Ubuntu, as its page says.\n" * 6
    )
    assert "torch-cpu-only" not in {one.key for one in judged(text).causes}
    assert "torch-cpu-only" in {one.key for one in judged(text + "It uses PyTorch.\n").causes}


def test_what_ends_the_program_is_not_harmless(judged):
    line = "Unable to initialize backend 'tpu': UNIMPLEMENTED"
    assert judged(f"INFO:jax: {line}").causes[0].key == "harmless"
    assert judged(f"RuntimeError: {line}").causes[0].key == "jax-lacks-backend"
