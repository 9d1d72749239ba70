"""What a fix changes and whom it breaks, before anyone is asked: told by real installers, and asked once."""

import subprocess
import sys

import pytest

from gpudoctor.apply import building, dry_run_elsewhere
from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Changes, Proved
from gpudoctor.apply.sizes import sizer
from gpudoctor.facts.fix import Run
from gpudoctor.facts.python import Interpreter
from gpudoctor.install.preview import tell_what_fixes_change
from tests.apply.wheels import environment, offline, wheel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX environments")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An environment with kit 1.0, and what needs that; and the folder of an index with kit 2.0."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "index"
    folder.mkdir()
    for name, version, requires in (("kit", "1.0", ()), ("kit", "2.0", ("part",)), ("part", "1.5", ())):
        wheel(folder, name, version, requires=requires)
    wheel(folder, "holds", "1.0", requires=("kit<2",))
    path = environment(tmp_path / "env", pip=False)
    argv = ("uv", "pip", "install", "--python", f"{path}/bin/python", "kit==1.0", "holds")
    subprocess.run(argv, env=offline(folder), check=True, capture_output=True)
    return path, folder


def uv(path, verb, *words):
    return Run(argv=("uv", "pip", verb, "--python", f"{path}/bin/python", *words))


TARGET = Interpreter(executable="/x", chosen_by="PATH", version="3.12.4", implementation="cpython")


@pytest.mark.parametrize(
    ("commands", "changes", "breaks"),
    [
        (
            ("install kit==2.0",),
            {"kit 1.0 -> 2.0", "+ part 1.5"},
            ("holds needs kit<2, and 2.0 would be installed",),
        ),
        (("uninstall kit",), {"- kit 1.0"}, ("holds needs kit<2, and none would be left",)),
        (("uninstall kit", "install kit==1.0"), None, ()),
        (("uninstall kit", "install kit==2.0"), {"kit 1.0 -> 2.0", "+ part 1.5"}, ("holds needs kit<2",)),
        # Refused: the work will say so.
        (("install nowhere",), None, ()),
    ],
)
def test_what_changes_and_whom_it_breaks(place, commands, changes, breaks):
    path, folder = place
    steps = tuple(uv(path, *command.split()) for command in commands)
    told: list[Changes] = []
    work = Work(environment=path, kind="changed", steps=steps, variables=offline(folder))
    tell_what_fixes_change((work,), TARGET, told.append)
    assert [set(one.changes) for one in told] == ([changes] if changes else [])
    found = tuple(text for one in told for text in one.breaks)
    assert len(found) == len(breaks) and all(wanted in text for wanted, text in zip(breaks, found, strict=True))


def test_what_was_said_is_not_asked_again(place, monkeypatch):
    path, folder = place
    asked = []
    for module in (dry_run_elsewhere, building):
        real = module.verify
        monkeypatch.setattr(module, "verify", lambda *given, real=real: asked.append(given[0]) or real(*given))
    work = Work(environment=path, kind="changed", steps=(uv(path, "install", "kit==2.0"),), variables=offline(folder))
    tell_what_fixes_change((work,), TARGET, lambda _: None)
    end = carry_out(work, lambda _: (Proved(framework="kit", outcome="passed"),), lambda _: None, sizer())
    assert (end.outcome, len(asked)) == ("installed-and-proved", 1), end.reason
