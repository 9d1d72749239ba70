"""What the last change has run is not proposed again while the environment is as it left it."""

import pytest
from msgspec.structs import replace

from gpudoctor.apply import journal
from gpudoctor.apply.distributions import installed
from gpudoctor.apply.journal import Change
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.finding import Diagnosis
from gpudoctor.facts.fix import Fix, Run
from gpudoctor.facts.plan import Mending, Plan
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.install.repeated_fixes import without_tried

INSTALL = ("pip", "install", "numpy>=2")
ANEW = ("pip", "install", "--force-reinstall", "numpy")


@pytest.mark.parametrize(
    ("run", "state", "proposed", "since", "left"),
    [
        (INSTALL, "done", INSTALL, False, False),
        (INSTALL, "done", INSTALL, True, True),
        (INSTALL, "undone", INSTALL, False, True),
        (INSTALL, "failed", INSTALL, False, True),
        (("pip", "install", "scipy"), "done", INSTALL, False, True),
        (ANEW, "done", ANEW, False, True),
    ],
)
def test_it_is_said_instead(tmp_path, monkeypatch, run, state, proposed, since, left):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "env"
    info = path / "lib/python3.11/site-packages/numpy-1.26.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 1.26\n")
    change = Change(id=journal.new_id(), begun=journal.now(), kind="changed", environment=str(path), state=state)
    journal.write(replace(change, commands=(run,), after=installed(str(path))))
    if since:
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 1.25\n")
    fix = Fix(title="Install", safety="safe", steps=(Run(argv=proposed),))
    plan = Plan(fixes=(Mending(fix=fix, cures=("PYT017",), because=("jax needs it.",), scope="user"),))
    target = Interpreter(chosen_by="PATH", executable=f"{path}/bin/python", prefix=str(path))
    report = replace(report_of(Snapshot(interpreter=target), Diagnosis(findings=())), plan=plan)
    after = without_tried(report).plan
    assert bool(after.fixes) is left
    assert [one.code for one in after.unresolved] == ([] if left else ["PYT017"])
