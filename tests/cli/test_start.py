"""Starting is quick because what a command does not need is not imported."""

import os
import subprocess
import sys
import tempfile

import pytest

#: Heavy, or only for what a user asks to fetch or draw.
NEVER = {
    "requests",
    "urllib3",
    "psutil",
    "rich",
    "tomllib",
    "tomli",
    "importlib.metadata",
    "asyncio",
    "ctypes",
    "yaml",
    "packaging.requirements",
    "packaging.specifiers",
    "torch",
    "tensorflow",
    "pynvml",
    "concurrent.futures",
}


def imported(*arguments):
    code = (
        "import sys, gpudoctor.cli.main as m\n"
        f"sys.argv = ['gpudoctor', *{list(arguments)!r}]\n"
        "m.main()\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)\n"
    )
    # Elsewhere: this project's own pyproject.toml has settings to read.
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PYTHONPATH": os.getcwd()}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=env)
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [("check", "--static"), ("snapshot",), ("rules",), ("explain", "DRV001")])
def test_heavy_modules_are_left_alone(arguments):
    assert imported(*arguments) & NEVER == set()


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("check", "--help")])
def test_help_needs_no_probe(arguments):
    assert not any(name.startswith("gpudoctor.probes") for name in imported(*arguments))


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_and_version_import_click_and_nothing_of_ours(arguments):
    ours = {name for name in imported(*arguments) if name.startswith("gpudoctor.")}
    assert ours == {"gpudoctor.cli", "gpudoctor.cli.main"}
    assert "msgspec" not in imported(*arguments)
