"""The strongest error line of a text, who printed it, and what is asked then."""

import time

import pytest

from gpudoctor.knowledge.causes import causes_without_rule
from gpudoctor.knowledge.programs import program_of
from gpudoctor.tickets.own_report import given_commands
from gpudoctor.tickets.unexplained import strongest_error

#: A text, the line to quote (None: no failure is stated), and the program that printed it.
TEXTS = [
    ("all is well\nGPU 0: A100", None, None),
    ("Compiled with 0 errors", None, None),
    ("I get an error with my GPU\nFooError: bar", 2, "python"),
    ("ValueError: first\nFooError: last", 2, "python"),
    ("My training fails since Monday.", 1, None),
    ("$ sudo modprobe nvidia\nmodprobe: FATAL: Module nvidia not found", 2, "modprobe"),
    ('  File "/v/lib/python3.12/site-packages/jax/x.py", line 1\nOddError: no', 2, "jax"),
    ("docker: Error response from daemon: odd", 1, "docker"),
    ("Error: INSTALLATION FAILED: timed out waiting for the condition", 1, "helm"),
    ("error: failed to run custom build command for `cudarc v0.11.0`", 1, "cargo"),
    ("[hevc_nvenc @ 0x55d] Driver does not support the required nvenc API version.", 1, "ffmpeg"),
    ('time=2024 level=WARN source=amd.go:3 msg="no compatible library found."', 1, "ollama"),
    ("clGetPlatformIDs failed: -1001", 1, "opencl"),
    # The system refuses the file, whatever was to be written into it.
    ("ERROR - Failed to download model: [Errno 13] Permission denied: 'models/a.pth'", 1, "permission"),
    ("ERROR - Failed to download model: 403 Forbidden", 1, "download"),
    # By the lines around it.
    ("2026/02/11 18:46:29 akmods: Building RPM\nerror: Failed build dependencies:", 2, "akmods"),
    ("error: Failed dependencies:\n\tkmod(nvidia.ko) is needed by nvidia-driver-3:590.1", 1, "dnf"),
    # What announces an error is none.
    ("The VM gets created but does not start, with this error:\ndocker: Error response from daemon: odd", 2, "docker"),
    (
        "When I run it on two machines the following error is what I get from it:\nclGetPlatformIDs failed: -1001",
        2,
        "opencl",
    ),
    ("GCC version: Could not collect\n[pip] Could not collect", None, None),
    # A pod's state outranks what is said of it.
    ("The job does not run.\nNAME READY STATUS\npod-1   0/1     CrashLoopBackOff   1   9s", 3, "pod"),
    ("It fails with my image.\ngpu-pod   0/1   OOMKilled   0   1m\nall else is fine", 2, "pod"),
    ("nvidia-plugin-x7   0/1   Init:ImagePullBackOff   0   5m", 1, "pod"),
]


@pytest.mark.parametrize(("text", "line", "program"), TEXTS)
def test_the_strongest_line_and_its_program(text, line, program):
    lines = text.split("\n")
    found = strongest_error(lines)
    assert (found.line if found else None) == line
    if found and found.printed:
        assert program_of(lines, found.line).id == program


def test_every_cause_without_a_rule_has_a_remedy():
    assert [one.id for one in causes_without_rule().values() if not one.harmless and one.remedy is None] == []


#: Pieces of lines that an expression might try in many ways.
PIECES = [
    "error ",
    "word ",
    "2024-01-01 ",
    "12:00:00.1 ",
    "[x] ",
    "a.",
    "> a ",
    "(x) ",
    "E ",
    " ",
    "x",
    "fail: ",
    "# ",
    "- ",
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_line_of_one_piece_repeated_is_read_at_once(piece):
    lines = ["error " + piece * 1000, piece * 1000 + " error", "exit " + piece * 60] * 100
    started = time.process_time()
    strongest_error(lines)
    given_commands((), lines)
    program_of(lines, len(lines))
    assert time.process_time() - started < 2


def test_ten_megabytes_of_errors_are_read_in_a_second_or_so():
    lines = ["2026-01-01 12:00:00,123 some.logger ERROR the step 12 failed to read its batch of items"] * 110_000
    started = time.process_time()
    assert strongest_error(lines).line == 1
    assert time.process_time() - started < 5
