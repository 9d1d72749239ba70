"""The README's examples that set machines up: their commands exist with these options, and shells can read them."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from gpudoctor.cli.main import cli

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands():
    """Every gpudoctor command of the README, as arguments."""
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
    assert sum("install" in command for command in found) >= 4


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


def test_the_lists_of_cloud_init_are_lists():
    block = next(block for _, block in BLOCKS if block.startswith("#cloud-config"))
    entries = re.findall(r"^  - \[(.*)\]$", block, re.MULTILINE)
    assert len(entries) == 5
    for entry in entries:
        words = re.sub(r"(?<![\"\w/:.-])([\w/.:-]+)(?![\"\w/:.-])", r'"\1"', re.sub(r'"([^"]*)"', r"\1", entry))
        assert all(isinstance(word, str) for word in json.loads(f"[{words}]"))
