"""A script says everything, does it in order, stops at a failure, and no name in it becomes a command."""

import os
import random
import shutil
import subprocess

import pytest

from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv, Write
from gpudoctor.facts.plan import Conflict, InstallPlan, Mending, Place, Plan, Unresolved
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.demand import parse_demand
from gpudoctor.plan.install import plan_install
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.merge import plan_of
from gpudoctor.report.plan_text import install_text, plan_text
from gpudoctor.report.scripts import fix_script, install_script
from tests.cases.load import cases, score
from tests.report.test_commands import HOSTILE

SHELLCHECK = shutil.which("shellcheck")


def mending(*steps, scope="user", title="A title", needs=(), **facts):
    fix = Fix(title=title, safety="safe", steps=steps, needs_root=scope == "system", **facts)
    return Mending(fix=fix, cures=("FRM001",), because=("It is wrong.",), scope=scope, needs=needs)


def run(script, folder, answers="", **env):
    return subprocess.run(
        ["bash", "-c", script],
        input=answers.encode(),
        capture_output=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", **env},
        check=False,
        timeout=60,
    )


def checked(script, tmp_path):
    """The script, past shellcheck where it is installed, and past bash's own reading."""
    path = tmp_path / "script.sh"
    path.write_text(script, encoding="utf-8", newline="")
    subprocess.run(["bash", "-n", str(path)], check=True)
    if SHELLCHECK:
        done = subprocess.run([SHELLCHECK, str(path)], capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode() + script
    path.unlink()
    return script


PLAN = Plan(
    fixes=(
        mending(
            Write(path="/etc/x.conf", text="options a\nb\n"),
            Run(argv=("update-initramfs", "-u")),
            Ask(text="Look at it."),
            scope="system",
            needs=("root", "a restart"),
            undo="remove it",
        ),
        mending(Run(argv=("reboot",)), scope="system", needs=("root", "a restart")),
        mending(Run(argv=("pip", "install", "torch>=2"), env={"A": "b c"}), SetEnv(name="B", value="x y")),
        mending(Ask(text="Install a driver."), scope="person", needs=("a new login",)),
    ),
    conflicts=(Conflict(kept="One", left_out="Other", codes=("A", "B"), text="Both change it."),),
    unresolved=(Unresolved(code="GPU900", summary="No GPU.", reason="Nothing is known."),),
)


def test_all_of_a_plan(tmp_path):
    script = checked(fix_script(PLAN, "For me."), tmp_path)
    lines = script.splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    assert "set -eu" in lines
    for line in (
        "# A title (FRM001)",
        "# It is wrong.",
        "# Needs: root, a restart.",
        "# To undo: remove it",
        r"printf '%s' $'options a\x0ab\x0a' | as_root tee -- /etc/x.conf >/dev/null",
        "as_root update-initramfs -u",
        "by_hand 'Look at it.'",
        "env 'A=b c' pip install 'torch>=2'",
        "export B='x y'",
        "say '    Install a driver.'",
        "# Left out: Other (A, B). Both change it.",
        "# Not fixed: GPU900 No GPU. Nothing is known.",
        "say 'Now restart the machine, then log out and in again, then check again: gpudoctor check'",
    ):
        assert line in lines, script
    assert not any(line.endswith("reboot") for line in lines), "nobody's machine is restarted by a script"
    assert lines.index("as_root update-initramfs -u") < lines.index("env 'A=b c' pip install 'torch>=2'")


def test_it_does_what_it_says_in_order_and_stops_at_a_failure(tmp_path):
    done = mending(Run(argv=("touch", "first")), Run(argv=("false",)), Run(argv=("touch", "last")))
    assert run(fix_script(Plan(fixes=(done,)), ""), tmp_path).returncode != 0
    assert os.listdir(tmp_path) == ["first"]


def test_a_step_by_hand_waits_and_without_a_terminal_the_script_stops(tmp_path):
    plan = Plan(fixes=(mending(Ask(text="Do it."), Run(argv=("touch", "after"))),))
    stopped = run(fix_script(plan, ""), tmp_path)
    assert stopped.returncode != 0
    assert b"By hand: Do it." in stopped.stderr
    assert not os.listdir(tmp_path)
    assert run(fix_script(plan, ""), tmp_path, answers="\n").returncode == 0
    assert os.listdir(tmp_path) == ["after"]


def test_variables_are_set_for_what_follows_and_how_to_keep_them_is_said(tmp_path):
    plan = Plan(fixes=(mending(SetEnv(name="B", value="x y"), Run(argv=("env",))),))
    done = run(fix_script(plan, ""), tmp_path)
    assert b"B=x y\n" in done.stdout
    assert b"To keep these settings" in done.stderr
    assert b"export B='x y'" in done.stderr


def hostile(count=500):
    source = random.Random(7)
    pieces = ["$(touch canary)", "`touch canary`", "; touch canary #", "\n touch canary\n", "'", '"', "\\", "\r", "é",
              " ", "EOF", "\u2028", "--", "x", "\x1b[2J", "&", "|touch canary", "${IFS}", "%s", "!!"]  # fmt: skip
    return [*HOSTILE, *("".join(source.choices(pieces, k=source.randint(1, 6))) for _ in range(count))]


def test_no_name_becomes_a_command(tmp_path):
    """Every field that can hold a name, 500 hostile ones, the real bash: the words come back, nothing else runs."""
    words = hostile()
    fixes = tuple(
        Mending(
            fix=Fix(
                title=word,
                safety="safe",
                undo=word,
                steps=(
                    Ask(text=word),
                    Run(argv=("printf", "%s\\0", word)),
                    Run(argv=("sh", "-c", 'printf "%s\\0" "$X"'), env={"X": word}),
                    SetEnv(name="Y", value=word, where=word),
                    Write(path=f"out/{index}", text=word),
                ),
            ),
            cures=(word,),
            because=(word,),
            scope="user",
            needs=(word,),
        )
        for index, word in enumerate(words)
    )
    left = Unresolved(code=words[-1], summary=words[-2], reason=words[-3])
    script = fix_script(Plan(fixes=fixes, unresolved=(left,)), words[-4])
    assert "\x1b" not in script
    folder = tmp_path / "work"
    (folder / "out").mkdir(parents=True)
    path = tmp_path / "script.sh"
    path.write_text(script, encoding="utf-8", newline="")
    done = subprocess.run(
        ["bash", str(path)], input=b"\n" * len(words), capture_output=True, cwd=folder, check=True,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, timeout=120,
    )  # fmt: skip
    assert done.stdout.decode().split("\0")[:-1] == [word for word in words for _ in (1, 2)]
    assert os.listdir(folder) == ["out"], "a canary came to life"
    assert [(folder / "out" / str(i)).read_bytes().decode() for i in range(len(words))] == words


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_script_of_every_real_machine_is_clean(case, tmp_path):
    diagnosis = score(case).diagnosis
    plan = plan_of(diagnosis, [one.code for one in diagnosis.findings])
    checked(fix_script(plan, case.title), tmp_path)
    text = plan_text(plan, 80)
    assert all(one.fix.title.split()[0] in text for one in plan.fixes)
    windows = fix_script(plan, case.title, windows=True)
    assert windows.count("must_work") == 0 or "function must_work" in windows


def test_powershell():
    script = fix_script(PLAN, "For me.", windows=True)
    lines = script.splitlines()
    assert "$ErrorActionPreference = 'Stop'" in lines
    assert "#Requires -RunAsAdministrator" in lines
    assert "update-initramfs -u; must_work" in lines
    assert """$env:A = 'b c'; pip install "torch>=2"; must_work""" in lines
    assert "$env:B = 'x y'" in lines
    assert (
        r"Set-Content -NoNewline -LiteralPath /etc/x.conf -Value ('' + 'options a' + [char]10 + 'b' + [char]10)"
        in lines
    )


def install(words, driver="535.54", *gpus, place=None):
    machine = Machine(
        driver=DriverRelease(driver),
        capabilities=tuple(map(Capability, gpus or ("8.9",))),
        python="3.12",
        platform="linux-x86_64",
    )
    plan = plan_install(
        machine, parse_demand(words), load_matrix(), place=place or Place(python="python3.12", venv="env")
    )
    assert isinstance(plan, InstallPlan)
    return plan


def test_an_install_script(tmp_path):
    script = checked(install_script(install(("torch", "flash-attn")), "For me."), tmp_path)
    lines = script.splitlines()
    assert lines.index("python3.12 -m venv env") < next(i for i, line in enumerate(lines) if "torch==2.14.1" in line)
    assert any(line.startswith("# not torch 2.15.0+cu132") for line in lines)
    apart = checked(install_script(install(("torch", "tensorflow<2.20"), "580.65.06", "6.1"), ""), tmp_path)
    assert "python3.12 -m venv env-tensorflow" in apart
    assert "# Separate environments, because" in apart
    shown = install_text(install(("torch", "tensorflow<2.20"), "580.65.06", "6.1"), 80)
    assert "Separate environments, because" in shown


def test_hostile_folders_of_an_environment(tmp_path):
    for word in HOSTILE:
        plan = install(("torch",), place=Place(python="true", venv=f"{word}x"))
        script = install_script(plan, word).replace("-m pip", "--help")
        run(script, tmp_path)
        assert not (tmp_path / "canary").exists()
