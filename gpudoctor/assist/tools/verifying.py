"""The MCP tool `verify`: judges commands before anybody runs them."""

from functools import partial
from typing import Annotated

import anyio.to_thread
import click
import msgspec
from msgspec import Meta

from gpudoctor.assist.own_process import Progress, run_own
from gpudoctor.assist.quoting import Quoting
from gpudoctor.assist.tool import CannotAnswer, Elsewhere, Session, Short, Tool
from gpudoctor.assist.tools.checking import said
from gpudoctor.assist.tools.given_files import read_file
from gpudoctor.assist.tools.matrix import machine_of
from gpudoctor.cli.verify import with_packages
from gpudoctor.examine.tickets import Unreadable, subject_of
from gpudoctor.facts.base import Fact
from gpudoctor.facts.codec import decode
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.redact.credentials import without_credentials
from gpudoctor.verify.given import given_of
from gpudoctor.verify.verdict import Given, Verdict, Verdicts, Word
from gpudoctor.verify.verify import verify

#: Verdicts of a call, and seconds in which this machine is looked at.
_MOST, _DEADLINE = 40, 60.0


class Commands(Elsewhere, frozen=True, kw_only=True):
    """Commands, and the machine they are for: a file's, a described one, or (where `here` is true) this one."""

    text: Annotated[
        str | None,
        Meta(description="Commands of pip, uv, conda, apt, dnf, zypper or docker; or the text of a file of them."),
    ] = None
    path: Annotated[
        str | None,
        Meta(description="A file that holds them, or uv.lock, poetry.lock, pyproject.toml, environment.yml."),
    ] = None
    for_path: Annotated[str | None, Meta(description="A snapshot or a ticket: its machine.")] = None
    here: Annotated[bool, Meta(description="This machine, looked at.")] = False
    distribution: Annotated[str | None, Meta(description="As in /etc/os-release: ubuntu.")] = None
    installed: Annotated[tuple[str, ...], Meta(description="torch==2.2.0+cpu.")] = ()


class Judged(Fact, frozen=True, kw_only=True):
    """The verdict on one package, setting or image."""

    line: int
    #: Quoted.
    subject: str
    word: Word
    #: impossible anywhere, not here, not in the tables, or not asked for want of a fact.
    grounds: str | None = None
    #: Quoted.
    because: str | None = None
    #: The nearest command that fits.
    instead: str | None = None
    #: Quoted.
    notes: tuple[str, ...] = ()
    #: Facts that were not given, and therefore not judged.
    not_judged: tuple[str, ...] = ()
    source: str = ""
    checked: str = ""


class Verified(Fact, frozen=True, kw_only=True):
    """The verdicts, and the one that counts for all."""

    word: Word
    verdicts: tuple[Judged, ...]
    #: Verdicts that were left out.
    left_out: int = 0


async def verify_commands(asked: Commands, session: Session, progress: Progress | None) -> Verified:
    """The verdicts. Raises CannotAnswer."""
    if not asked.here:
        return await anyio.to_thread.run_sync(partial(verify_described, asked, session), abandon_on_cancel=True)
    text = _text(asked, session)
    if len(text) > 100_000:
        raise CannotAnswer("That is too long to be judged for this machine. Give fewer commands.")
    # A blank before it, so that it is no file's name.
    ended = await run_own(["verify", "--format", "json", "--", f" {text}"], _DEADLINE, progress)
    try:
        found = decode(ended.output, Verdicts)
    except (msgspec.DecodeError, ValueError):
        raise CannotAnswer(said(ended, session)) from None
    return _verified(found, session.quoting())


def verify_described(asked: Commands, session: Session) -> Verified:
    """The verdicts for a machine that is not this one. Raises CannotAnswer."""
    matrix = load_matrix()
    text = _text(asked, session)
    try:
        given = with_packages(_given(asked, session), asked.installed)
    except click.ClickException as error:
        raise CannotAnswer(f"It was not understood: {session.quoting().text(error.format_message(), 400)}") from None
    found = verify(text, given, matrix, asked.path)
    if not found.found:
        raise CannotAnswer("There is no command in it.")
    return _verified(found, session.quoting())


def _text(asked: Commands, session: Session) -> str:
    if (asked.text is None) == (asked.path is None):
        raise CannotAnswer("Give either text or path.")
    text = asked.text
    if text is None:
        text = read_file(asked.path or "", session).raw.decode("utf-8", "replace")
    # Before it is taken apart: a word alone no longer says that it is a password.
    return without_credentials(text)


def _given(asked: Commands, session: Session) -> Given:
    matrix = load_matrix()
    if asked.for_path is not None:
        try:
            return given_of(subject_of(read_file(asked.for_path, session), matrix).snapshot, matrix)
        except Unreadable as error:
            raise CannotAnswer(f"It names no machine: {session.quoting().text(str(error))}.") from None
    name, _, version = (asked.distribution or "").partition(" ")
    return Given(
        machine=machine_of(asked, matrix), distribution=name.lower() or None, distribution_version=version or None
    )


def _verified(found: Verdicts, quoting: Quoting) -> Verified:
    return Verified(
        word=found.word,
        verdicts=tuple(_judged(one, quoting) for one in found.found[:_MOST]),
        left_out=max(0, len(found.found) - _MOST),
    )


def _judged(one: Verdict, quoting: Quoting) -> Judged:
    return Judged(
        line=one.line,
        subject=quoting.text(one.subject, 120),
        word=one.word,
        grounds=one.grounds,
        because=quoting.text(one.because, 300) if one.because else None,
        instead=quoting.command(one.instead) if one.instead else None,
        notes=tuple(quoting.text(note) for note in one.notes[:3]),
        not_judged=one.not_judged,
        source=one.source,
        checked=one.checked,
    )


def _short(found: Verified) -> Short:
    worst = next((one for one in found.verdicts if one.word == found.word), None)
    if worst is None:
        return Short(verdict=found.word)
    lacking = f"not judged: {', '.join(worst.not_judged)}" if worst.not_judged else worst.grounds
    return Short(verdict=f"{worst.word}: {worst.subject}", command=worst.instead, because=worst.because, sure=lacking)


ABOUT = (
    "Judges install commands, a requirements file or a Dockerfile before they are run: fits, does not fit (and "
    "what does instead), does nothing, or not known. Say for which machine: here=true, for_path, or gpu, "
    "driver, python, os. Call it on every install command you write or are shown."
)
VERIFY = Tool(
    name="verify",
    title="Judge install commands",
    about=ABOUT,
    takes=Commands,
    gives=Verified,
    run=verify_commands,
    is_process=True,
    short=_short,
    deadline=_DEADLINE + 15,
)
#: In a batch, for machines that are described.
VERIFY_DESCRIBED = VERIFY._replace(run=verify_described, is_process=False)
