"""What a ticket is taken for: whether a cause is named, whether it says that something fails, what is left out."""

import pytest
from msgspec.structs import replace

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.ranking import Candidate
from gpudoctor.diagnosis.triage import (
    NAMED,
    Contents,
    Dispute,
    Message,
    Recognised,
    Ticket,
    ToldFinding,
    UnknownError,
    ticket_of,
)
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.base import Gap
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.rules.load import load_rules
from tests.whole import driver, framework, gpu, machine

MESSAGE = Message(text="x", meaning="y", signature="z")
ERROR = UnknownError(text="Segmentation fault", line=3)


def cause(weight):
    return (Candidate(key="torch-cpu-only", words="x", weight=weight, state="open"),)


@pytest.mark.parametrize(
    ("facts", "named", "code"),
    [
        ({"verdict": "findings"}, True, 1),
        ({"verdict": "incomplete", "causes": cause(NAMED)}, True, 1),
        ({"verdict": "healthy", "causes": cause(NAMED)}, True, 1),
        ({"verdict": "incomplete", "causes": cause(NAMED - 0.01)}, False, 3),
        ({"verdict": "incomplete"}, False, 3),
        ({"verdict": None}, False, 3),
        ({"verdict": "healthy"}, False, 0),
        ({"verdict": "no-gpu"}, False, 0),
    ],
)
def test_the_exit_code(facts, named, code):
    ticket = Ticket(name="x", kind="text", **facts)
    assert (ticket.named, ticket.exit_code) == (named, code)


@pytest.mark.parametrize(
    ("facts", "fails"),
    [
        ({"messages": (MESSAGE,)}, True),
        ({"contents": Contents(error=ERROR)}, True),
        ({"messages": (MESSAGE,), "contents": Contents()}, True),
        ({"contents": Contents(recognised=(Recognised(form="nvidia-smi", line=1),))}, False),
        ({}, False),
    ],
)
def test_whether_it_says_that_something_fails(facts, fails):
    assert Ticket(name="x", kind="text", **facts).states_failure is fails


RULES = load_rules()
GAP = Gap(reason="not stated")
EMPTY = Snapshot(**dict.fromkeys(("host", "container", "gpus", "driver", "interpreter", "frameworks", "packages"), GAP))


def judged(snapshot, kind="text", contents=None):
    report = report_of(snapshot, diagnose(snapshot, load_matrix(), RULES))
    return ticket_of("x", kind, report, RULES, contents)


def saying(*symptoms, **sections):
    live = Live(symptoms=tuple(Symptom(signature=name, text=text) for name, text in symptoms))
    return replace(EMPTY, live=live, **sections)


def test_a_text_is_never_healthy():
    """What it does not state may be broken; a look at the machine can tell."""
    whole = machine((gpu("NVIDIA GeForce RTX 3090", "8.6"),), driver("550.54.14"), (framework("torch", "2.5.1+cu124"),))
    assert judged(whole, "snapshot").verdict == "healthy"
    assert judged(whole, "snapshot").question is None
    assert judged(whole, "text").verdict == "incomplete"
    bare = machine()
    assert judged(bare, "snapshot").verdict == "no-gpu"
    assert judged(bare, "text").verdict == "incomplete"


def known(text):
    """The signature of the message that a line is."""
    return next(iter(recognise(text))).signature


OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
NONE_SEEN = "RuntimeError: No CUDA GPUs are available"


def test_each_known_message_is_told_once_with_its_line():
    told = ((known(OOM), OOM), (known(OOM), "again"), (known(NONE_SEEN), NONE_SEEN), ("no-such-message", "x"))
    ticket = judged(saying(*told), contents=Contents(quoted=((4, OOM), (9, NONE_SEEN))))
    assert [(one.text, one.line) for one in ticket.messages] == [(OOM, 4), (NONE_SEEN, 9)]
    assert all(one.meaning for one in ticket.messages)
    assert [one.line for one in judged(saying(*told)).messages] == [None, None]
    assert ticket.states_failure


def test_a_pasted_report_of_ours_names_causes():
    told = (
        ToldFinding(code="FRM001", name="torch-cpu-only", severity="error", summary="It is for the CPU."),
        ToldFinding(code="FRM999", name="of-another-release", severity="error", summary="x"),
    )
    ticket = judged(EMPTY, contents=Contents(told=told))
    assert [one.key for one in ticket.causes] == ["torch-cpu-only"]
    assert ticket.named
    assert judged(EMPTY, contents=Contents()).causes == ()


def test_what_two_places_state_differently_is_asked():
    open_one = Dispute(fact="driver.release", values=(("535", "1"), ("550", "9")))
    settled = replace(open_one, taken="535")
    assert "different things about the driver" in judged(EMPTY, contents=Contents(disputes=(open_one,))).question.why
    assert "different" not in judged(EMPTY, contents=Contents(disputes=(settled,))).question.why


def test_a_text_that_is_about_another_error_names_no_cause_of_its_messages():
    subject = UnknownError(text="KeyError: 'lr'", line=3, is_subject=True)
    snapshot = saying((known(NONE_SEEN), NONE_SEEN))
    assert judged(snapshot, contents=Contents(error=replace(subject, is_subject=False))).causes
    assert judged(snapshot, contents=Contents()).causes
    assert judged(snapshot, contents=Contents(error=subject)).causes == ()
    old = replace(
        snapshot,
        **{
            name: getattr(machine((gpu("GeForce RTX 3090", "8.6"),), driver("550.54.14"), (CPU_BUILD,)), name)
            for name in ("gpus", "driver", "frameworks", "packages", "interpreter", "host", "container")
        },
    )
    shown = judged(old, contents=Contents(error=subject)).causes
    assert [(one.key, one.state) for one in shown] == [("torch-cpu-only", "found")]


CPU_BUILD = framework("torch", "2.5.1+cpu")


def test_a_program_that_nothing_explains_is_asked_about():
    error = UnknownError(text="boom", line=3)
    (by_line, own_words, none) = (
        judged(EMPTY, contents=Contents(error=one)).question.ask for one in (error, replace(error, printed=False), None)
    )
    assert "the program's release" in by_line
    assert "the program's release" not in own_words
    assert own_words == none
    assert "all that the program prints" in none


def test_the_system_that_its_words_name():
    assert judged(EMPTY, contents=Contents(around=("windows",))).system == "windows"
    assert judged(EMPTY, contents=Contents()).system is None
