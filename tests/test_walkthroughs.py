"""The walk-throughs of CONTRIBUTING.md, carried out in a copy of the tree: each file is written, each command is run.

A block says in its fence what it is: `run` commands, `file=PATH` the whole of a file, `file=PATH after="LINE"` what
follows that line, `append=PATH` what is added at the end.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```\w+ (run|file=\S+|append=\S+)(?: after=\"([^\n]*)\")?\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECTIONS = {
    section.partition("\n")[0]: found
    for section in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## ")
    if (found := _BLOCK.findall(section))
}
COPIED = ("gpudoctor", "compat", "scripts", "tests")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the checkout, which the walk-throughs share, and the commands of an environment that has it."""
    tmp_path = tmp_path_factory.mktemp("checkout")
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    # The commands a contributor types, of the Python that runs this test and of the package in the copy.
    for name, words in {"pytest": "-m pytest", "gpudoctor": "-m gpudoctor", "python": "", "python3": ""}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    return tmp_path


def run(tree, commands):
    variables = {**os.environ, "PATH": f"{tree / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(tree)}
    variables = {name: value for name, value in variables.items() if not name.startswith(("COV_", "PYTEST_"))}
    argv = ["sh", "-e", "-c", commands]
    return subprocess.run(argv, cwd=tree, env=variables, capture_output=True, text=True, check=False)


def write(tree, path, after, text):
    file = tree / path.partition("=")[2]
    if path.startswith("append="):
        text = f"{file.read_text(encoding='utf-8')}\n{text}"
    elif after:
        before, line, rest = file.read_text(encoding="utf-8").partition(f"{after}\n")
        assert line, f"{file.name} has no line {after!r}"
        text = before + line + text + rest
    file.write_text(text, encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("section", SECTIONS)
def test_a_walkthrough_works(tree, section):
    for what, after, text in SECTIONS[section]:
        if what == "run":
            done = run(tree, text)
            assert done.returncode == 0, f"{text}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        else:
            write(tree, what, after, text)


def test_there_is_one_for_each_kind():
    assert {"A message", "A cause", "A rule", "A fact", "A GPU package", "A framework", "A format"} <= set(SECTIONS)


NEW = "scripts/new rule {} {} --layer framework"


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
def test_a_new_rule_is_found_and_its_table_demands_rows(tree):
    assert run(tree, NEW.format("FRM998", "demo-rule")).returncode == 0
    assert "demo-rule" in run(tree, "gpudoctor rules").stdout
    tested = run(tree, "pytest -n 0 -q tests/rules/test_demo_rule.py")
    assert tested.returncode == 1
    assert tested.stdout.count("write a row in this file") >= 3
    for code, name in (("FRM998", "other-rule"), ("FRM997", "demo-rule")):
        refused = run(tree, NEW.format(code, name))
        assert refused.returncode == 2
        assert "demo_rule.py" in refused.stderr
        assert f"{name.replace('-', '_')}.py was not written" in refused.stderr
    copied = tree / "gpudoctor/rules/framework/again.py"
    shutil.copy(tree / "gpudoctor/rules/framework/demo_rule.py", copied)
    named = run(tree, "python -c 'from gpudoctor.rules.load import load_rules; load_rules()'").stderr
    assert "demo_rule.py" in named
    copied.unlink()
    assert "again.py" in named


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
def test_a_new_message_demands_what_it_lacks(tree):
    given = {"meaning": "A sentence.", "ask": "nvidia-smi", "source": "https://example.com", "usual": "torch-cpu-only"}
    for lacks in given:
        options = " ".join(f"--{name} '{value}'" for name, value in given.items() if name != lacks)
        command = f"scripts/new message demo-{lacks} --topic torch --example 'Error: {lacks} of demo 12' {options}"
        assert run(tree, command).returncode == 0
    tested = run(tree, "pytest -n 0 -q tests/knowledge/test_messages.py -k 'whole and demo'")
    assert f"{len(given)} failed" in tested.stdout
    again = run(tree, command.replace("--topic torch", "--topic jax"))
    assert (again.returncode, "torch.toml" in again.stderr, "jax.toml" in again.stderr) == (2, True, True)
