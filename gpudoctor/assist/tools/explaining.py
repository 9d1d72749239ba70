"""The MCP tools `explain` (what a message or finding means) and `diff` (what changed between two machines)."""

from typing import Annotated

from msgspec import Meta

from gpudoctor.assist.conclusion import Cause, Question, cause_of, question_of
from gpudoctor.assist.tool import CannotAnswer, Session, Short, Takes, Tool
from gpudoctor.assist.tools.given_files import read_file, text_input
from gpudoctor.diagnosis.compare import Comparison, Shift, compare
from gpudoctor.diagnosis.explanation import Explanation
from gpudoctor.diagnosis.select import UnknownCode, find
from gpudoctor.examine.explaining import explained
from gpudoctor.examine.tickets import Unreadable, subject_of
from gpudoctor.facts.base import Fact
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.redact.credentials import fact_without_credentials
from gpudoctor.report.triage import remedy_lines
from gpudoctor.rules.load import load_rules

#: Changes that are shown, and lines of a remedy.
_CHANGES, _LINES = 12, 4


class What(Takes, frozen=True, kw_only=True):
    """What to explain."""

    what: Annotated[str, Meta(description="A code (FRM002), a name (torch-cpu-only), an error message, or a log.")]
    facts_path: Annotated[
        str | None, Meta(description="A snapshot or a text whose facts weigh the causes of a message.")
    ] = None


class Meaning(Fact, frozen=True, kw_only=True):
    """A message, and what it means."""

    #: Quoted.
    message: str
    means: str


class Explained(Fact, frozen=True, kw_only=True):
    """A manual page; or messages with their causes, likeliest first."""

    manual: str | None = None
    messages: tuple[Meaning, ...] = ()
    causes: tuple[Cause, ...] = ()
    #: For the first cause; quoted sentences, and commands as they are typed.
    fix: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    question: Question | None = None
    #: The causes are weighed by facts, not only by how common they are.
    weighed: bool = False


def explain(asked: What, session: Session) -> Explained:
    """The explanation. Raises CannotAnswer."""
    try:
        rule = find(load_rules(), asked.what.strip()[:100]) if len(asked.what) < 100 else None
    except UnknownCode:
        rule = None
    if rule is not None:
        return Explained(manual=f"{rule.code} {rule.name} ({rule.severity})\n\n{rule.manual}")
    facts = _facts(asked.facts_path, session) if asked.facts_path else None
    try:
        found = explained(text_input(asked.what).raw, facts)
    except Unreadable as error:
        raise CannotAnswer(f"It cannot be explained: {session.quoting().text(str(error))}.") from None
    if not found.messages and not found.causes:
        raise CannotAnswer(
            "No known message is in it, and no rule has that code. Give more of the output, from the first line that "
            "mentions an error; or use `answer` for a whole ticket."
        )
    return _explained(found, session)


def _explained(found: Explanation, session: Session) -> Explained:
    quoting = session.quoting()
    first = found.causes[0].key if found.causes else None
    remedy = next((one for one in found.remedies if one.cause == first), None)
    lines = tuple(remedy_lines(remedy, found.system)) if remedy else ()
    commands = (quoting.command(line) for is_command, line in lines if is_command)
    return Explained(
        messages=tuple(Meaning(message=quoting.text(one.text), means=one.meaning) for one in found.messages),
        causes=tuple(cause_of(one, quoting) for one in found.causes),
        fix=(quoting.text(remedy.say, 400),) if remedy else (),
        commands=tuple(one for one in commands if one)[:_LINES],
        question=question_of(found.question),
        weighed=found.weighed,
    )


def _short_explain(found: Explained) -> Short:
    if found.manual:
        return Short(verdict=found.manual.partition("\n\n")[2].partition("\n\n")[0], sure="manual page")
    first = found.causes[0] if found.causes else None
    question = found.question.ask if found.question else None
    return Short(
        verdict=f"{first.code or first.name}: {first.means}" if first else found.messages[0].means,
        command=found.commands[0] if found.commands else question,
        because=found.messages[0].means if found.messages else None,
        sure=first.sure if first else None,
    )


class TwoFiles(Takes, frozen=True, kw_only=True):
    """Two snapshots, reports or pasted texts."""

    before_path: str
    after_path: str


class Changed(Fact, frozen=True, kw_only=True):
    """A change, and the findings that it brings."""

    #: Quoted: what, before and after.
    change: str
    brings: tuple[str, ...] = ()


class Differing(Fact, frozen=True, kw_only=True):
    """What changed, most suspicious first."""

    suspects: tuple[Changed, ...] = ()
    #: Findings that are new, and those that are gone: code and name.
    appeared: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    #: Sections that one of the two did not see.
    not_compared: tuple[str, ...] = ()
    #: Changes that were left out.
    left_out: int = 0


def diff(asked: TwoFiles, session: Session) -> Differing:
    """The changes. Raises CannotAnswer."""
    before, after = _facts(asked.before_path, session), _facts(asked.after_path, session)
    found: Comparison = compare(before, after, load_matrix(), load_rules())
    quoting = session.quoting()

    def words(one: Shift) -> str:
        return f"{one.code} {one.name} ({one.severity})"

    suspects = []
    for one in found.suspects[:_CHANGES]:
        change = one.change
        values = [change.before or "", change.after or ""] if change.before or change.after else []
        lists = [*(f"+{item}" for item in change.gained[:3]), *(f"-{item}" for item in change.lost[:3])]
        shown = " -> ".join(values) or ", ".join(lists) or "order"
        suspects.append(Changed(change=quoting.text(f"{change.section}: {change.what}: {shown}"), brings=one.brings))
    return Differing(
        suspects=tuple(suspects),
        appeared=tuple(map(words, found.appeared)),
        gone=tuple(map(words, found.gone)),
        not_compared=tuple(name for name, _ in found.not_compared),
        left_out=max(0, len(found.suspects) - _CHANGES),
    )


def _facts(path: str, session: Session) -> Snapshot:
    try:
        return fact_without_credentials(subject_of(read_file(path, session), load_matrix()).snapshot)
    except Unreadable as error:
        raise CannotAnswer(f"A file cannot be used: {session.quoting().text(str(error))}.") from None


EXPLAIN = Tool(
    name="explain",
    title="Explain a message or a finding",
    about="What an error message or log means and what causes it, likeliest first; or the manual page of a finding by "
    "its code: what it means, why it breaks, how to fix it, when to ignore it, sources.",
    takes=What,
    gives=Explained,
    run=explain,
    short=_short_explain,
)
DIFF = Tool(
    name="diff",
    title="What changed",
    about="Compares two snapshots, reports or pasted texts: what changed since it worked, most suspicious first, and "
    "which findings each change brings.",
    takes=TwoFiles,
    gives=Differing,
    run=diff,
)
