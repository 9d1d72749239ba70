"""A diagnosis in a few words for an assistant; text from outside is marked as quoted."""

from collections.abc import Iterable
from typing import Literal

from gpudoctor.assist.judged import Judged
from gpudoctor.assist.proving import test_of
from gpudoctor.assist.quoting import Quoting
from gpudoctor.assist.tool import Short
from gpudoctor.diagnosis import next_question
from gpudoctor.diagnosis.ranking import Candidate
from gpudoctor.diagnosis.remedies import Remedy
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.report import Verdict
from gpudoctor.knowledge.causes import words_of_cause
from gpudoctor.report.summary import stack_lines
from gpudoctor.report.triage import remedy_lines, why
from gpudoctor.rules.load import load_rules

_TO_FILL_IN = re.compile(r"<[A-Z][A-Z0-9_ ]*>")
#: Verdicts with which nothing is wrong.
WELL = ("healthy", "no-gpu")
#: Commands of a cause that is not the first.
_OTHER_COMMANDS = 3
#: Lines of evidence, commands and sentences of a fix, other causes, causes that facts exclude.
_BECAUSE, _COMMANDS, _SENTENCES, _OTHERS, _EXCLUDED = 3, 6, 3, 3, 4


class Cause(Fact, frozen=True, kw_only=True):
    """A cause, and how sure that is."""

    #: For the tool `explain`; None where no rule finds it.
    code: str | None = None
    name: str
    sure: Literal["certain", "likely", "possible"]
    #: What it is, in gpudoctor's words.
    means: str
    #: What it is here, where more is known; quoted.
    here: str | None = None
    #: What to type if it is this one, where it is not the first.
    commands: tuple[str, ...] = ()


class Excluded(Fact, frozen=True, kw_only=True):
    """A cause that must not be named, and the fact that excludes it."""

    name: str
    means: str
    #: Quoted.
    because: str


class Remedied(Fact, frozen=True, kw_only=True):
    """What to do."""

    #: Quoted sentences.
    say: tuple[str, ...]
    #: As they are typed, in order.
    commands: tuple[str, ...] = ()
    #: Commands with words such as <VERSION>, which are to be filled in first; `fit` knows what fits.
    to_fill_in: tuple[str, ...] = ()
    #: root, reboot.
    needs: tuple[str, ...] = ()


class Question(Fact, frozen=True, kw_only=True):
    """The command whose output decides most, and why."""

    ask: str
    why: str


class Conclusion(Fact, frozen=True, kw_only=True):
    """What a judgement comes to."""

    verdict: Verdict
    cause: Cause | None = None
    #: The evidence; quoted.
    because: tuple[str, ...] = ()
    fix: Remedied | None = None
    others: tuple[Cause, ...] = ()
    #: What is to be known where nothing is wrong; no causes of a failure.
    notes: tuple[Cause, ...] = ()
    not_the_cause: tuple[Excluded, ...] = ()
    question: Question | None = None
    #: A command that shows whether it works, once it is fixed.
    test: str | None = None


def conclusion_of(judged: Judged, quoting: Quoting) -> Conclusion:
    """The conclusion, for one result."""
    ticket = judged.ticket
    named = bool(ticket.causes) and ticket.named
    fixes = {one.cause: _remedied(one, judged, quoting) for one in ticket.remedies}
    causes = tuple(
        cause_of(one, quoting, fixes.get(one.key) if number else None) for number, one in enumerate(ticket.causes)
    )
    is_well = ticket.verdict in WELL and not named
    return Conclusion(
        verdict=ticket.verdict or "incomplete",
        cause=causes[0] if named else None,
        because=tuple(quoting.text(line.strip()) for line in why(ticket))[:_BECAUSE],
        fix=fixes.get(ticket.causes[0].key) if named else None,
        others=() if is_well else (causes[1:] if named else causes)[:_OTHERS],
        notes=causes[:_OTHERS] if is_well else (),
        not_the_cause=tuple(
            Excluded(name=one.key, means=means(one.key), because=quoting.text(one.because)) for one in judged.ruled_out
        )[:_EXCLUDED],
        question=question_of(ticket.question),
        test=test_of(ticket, judged.report.snapshot) if named else None,
    )


def short_of(found: Conclusion) -> Short:
    """The conclusion in 400 characters."""
    cause = found.cause
    commands = found.fix.commands if found.fix else ()
    return Short(
        verdict=f"{cause.code or cause.name}: {cause.means}" if cause else found.verdict,
        command=commands[0] if commands else found.question.ask if found.question else None,
        because=found.because[0] if found.because else None,
        sure=cause.sure if cause else None,
    )


def facts_of(judged: Judged) -> Iterable[tuple[str, str]]:
    """The stack, hardware first: the layer, and what was seen of it, unquoted."""
    for line in stack_lines(judged.report.snapshot, judged.report.diagnosis.findings):
        yield line.layer, line.text


def means(key: str) -> str:
    """What a cause is, in words that hold nothing of the machine's."""
    return words_of_cause(key, {rule.name: rule.summary for rule in load_rules()})


def question_of(question: next_question.Question | None) -> Question | None:
    """The question; its words are ours."""
    return Question(ask=question.ask, why=question.why) if question else None


def cause_of(one: Candidate, quoting: Quoting, fix: Remedied | None = None) -> Cause:
    """A cause; with what to type, where a fix is given."""
    words = means(one.key)
    here = quoting.text(one.words) if one.words != words else None
    typed = fix.commands[:_OTHER_COMMANDS] if fix else ()
    return Cause(code=one.code, name=one.key, sure=one.confidence, means=words, here=here, commands=typed)


def _remedied(remedy: Remedy, judged: Judged, quoting: Quoting) -> Remedied:
    lines = tuple(remedy_lines(remedy, judged.ticket.system))
    sentences = (remedy.say, *(line for is_command, line in lines if not is_command))
    typed = (line for is_command, line in lines if is_command)
    commands = [shown for line in typed if (shown := quoting.command(line))]
    return Remedied(
        say=tuple(quoting.text(one, 400) for one in sentences)[:_SENTENCES],
        commands=tuple(one for one in commands if not _TO_FILL_IN.search(one))[:_COMMANDS],
        to_fill_in=tuple(one for one in commands if _TO_FILL_IN.search(one))[:_COMMANDS],
        needs=_needs(next((one for one in judged.ticket.findings if one.name == remedy.cause), None)),
    )


def _needs(finding: Finding | None) -> tuple[str, ...]:
    fix = finding.fixes[0] if finding and finding.fixes else None
    return tuple(word for word in ("root", "reboot", "login") if fix and getattr(fix, f"needs_{word}"))
