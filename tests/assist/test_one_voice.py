"""triage, explain, check, fit and verify, through the tools, never contradict each other on the same facts."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gpudoctor.assist.conclusion import Conclusion, conclusion_of
from gpudoctor.assist.judged import Judged, every_rule, judged_input, judged_machine
from gpudoctor.assist.quoting import Quoting
from gpudoctor.diagnosis.triage import ticket_of
from gpudoctor.examine.explaining import explained
from gpudoctor.examine.tickets import Input, Unreadable
from gpudoctor.examine.triage import ticket
from gpudoctor.facts.codec import encode
from gpudoctor.facts.fix import Run
from gpudoctor.facts.python import Frameworks
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.demand import parse_demand
from gpudoctor.plan.pairing import fit_with_extras
from gpudoctor.plan.this_machine import machine_here, scene_of
from gpudoctor.redact.redactor import Door
from gpudoctor.report.commands import step_lines
from gpudoctor.verify.given import given_of
from gpudoctor.verify.verify import verify
from tests.cases.load import cases
from tests.tickets.stated import FOLDER
from tests.verify.test_one_voice import linked


def _some(every: list, step: int) -> list:
    """Every so many; all of them where there is time."""
    return [pytest.param(one, marks=() if n % step == 0 else pytest.mark.full) for n, one in enumerate(every)]


TICKETS = _some(sorted(FOLDER.glob("*.txt")), 16)
CASES = _some(list(cases()), 32)


def concluded(judged: Judged) -> Conclusion:
    """The conclusion, of which no part contradicts another, nor the matrix."""
    found = conclusion_of(judged, Quoting(Door()))
    named = {one.name for one in (found.cause, *found.others) if one}
    assert not named & {one.name for one in found.not_the_cause}
    matrix, snapshot = load_matrix(), judged.report.snapshot
    given = given_of(snapshot, matrix)
    # A link that a person makes is said in words.
    links = [f"ln -s {one}" for one in (found.fix.say if found.fix else ()) if "link nvidia/" in one]
    for typed in ((*found.fix.commands, *links) if found.fix else (), *(one.commands for one in found.others)):
        assert verify(typed, given, matrix).word != "does not fit", typed
    installed = snapshot.frameworks.found if isinstance(snapshot.frameworks, Frameworks) else ()
    wanted = tuple(one.name for one in installed if one.name in ("torch", "tensorflow", "jax"))[:1]
    if wanted:
        fitting = fit_with_extras(machine_here(scene_of(snapshot), matrix), parse_demand(wanted), matrix)
        for environment in fitting.environments:
            (line,) = step_lines(Run(argv=environment.command), windows=fitting.machine.os == "windows")
            line += linked(environment.proposals)
            fresh = replace(given, packages=None, environment=None, externally_managed=None, other_pip=None)
            assert verify(line, fresh, matrix).word == "fits", line
    return found


@pytest.mark.parametrize("path", TICKETS, ids=lambda path: path.stem)
def test_a_ticket(path: Path) -> None:
    raw = path.read_bytes()
    judged = ticket(str(path), every_rule())
    try:
        found = concluded(judged_input(Input(path.name, raw)))
    except Unreadable:
        assert judged.kind == "unreadable"
        return
    assert (found.cause.name if found.cause else None) == (judged.causes[0].key if judged.named else None)
    assert not {one.key for one in judged.causes} & {one.key for one in judged.ruled_out}
    causes = explained(raw).causes
    if found.cause and causes:
        assert causes[0].key == found.cause.name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_machine(case) -> None:
    judged = judged_machine(case.snapshot(), every_rule())
    found = concluded(judged)
    sent = conclusion_of(judged_input(Input("machine.json", encode(case.snapshot()))), Quoting(Door()))
    assert (sent.cause and sent.cause.name) == (found.cause and found.cause.name)
    assert judged.ticket == ticket_of("this machine", "snapshot", judged.report, every_rule().rules)
