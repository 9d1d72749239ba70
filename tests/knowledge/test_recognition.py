"""What is recognised, what is not, and how long it takes."""

import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpudoctor.knowledge.message import message_at, messages, numbers_by_needle
from gpudoctor.knowledge.recognition import lines_that_matter, recognise

NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"

HEALTHY = """
Epoch 1/3 loss: 0.4021 accuracy: 0.8811
2026-11-21 10:00:00.1 I tensorflow/core/common_runtime/gpu/gpu_device.cc:2020] Created device /job:localhost/gpu:0
This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.
HTTP error 304: Not Modified
GPU 0: NVIDIA RTX 4090 available, 24217 MiB free; CUDA version 12.4; driver 550.54.14
Using cuda:0 device. Loading data from 3 files.
NCCL version 2.21.5+cuda12.4
Installing collected packages: torch-2.6.0+cu124
step 999 of 1000, batch 804, 35 samples, error 0.0031, code path 700
xFormers 0.0.27.post2, pytorch.version: 2.4.0+cu121
memory_efficient_attention.cutlassF-pt: available
Using device: mps, macOS 14.5 on Apple M2
PyTorch version 2.6.0+rocm6.2, AMD Radeon RX 7900 XTX, gfx1100
Intel(R) Arc(TM) A770 Graphics, driver 1.3.29735
loading with 8 data loader workers and pinned memory
Using bf16 mixed precision training on NVIDIA A100-SXM4-80GB
GPU memory usage: 10240 MiB of 81920 MiB, freed after each step
NCCL INFO P2P Chunksize set to 524288; Channel 00/0 : 0[0] -> 1[1] via P2P/IPC
Initializing process group with TCPStore on node1:29500, world size 2
[INFO] DeepSpeed Op Builder: cpu_adam compiled and loaded
conda install pytorch torchvision pytorch-cuda=12.1 -c pytorch -c nvidia
Available providers: ['CUDAExecutionProvider', 'CPUExecutionProvider']
Building wheel for flash-attn (setup.py): finished with status 'done'
NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build
nvidia: loading out-of-tree module taints kernel.
Started nvidia-persistenced.service - NVIDIA Persistence Daemon.
vermagic:       6.8.0-45-generic SMP preempt mod_unload modversions
INFO[0000] Selecting /dev/nvidia-uvm as /dev/nvidia-uvm
nvidia-gridd: License acquired successfully. (Info: 10.0.0.5, NVIDIA RTX Virtual Workstation)
Allocated resources: nvidia.com/gpu 1 1
"""


@pytest.mark.parametrize("line", HEALTHY.strip().splitlines())
def test_a_line_of_a_healthy_run_is_no_message(line):
    assert not recognise(line)


def test_a_symptom_says_where_and_whose():
    (symptom,) = recognise(f"noise\n{NO_KERNEL}\nnoise", framework="torch", where="smoke torch on gpu:0")
    assert (symptom.signature, symptom.text) == ("no-kernel-image", NO_KERNEL)
    assert (symptom.framework, symptom.where) == ("torch", "smoke torch on gpu:0")


def test_each_line_once_and_few_of_each():
    assert len(recognise(f"{NO_KERNEL}\n" * 50)) == 1
    many = "\n".join(f"Could not load dynamic library 'libcu{chr(97 + n)}.so'" for n in range(20))
    assert len(recognise(many)) == 5


def test_the_order_is_that_of_the_text():
    names = [one.signature for one in recognise(f"Illegal instruction\n{NO_KERNEL}\nNo devices were found")]
    assert names == ["illegal-instruction", "no-kernel-image", "smi-no-devices"]


def test_colours_and_other_line_ends_do_not_hide_a_message():
    for text in (
        "\x1b[31mRuntimeError: \x1b[1mCUDA error: no kernel \x1b[0mimage is available\x1b[m",
        f"Epoch 1\r\n{NO_KERNEL}\r\n",
        f"10%|##   |\r20%|###  |\r{NO_KERNEL}",
        f"\u0130stanbul\n{NO_KERNEL}",
        "\x1b]0;title\x07" + NO_KERNEL,
    ):
        assert [one.signature for one in recognise(text)] == ["no-kernel-image"], text
        assert not re.search(r"[\x00-\x1f]", recognise(text)[0].text)


def test_what_is_general_gives_way_to_what_is_known():
    assert [one.signature for one in recognise("CUDA error: something nobody has seen")] == ["cuda-error-other"]
    assert [one.signature for one in recognise(NO_KERNEL)] == ["no-kernel-image"]


def test_a_long_line_is_told_in_part():
    (symptom,) = recognise("x" * 5000 + " No devices were found " + "y" * 5000)
    assert "No devices were found" in symptom.text
    assert len(symptom.text) <= 400


def test_lines_that_matter_are_few_and_in_order():
    log = "\n".join(
        ["starting"] * 3
        + [f"step {n}" for n in range(500)]
        + [
            "W0000 gpu_device.cc:2341] Cannot dlopen some GPU libraries.",
            "warning: something",
            "ValueError: bad",
            "done",
        ]
    )
    assert lines_that_matter(log) == (
        "W0000 gpu_device.cc:2341] Cannot dlopen some GPU libraries.",
        "warning: something",
        "ValueError: bad",
    )
    assert lines_that_matter(log, 1) == ("W0000 gpu_device.cc:2341] Cannot dlopen some GPU libraries.",)
    assert lines_that_matter("") == ()
    assert len(lines_that_matter("\n".join(f"error {chr(97 + n % 26)}{n}" for n in range(500)), 40)) == 40


GIGANTIC = 10_000_000


def _different_lines():
    draw = random.Random(1)
    words = ("epoch", "step", "training", "cuda", "error", "device", "tensorflow", "failed", "nccl", "version", "load")
    letters = "abcdefghijklmnopqrstuvwxyz"
    lines, size = [], 0
    while size < GIGANTIC:
        lines.append(" ".join([*draw.choices(words, k=10), "".join(draw.choices(letters, k=12))]))
        size += len(lines[-1]) + 1
    return "\n".join(lines)


BIG_TEXTS = {
    "training": lambda: "\n".join(f"Epoch {n} loss: {n / 7:.5f}" for n in range(400_000)),
    "different": _different_lines,
    "one line": lambda: "CUDA error " * (GIGANTIC // 11),
    "nothing": lambda: "a" * GIGANTIC,
    "colours": lambda: "\x1b[31m" * (GIGANTIC // 5),
    "open colours": lambda: "\x1b]" * (GIGANTIC // 2),
    "empty lines": lambda: "\n" * GIGANTIC,
    "spaces": lambda: "error loading " + " " * GIGANTIC,
    "brackets": lambda: "(" * GIGANTIC,
    "errors": lambda: "\n".join(f"CUDA error: x{n} out of memory cudnn nccl warn" for n in range(200_000)),
    "symbols": lambda: "undefined symbol: " * (GIGANTIC // 18),
}


@pytest.mark.timed
@pytest.mark.parametrize("name", BIG_TEXTS)
def test_ten_megabytes_take_no_time(name):
    text = BIG_TEXTS[name]() + f"\n{NO_KERNEL}\n"
    recognise("warm")
    begun = time.process_time()
    found = recognise(text)
    middle = time.process_time()
    lines_that_matter(text)
    ended = time.process_time()
    assert "no-kernel-image" in [one.signature for one in found]
    # A fraction of this on a machine that does nothing else.
    assert middle - begun < 3, middle - begun
    assert ended - middle < 3, ended - middle


@pytest.mark.timed
@pytest.mark.parametrize("row", messages(), ids=lambda row: row.id)
def test_no_pattern_is_slow_on_a_line_made_for_it(row):
    pattern = re.compile(row.pattern, re.IGNORECASE)
    own = [needle for needle, numbers in numbers_by_needle().items() if any(message_at(one) == row for one in numbers)]
    assert own
    for needle in own:
        for line in (
            needle * 100,
            (needle + " ") * 100,
            needle + " " * 1500,
            needle + "a" * 1500,
            needle + "([<'" * 300,
        ):
            begun = time.process_time()
            pattern.search(line[:1600])
            assert time.process_time() - begun < 0.25, (row.id, needle)


@settings(max_examples=60)
@given(st.text(max_size=3000))
def test_any_text_is_survived(text):
    for symptom in recognise(text):
        assert symptom.text
    assert len(lines_that_matter(text)) <= 40
