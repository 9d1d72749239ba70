"""A printed command is one line that a shell reads back as the very same words, whatever the names in it."""

import os
import random
import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpudoctor.facts.fix import Ask, Run, SetEnv
from gpudoctor.report.commands import quoted, step_lines, visible

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


@settings(max_examples=60)
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
    run = Run(argv=(r"C:\Program Files\Python\python.exe", "-m", "pip", "install", "torch>=2", "it's"))
    assert step_lines(run, windows=True) == (
        r"""& "C:\Program Files\Python\python.exe" -m pip install "torch>=2" 'it''s'""",
    )
    assert step_lines(SetEnv(name="A", value="b"), windows=True) == ("$env:A = 'b'",)
    assert step_lines(SetEnv(name="A", value=None), windows=True) == ("Remove-Item Env:A",)


@pytest.mark.parametrize(
    "words",
    [
        ("python", "-m", "pip", "install", "numpy<2"),
        (r"gpu-env\Scripts\python.exe", "-m", "pip", "install", "tensorflow[and-cuda]==2.20.0", "jax>=0.4,<0.5"),
        ("python", "-m", "venv", "my env"),
    ],
)
def test_what_windows_users_paste_is_the_same_in_cmd(words):
    """cmd.exe gives the line to the program, which splits it as CommandLineToArgvW does; no character is cmd's own."""
    (line,) = step_lines(Run(argv=words), windows=True)
    assert line == subprocess.list2cmdline(words) or line.replace('"', "") == " ".join(words)
    assert not re.search(r"[<>&|^%!]", re.sub('"[^"]*"', "", line))


@pytest.mark.skipif(shutil.which("pwsh") is None, reason="PowerShell is not installed")
@pytest.mark.parametrize("word", HOSTILE)
def test_powershell_reads_back_the_same_words(word):
    (line,) = step_lines(Run(argv=("Write-Output", word)), windows=True)
    assert subprocess.run(["pwsh", "-NoProfile", "-c", line], capture_output=True, check=True).stdout.decode() == word


def test_a_name_cannot_fake_a_line_of_the_report():
    assert "\n" not in visible("RTX\nerror DRV001") and "\x1b" not in visible("\x1b[2J")
    assert "\n" not in step_lines(Ask(text="one\ntwo"))[0]


# fish.


def in_fish(line, folder):
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"set words {line}; printf '%s\\0' $words"],
        capture_output=True,
        check=True,
        cwd=folder,
        timeout=20,
    )
    return tuple(done.stdout.decode().split("\0")[:-1])


def test_fish_quoting():
    # https://fishshell.com/docs/current/language.html
    run = Run(argv=("pip", "install", "torch>=2", "it's", "a\\b", "x\ny", ""), env={"A": "b c"})
    assert step_lines(run, shell="fish") == (r"env 'A=b c' pip install 'torch>=2' 'it\'s' 'a\\b' 'x'\x0a'y' ''",)
    assert step_lines(SetEnv(name="A", value="b c"), shell="fish") == ("set -gx A 'b c'",)
    assert step_lines(SetEnv(name="A", value=None), shell="fish") == ("set -e A",)


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize("word", HOSTILE)
def test_fish_reads_back_the_same_words(word, tmp_path):
    argv = ("echo", word, "end")
    (line,) = step_lines(Run(argv=argv), shell="fish")
    assert "\n" not in line
    assert in_fish(line, tmp_path) == argv
    assert not list(tmp_path.iterdir())


# Ten thousand at once: every word is written by the quoting, read back by a real shell, and nothing is run.


ALPHABET = "abc -_./:=+,*?[]{}()<>|&;!#~%^@$`'\"\\\n\r\t\x1b\x07\x00\u202e\u2028éß中\u2019😀"


def fuzzed(count):
    source = random.Random(20261121)
    pieces = [*ALPHABET.replace("\x00", ""), "$(touch canary)", "`touch canary`", "; touch canary;", "&& touch canary"]
    return ["".join(source.choices(pieces, k=source.randint(0, 12))) for _ in range(count)]


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_ten_thousand_strings_are_read_back_by_the_real_shell(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    words = fuzzed(10_000)
    script = tmp_path / "script"
    lines = [f"printf '%s\\0' {quoted(word, shell)}" for word in words]
    assert not any("\n" in line or "\x1b" in line for line in lines)
    script.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    folder = tmp_path / "empty"
    folder.mkdir()
    options = ["--no-config"] if shell == "fish" else []
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    done = subprocess.run([shell, *options, str(script)], capture_output=True, check=True, cwd=folder, env=env)
    assert done.stdout.decode().split("\0")[:-1] == words
    assert not (folder / "canary").exists()


def test_ten_thousand_strings_in_powershell_are_literal():
    """Without the shell itself: what is printed is quoted literals, numbers of characters, or a bare word."""
    for word in fuzzed(10_000):
        text = quoted(word, "powershell")
        if re.fullmatch(r"[A-Za-z0-9_./:\\=+-]+", text):
            assert text == word
        else:
            assert "\n" not in text
            assert read_powershell(text) == word


def read_powershell(text):
    """The value of a literal, or of a sum of literals and characters, by the rules of about_Quoting_Rules."""
    out, rest = [], text.removeprefix("('' + ").removesuffix(")") if text.startswith("('' + ") else text
    while rest:
        if match := re.match(r"\[char\](\d+)", rest):
            out.append(chr(int(match.group(1))))
        else:
            if match := re.match('"([^"$`\u201c\u201d\u201e]*)"', rest):
                out.append(match.group(1))
                rest = rest[match.end() :]
                continue
            match = re.match("'((?:[^'\u2018\u2019\u201a\u201b]|['\u2018\u2019\u201a\u201b]{2})*)'", rest)
            assert match, rest
            out.append(re.sub("(['\u2018\u2019\u201a\u201b])\\1", r"\1", match.group(1)))
        rest = rest[match.end() :].removeprefix(" + ")
    return "".join(out)


def test_a_variable_with_a_hostile_name_is_no_command(tmp_path):
    name = "a;touch canary;b"
    for step in (SetEnv(name=name, value="x"), SetEnv(name=name, value=None), Run(argv=("true",), env={name: "x"})):
        for shell in ("bash", "fish"):
            if shutil.which(shell):
                (line,) = step_lines(step, shell=shell)
                subprocess.run([shell, "-c", line], capture_output=True, check=False, cwd=tmp_path)
    assert not list(tmp_path.iterdir())
