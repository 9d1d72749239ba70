"""A printed command is one line that a shell reads back as the very same words, whatever the names in it."""

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpudoctor.model.fix import Ask, Run, SetEnv
from gpudoctor.render.commands import step_lines, visible

HOSTILE = [
    "plain",
    "two words",
    "it's",
    'say "hi"',
    "$(touch canary)",
    "`touch canary`",
    "a;touch canary",
    "a\ntouch canary",
    "-rf",
    "\\",
    "!history",
    "*",
    "~root",
    "\x1b[31mred",
    "\u202egnp.exe",
    "é中",
    "'; touch canary #",
    "a\x00b"[:1],
    "'\n'",
]


def in_bash(line, folder):
    printed = subprocess.run(
        ["bash", "-c", f"set -- {line}; printf '%s\\0' \"$@\""], capture_output=True, check=True, cwd=folder
    )
    return tuple(printed.stdout.decode().split("\0")[:-1])


@pytest.mark.parametrize("word", HOSTILE)
def test_bash_reads_back_the_same_words(word, tmp_path):
    argv = ("python", "-m", "pip", "install", word)
    (line,) = step_lines(Run(argv=argv))
    assert "\n" not in line
    assert in_bash(line, tmp_path) == argv
    assert not list(tmp_path.iterdir())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12), min_size=1, max_size=4))
def test_any_words_survive_bash(words):
    (line,) = step_lines(Run(argv=("echo", *words)))
    assert in_bash(line, "/") == ("echo", *words)


def test_variables_go_before_the_command():
    assert step_lines(Run(argv=("python", "x.py"), env={"CUDA_VISIBLE_DEVICES": "0 1"})) == (
        "CUDA_VISIBLE_DEVICES='0 1' python x.py",
    )
    assert step_lines(SetEnv(name="LD_LIBRARY_PATH", value="/a b")) == ("export LD_LIBRARY_PATH='/a b'",)
    assert step_lines(SetEnv(name="LD_LIBRARY_PATH", value=None)) == ("unset LD_LIBRARY_PATH",)


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_value_of_a_variable_stays_on_one_line(value, tmp_path):
    for step in (SetEnv(name="X", value=value), Run(argv=("env",), env={"X": value})):
        (line,) = step_lines(step)
        assert visible(line) == line, "nothing that steers a terminal"
        shown = subprocess.run(["bash", "-c", f"{line}; env"], capture_output=True, check=True, cwd=tmp_path).stdout
        assert f"X={value}\n".encode() in shown
    assert not list(tmp_path.iterdir())


def test_powershell_quoting():
    # https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_quoting_rules
    run = Run(argv=(r"C:\Program Files\Python\python.exe", "-m", "pip", "install", "it's", "torch>=2"))
    assert step_lines(run, windows=True) == (
        r"& 'C:\Program Files\Python\python.exe' -m pip install 'it''s' 'torch>=2'",
    )
    assert step_lines(SetEnv(name="A", value="b"), windows=True) == ("$env:A = 'b'",)
    assert step_lines(SetEnv(name="A", value=None), windows=True) == ("Remove-Item Env:A",)


@pytest.mark.skipif(shutil.which("pwsh") is None, reason="PowerShell is not installed")
@pytest.mark.parametrize("word", HOSTILE)
def test_powershell_reads_back_the_same_words(word):
    (line,) = step_lines(Run(argv=("Write-Output", word)), windows=True)
    assert subprocess.run(["pwsh", "-NoProfile", "-c", line], capture_output=True, check=True).stdout.decode() == word


def test_a_name_cannot_fake_a_line_of_the_report():
    assert "\n" not in visible("RTX\nerror DRV001") and "\x1b" not in visible("\x1b[2J")
    assert "\n" not in step_lines(Ask(text="one\ntwo"))[0]
