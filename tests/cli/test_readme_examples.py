"""The README's examples that set machines up: their commands exist with these options, and shells can read them."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml

from gpudoctor.cli.main import cli

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands():
    """Every gpudoctor command of the README, as arguments: those of its table, and of its blocks."""
    for line in README.splitlines():
        if line.startswith("| "):
            yield from (shlex.split(text) for text in re.findall(r"`gpudoctor (.*?)`", line))
    for _, block in BLOCKS:
        for line in block.splitlines():
            text = re.sub(r"\s#.*", "", line)
            listed = re.search(r"\[(\S*gpudoctor), (.*)\]$", text)
            if listed:
                yield [word.strip(' "') for word in listed[2].split(",")]
                continue
            for match in re.finditer(r"(?:^|\s)(?:\S*/)?gpudoctor ((?:[a-z].*?)?)(?=$| &&|\s*\|)", text):
                if not text.startswith(("COPY", "ENV")) and "pip" not in match[1]:
                    yield shlex.split(match[1])


def test_the_readme_has_commands():
    found = list(commands())
    assert len(found) >= 12
    assert sum("install" in command for command in found) >= 3


@pytest.mark.parametrize("arguments", [*commands()], ids=" ".join)
def test_every_command_exists_with_these_options(arguments):
    command = cli.get_command(click.Context(cli), arguments[0])
    assert command is not None, arguments
    rest = arguments[1:]
    while isinstance(command, click.Group):
        command, rest = command.get_command(click.Context(command), rest[0]), rest[1:]
    # Parsed, not run.
    command.make_context(arguments[0], rest)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_shell_can_read_what_the_image_and_the_job_run():
    lines = [line[4:] for _, block in BLOCKS for line in block.splitlines() if line.startswith("RUN ")]
    job = next(block for _, block in BLOCKS if "runs-on" in block)
    lines += [line.split("run: ", 1)[1] for line in job.splitlines() if "run: " in line and not line.endswith("|")]
    lines.append("\n".join(re.findall(r"^ {10}(.*)$", job, re.MULTILINE)))
    for line in lines:
        assert subprocess.run(["bash", "-n"], input=line.encode(), capture_output=True, check=True).stderr == b""


def block_with(words):
    return next(block for _, block in BLOCKS if words in block)


def test_the_job_is_one():
    job = yaml.safe_load(block_with("runs-on"))["jobs"]["train"]
    assert job["runs-on"] == ["self-hosted", "gpu"]
    assert all(set(step) in ({"uses"}, {"run"}) and all(map(isinstance, step.values(), [str])) for step in job["steps"])


@pytest.mark.skipif(sys.platform != "linux", reason="an image for Linux")
def test_what_the_image_installs_is_planned_without_a_home_or_a_terminal(tmp_path):
    """Up to the dry run: an environment without variables is what an image's build gives to a command."""
    image = next(line for line in block_with("FROM python").splitlines() if "gpudoctor install" in line)
    words = shlex.split(image.removeprefix("RUN "))
    asked = words[words.index("install") :]
    arguments = [str(tmp_path / "env") if word == "/opt/env" else word for word in asked]
    argv = [sys.executable, "-m", "gpudoctor", *arguments, "--dry-run", "--no-verify"]
    done = subprocess.run(
        argv,
        env={"PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"{tmp_path}/env" in done.stdout
    assert os.listdir(tmp_path) == []
