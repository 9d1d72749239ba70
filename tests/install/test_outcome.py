"""What `fix --apply` says that it has cured, here and in the environments it made; and which steps go where."""

import pytest

from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.finding import Diagnosis, Finding
from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.plan import Mending, Plan
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.install.outcome import compared, cured_there, outcome_text, without
from gpudoctor.plan.places import new_folder, split_by_folder
from gpudoctor.report.plan_text import plan_text

OWN = "/home/me/env/bin/python"
MAKE = Run(argv=(OWN, "-m", "venv", "gpu-env"))
THERE = Run(argv=("gpu-env/bin/python", "-m", "pip", "install", "jax==0.4.30"))
BY_UV = (Run(argv=("uv", "venv", "gpu-env")), Run(argv=("uv", "pip", "install", "--python", "gpu-env/bin/python", "x")))
HERE = Run(argv=(OWN, "-m", "pip", "uninstall", "--yes", "nvidia-cudnn-cu12"))
NOTE = Ask(text="Then: . gpu-env/bin/activate")


def finding(code: str, subject: str | None = None, *because: str) -> Finding:
    name = code.lower()
    summary = f"{code} of {subject}."
    return Finding(code=code, name=name, severity="error", summary=summary, subject=subject, because_of=because)


def report(*findings: Finding):
    return report_of(Snapshot(), Diagnosis(findings=findings))


def mending(*findings: Finding) -> Mending:
    fix = Fix(title="Make an environment", safety="safe", steps=(MAKE, THERE, NOTE))
    cures, because = tuple(one.code for one in findings), tuple(one.summary for one in findings)
    return Mending(fix=fix, cures=cures, because=because, scope="user")


def test_a_new_environment_cures_what_it_was_made_for_and_does_not_have():
    wished, other = finding("PYT001", "Python 3.13"), finding("LIB006", "torch")
    before = report(wished, other)
    made = mending(wished, other)
    assert cured_there(made, before, report()) == (("PYT001", "Python 3.13"), ("LIB006", "torch"))
    assert cured_there(made, before, report(other)) == (("PYT001", "Python 3.13"),)
    assert cured_there(mending(), before, report()) == ()


def test_what_is_cured_elsewhere_does_not_remain_nor_what_follows_from_it():
    cause, follows, alone = finding("PYT001", "x"), finding("FRM900", "jax", "PYT001"), finding("FRM900", "gone")
    after = without(report(cause, follows, alone), {("PYT001", "x"): "/work/gpu-env"})
    assert [one.summary for one in after.diagnosis.findings] == [alone.summary]
    assert after.exit_code == 1
    whole = without(report(cause, follows), {("PYT001", "x"): "/work/gpu-env"})
    assert whole.verdict != "findings"
    assert whole.diagnosis.findings == ()
    same = report(cause)
    assert without(same, {}) is same


def test_it_is_said_where_it_is_cured():
    here, there, new = finding("LIB006", "torch"), finding("PYT001", "x"), finding("SMK005", "jax")
    checked = compared(report(here, there), report(new), {("PYT001", "x"): "/work/gpu-env"})
    assert checked.cured == ("LIB006 LIB006 of torch.", "PYT001 PYT001 of x. (in /work/gpu-env)")
    assert checked.worse == ("SMK005 SMK005 of jax.",)
    assert "New: SMK005" in outcome_text(checked, report(new))


@pytest.mark.parametrize("steps", [(MAKE, THERE), BY_UV])
def test_steps_are_for_the_new_environment_or_for_the_users_own(steps):
    every = (*steps, HERE, NOTE)
    assert new_folder(every) == "gpu-env"
    assert split_by_folder(every, "gpu-env") == ((*steps, NOTE), (HERE,))
    assert new_folder((HERE, NOTE)) is None


def test_the_plan_says_which_folder_is_made_and_whether_the_own_environment_changes():
    def first_line(*steps: Run | Ask) -> str:
        one = Mending(fix=Fix(title="Mend it", safety="safe", steps=steps), cures=("X",), because=("X.",), scope="user")
        return plan_text(Plan(fixes=(one,)), 100).splitlines()[0]

    assert first_line(MAKE, THERE) == "1. Mend it (gpu-env, beside what is there)"
    assert first_line(MAKE, THERE, HERE) == "1. Mend it (gpu-env, and your own environment)"
    assert first_line(HERE) == "1. Mend it (your own environment)"
