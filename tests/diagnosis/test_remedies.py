"""Every cause has a remedy on every system where it can be, in commands that this system's shell takes."""

import re
import shutil
import subprocess

import pytest

from gpudoctor.diagnosis.commands_for import commands_for, is_foreign
from gpudoctor.diagnosis.ranking import Candidate, is_effect
from gpudoctor.diagnosis.remedies import remedies
from gpudoctor.facts.base import Gap
from gpudoctor.facts.fix import Run
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.knowledge.message import messages
from gpudoctor.rules.load import load_rules

RULES = load_rules()
BY_NAME = {rule.name: rule for rule in RULES}
NO_GPU = Gap(reason="not stated")
SYSTEMS = ("linux", "wsl", "windows", "macos")
#: All that triage can name: what messages point to, and rules.
NAMED = sorted({cause.key for row in messages() for cause in row.causes} | set(BY_NAME))
#: Programs of POSIX systems, at the start of a command or behind a pipe.
POSIX_ONLY = re.compile(
    r"(?:^|\| ?)(?:sudo|grep|ls|cat|find|df|free|env|export|unset|kill|which|ps|head|tail|source|ulimit|apt|dnf)\b"
)
ASSIGNMENT = re.compile(r"^[A-Z][A-Z0-9_]*=\S")
LINUX_ONLY = re.compile(
    r"(?:^|\| ?)(?:sudo )?(?:apt|dnf|dpkg|rpm|systemctl|modprobe|free|ip|ss|ldconfig|lspci|dkms|nvidia-smi)\b"
)


def can_be(name, system):
    record = all_causes().get(name)
    if record is None:
        return True
    # No NVIDIA GPU works in a Mac, and no message of one is about it.
    if record.gpu is not None and system == "macos":
        return False
    return not record.systems or system in record.systems


def remedy_of(name, system):
    code = BY_NAME[name].code if name in BY_NAME else None
    candidate = Candidate(key=name, code=code, words="x", weight=0.9)
    return next(iter(remedies((candidate,), (), RULES, system)), None)


CASES = [(name, system) for name in NAMED for system in SYSTEMS if can_be(name, system)]
PRINTED = {
    (name, system): (one.say, one.commands) for name, system in CASES if (one := remedy_of(name, system)) is not None
}
COMMANDS = [(name, system, command) for (name, system), (_, commands) in PRINTED.items() for command in commands]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_cause_has_one(system):
    without = []
    for name, where in CASES:
        record, rule = all_causes().get(name), BY_NAME.get(name)
        if where != system or (record and record.harmless) or (rule and is_effect(name, rule.code)):
            continue
        if rule is not None and rule.severity == "info":
            continue
        said = PRINTED.get((name, system), ("", ()))[0]
        if not said or said.startswith("See `gpudoctor explain"):
            without.append(name)
    assert not without


@pytest.mark.parametrize("name", sorted(name for name, one in all_causes().items() if one.remedy))
def test_a_cause_with_commands_has_them_on_every_system(name):
    commands = {system: bool(PRINTED[name, system][1]) for system in SYSTEMS if (name, system) in PRINTED}
    assert len(set(commands.values())) < 2, commands


def test_sentences_are_about_the_system():
    about_others = [
        (name, system, say)
        for (name, system), (say, _) in PRINTED.items()
        if system != "macos" and is_foreign(say, system)
    ]
    assert not about_others


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
@pytest.mark.parametrize("shell", [shell for shell in ("sh", "bash", "zsh") if shutil.which(shell)])
def test_commands_parse_in_their_shell(shell):
    lines = [re.sub(r"<[\w .]+>", "WORD", command) for _, system, command in COMMANDS if system != "windows"]
    for command in dict.fromkeys(lines):
        done = subprocess.run([shell, "-n", "-c", command], check=False, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_commands_parse_in_fish():
    lines = [re.sub(r"<[\w .]+>", "WORD", command) for _, system, command in COMMANDS if system == "linux"]
    for command in dict.fromkeys(lines):
        done = subprocess.run(["fish", "-n", "-c", command], check=False, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)


def test_nothing_for_the_wrong_system():
    wrong = [
        (name, command)
        for name, system, command in COMMANDS
        if (system == "windows" and (POSIX_ONLY.search(command) or ASSIGNMENT.match(command)))
        or (system == "macos" and LINUX_ONLY.search(command))
        or (system != "windows" and ("$env:" in command or command.startswith(("Get-", "winget "))))
    ]
    assert not wrong


USUAL = [
    name
    for name in NAMED
    if name in BY_NAME
    and not is_effect(name, BY_NAME[name].code)
    and BY_NAME[name].severity != "info"
    and any(cause.key == name and cause.level in ("strong", "usual") for row in messages() for cause in row.causes)
]
#: What is done with the hands, or chosen: no command does it.
BY_HAND = {"gpu-thermal-limit-low"}


@pytest.mark.parametrize("name", sorted({*USUAL} - BY_HAND))
def test_a_usual_cause_of_a_message_has_commands(name):
    assert any(PRINTED[key][1] for key in PRINTED if key[0] == name)


def commands_of(name, gpu, variant=None):
    gpus = (
        Gpus(devices=(Gpu(vendor="nvidia", name=gpu, capability=Capability("12.0" if "5090" in gpu else "6.0")),))
        if gpu
        else NO_GPU
    )
    snapshot = Snapshot(host=System(os="linux", arch="x86_64"), gpus=gpus)
    candidate = Candidate(key=name, code=BY_NAME[name].code, words="x", weight=0.6)
    (remedy,) = remedies((candidate,), (), RULES, "linux", snapshot)
    return " ".join([*remedy.commands, *(" ".join(one.argv) for one in remedy.steps if isinstance(one, Run))])


@pytest.mark.parametrize(
    ("gpu", "has", "has_not"),
    [
        ("NVIDIA GeForce RTX 5090", "whl/cu1", "<CUDA_TAG>"),
        ("Tesla P100-PCIE-16GB", "cu126", "<CUDA_TAG>"),
        (None, "<CUDA_TAG>", "cu126"),
    ],
)
def test_the_build_is_looked_up_for_the_gpu_that_is_stated(gpu, has, has_not):
    commands = commands_of("torch-cpu-only", gpu)
    assert has in commands
    assert has_not not in commands


def unmatched(version, text):
    live = Live(symptoms=(Symptom(signature="no-matching-distribution", text=text),))
    python = Interpreter(executable="python", chosen_by="report", version=version)
    return Snapshot(host=System(os="linux", arch="x86_64"), gpus=NO_GPU, interpreter=python, live=live)


@pytest.mark.parametrize(
    ("python", "text", "says"),
    [
        ("3.8.10", "No matching distribution found for torch==2.6.0", "torch 2.6.0 has wheels for Python 3.9 to 3.13"),
        ("3.12.4", "No matching distribution found for torch==2.6.0", None),
        ("3.8.10", "No matching distribution found for torch==99.0", None),
    ],
)
def test_the_pythons_of_a_release_are_named(python, text, says):
    candidate = Candidate(key="python-unsupported-by-framework", code="PYT002", words="x", weight=0.6)
    (remedy,) = remedies((candidate,), (), RULES, "linux", unmatched(python, text))
    assert ("has wheels for Python" in remedy.say) is (says is not None)
    assert says is None or says in remedy.say
    assert says is None or any("3.13" in one for one in remedy.commands), remedy.commands


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("nvidia-smi 2>&1", "nvidia-smi"),
        ("python -m pip list 2>&1 | grep -i torch", "findstr"),
        ("ls -l /dev/nvidia0", None),
        ("which nvcc", "where.exe nvcc"),
    ],
)
def test_a_command_for_windows(command, expected):
    found = " ; ".join(commands_for(command, "windows"))
    assert (expected is None and not found) or (expected or "?") in found
    assert "2>" not in found
