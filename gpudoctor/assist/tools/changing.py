"""The MCP tools `smoke`, `plan`, `fix`, `install` and `undo`, each run as the command of that name."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from msgspec import Meta

from gpudoctor.assist.judged import judged_report
from gpudoctor.assist.own_process import Ended, Progress, run_own
from gpudoctor.assist.quoting import cut, printable
from gpudoctor.assist.tool import CannotAnswer, Elsewhere, Session, Takes, Tool
from gpudoctor.assist.tools.checking import Checked, checked, python_option, report_of, said
from gpudoctor.assist.tools.given_files import read_file
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact

#: Lines of output that are given, and characters of a plan.
_LINES, _PLAN = 30, 12_000
_MEANING = {
    0: "done", 1: "findings remain, or something does not fit", 2: "the call was not understood",
    3: "could not examine", 4: "a bug of gpudoctor", 5: "done, but not proved", 6: "refused: nothing was changed",
    7: "failed: everything is as it was", 130: "interrupted",
}  # fmt: skip
#: A requirements file that leads to others, which may lie anywhere.
_NAMES_FILES = re.compile(rb"^\s*(?:-[rce]|--(?:requirement|constraint|editable))\b", re.MULTILINE)
#: Seconds: a training of each framework; what an installer downloads.
_SMOKE, _INSTALL, _PLANNING = 900.0, 3600.0, 120.0


class Smoke(Takes, frozen=True, kw_only=True):
    """What to train with."""

    python: str | None = None
    confirm: Annotated[bool, Meta(description="The user agreed that frameworks are run on this machine now.")] = False


async def smoke(asked: Smoke, session: Session, progress: Progress | None) -> Checked:
    """The judgement, with what the frameworks showed. Raises CannotAnswer."""
    ended = await run_own(
        ["check", "--quiet", "--format", "json", *python_option(asked.python, session)], _SMOKE, progress
    )
    return checked(judged_report(report_of(ended, session)), session.quoting())


class Planned(Elsewhere, frozen=True, kw_only=True):
    """What to install, and for which machine: this one, where neither gpu, driver nor os is given."""

    packages: tuple[str, ...] = ("torch",)
    format: Literal["shell", "powershell", "dockerfile", "requirements", "uv", "conda-env"] = "shell"
    cuda: Annotated[str | None, Meta(description="Builds for this CUDA: 12.6, 12, or cpu.")] = None
    manager: Literal["pip", "uv", "conda", "mamba", "micromamba"] | None = None
    requirements_path: str | None = None


class Plan(Fact, frozen=True, kw_only=True):
    """A plan."""

    fits: bool
    #: In the format that was asked for.
    plan: str = ""
    #: What else is to be known, or why nothing fits; quoted.
    notes: tuple[str, ...] = ()


async def plan(asked: Planned, session: Session, progress: Progress | None) -> Plan:
    """The plan. Raises CannotAnswer."""
    names = ("format", "driver", "python", "os", "arch", "glibc", "macos", "cuda", "manager")
    arguments = [f"--{name}={value}" for name in names if (value := getattr(asked, name)) is not None]
    arguments += [f"--gpu={one}" for one in asked.gpu]
    if asked.requirements_path is not None:
        if _NAMES_FILES.search(read_file(asked.requirements_path, session).raw):
            raise CannotAnswer(
                "The file names other files (-r, -c, -e). Put what they hold into it, so that all is in one."
            )
        arguments.append(f"--requirements={session.folders.file(asked.requirements_path)}")
    if asked.python is not None and not asked.python.replace(".", "").isdigit():
        raise CannotAnswer("python is a version here, as in 3.12.")
    ended = await run_own(["plan", *arguments, "--", *asked.packages], _PLANNING, progress)
    notes = _lines(ended.errors, session)
    if ended.code not in (0, 1):
        raise CannotAnswer(said(ended, session))
    quoting = session.quoting()
    lines = (cut(quoting.command(line) or printable(line), 500) for line in ended.output.decode().splitlines())
    return Plan(fits=ended.code == 0, plan=cut("\n".join(lines), _PLAN), notes=notes)


class Fix(Takes, frozen=True, kw_only=True):
    """What to fix."""

    python: str | None = None
    only: Annotated[tuple[str, ...], Meta(description="Codes of findings; by default all.")] = ()
    apply: Annotated[
        bool, Meta(description="Carry it out. Needs the `ticket` of the dry run with the same arguments.")
    ] = False
    ticket: str | None = None


class Install(Takes, frozen=True, kw_only=True):
    """What to install, and where."""

    packages: tuple[str, ...]
    venv: Annotated[
        str | None, Meta(description="The folder of a new virtual environment, in a folder that the server may use.")
    ] = None
    python: Annotated[str | None, Meta(description="An environment that exists.")] = None
    cuda: str | None = None
    cpu: bool = False
    apply: bool = False
    ticket: str | None = None


class Undo(Takes, frozen=True, kw_only=True):
    """What to undo: the last change, or that of an id."""

    id: str | None = None
    apply: bool = False
    ticket: str | None = None


class Done(Fact, frozen=True, kw_only=True):
    """How it went."""

    #: False: a dry run, which changed nothing.
    applied: bool
    exit_code: int | None
    meaning: str
    #: With this, and apply=true, the same call carries it out; once.
    ticket: str | None = None
    #: The end of what was printed; quoted.
    output: tuple[str, ...] = ()


def _commands(asked: Fix | Install | Undo, session: Session) -> tuple[list[str], list[str]]:
    """The dry run, and the change. Raises CannotAnswer, NotAllowed."""
    if isinstance(asked, Undo):
        return ["history"], ["undo", "--yes", *(["--", asked.id] if asked.id else [])]
    where = python_option(asked.python, session)
    if isinstance(asked, Fix):
        where = [*where, *(f"--only={one}" for one in asked.only)]
        return ["fix", *where], ["fix", "--apply", "--yes", *where]
    if asked.venv is not None:
        where.append(f"--venv={session.folders.new(asked.venv)}")
    where += [f"--cuda={asked.cuda}"] if asked.cuda else []
    where += ["--cpu"] if asked.cpu else []
    tail = [*where, "--", *asked.packages]
    return ["install", "--dry-run", *tail], ["install", "--yes", *tail]


_NOT_SHOWN = (
    "Call it without apply first, show the user what it would do, and give the ticket of that answer, with the same "
    "arguments."
)


async def change(asked: Fix | Install | Undo, session: Session, progress: Progress | None) -> Done:
    """Do it, or show what would be done. Raises CannotAnswer."""
    dry, real = _commands(asked, session)
    if not asked.apply:
        ended = await run_own(dry, _INSTALL, progress)
        ticket = session.note_dry_run(*real) if ended.code in (0, 1) else None
        return _done(ended, session, ticket=ticket)
    if not session.take_dry_run(asked.ticket, *real):
        raise CannotAnswer(_NOT_SHOWN)
    return _done(await run_own(real, _INSTALL, progress), session, applied=True)


def _done(ended: Ended, session: Session, *, applied: bool = False, ticket: str | None = None) -> Done:
    text = ended.output.decode("utf-8", "replace") + ended.errors
    meaning = "it ran past its deadline and was stopped" if ended.code is None else _MEANING.get(ended.code, "failed")
    return Done(
        applied=applied,
        exit_code=ended.code,
        meaning=meaning if applied or ended.code not in (0, 1) else f"dry run, nothing was changed ({meaning})",
        ticket=ticket,
        output=_lines(text, session),
    )


def _lines(text: str, session: Session) -> tuple[str, ...]:
    quoting = session.quoting()
    return tuple(quoting.text(line, 300) for line in text.splitlines() if line.strip())[-_LINES:]


def _ask_smoke(asked: Smoke, _: Session) -> str | None:
    if asked.confirm:
        return None
    return (
        "gpudoctor would run the installed frameworks: each lists its devices and trains two small networks, on "
        "the GPU too, for up to some minutes. Run them now?"
    )


def _asks_change(what: str) -> Callable[[Any, Session], str | None]:
    def ask(asked: Fix | Install | Undo, session: Session) -> str | None:
        if not asked.apply:
            return None
        if not session.was_shown(asked.ticket, *_commands(asked, session)[1]):
            raise CannotAnswer(_NOT_SHOWN)
        return f"gpudoctor would now {what}, as its dry run showed. Do it?"

    return ask


SMOKE = Tool(
    name="smoke",
    title="Train a small network",
    about="Runs the installed frameworks: each lists its devices and trains two small networks, which proves "
    "whether the GPU is used. The user is asked first; where the client cannot ask, ask the user, then give "
    "confirm=true.",
    takes=Smoke,
    gives=Checked,
    run=smoke,
    is_process=True,
    asks=_ask_smoke,
    deadline=_SMOKE + 15,
)
PLAN = Tool(
    name="plan",
    title="Write an install plan",
    about="What to install for this machine or a described one, as a shell or PowerShell script, "
    "Dockerfile, requirements, uv project or conda environment. Nothing is installed.",
    takes=Planned,
    gives=Plan,
    run=plan,
    is_process=True,
    deadline=_PLANNING + 15,
)
FIX = Tool(
    name="fix",
    title="Fix this environment",
    about="Shows what would fix the examined environment; with apply=true and the ticket of that dry run it is done "
    "on a copy, proved, and switched to. Nothing that needs root is ever run.",
    takes=Fix,
    gives=Done,
    run=change,
    is_process=True,
    reads_only=False,
    destroys=True,
    is_open=True,
    asks=_asks_change("fix the environment"),
    deadline=_INSTALL + 15,
)
INSTALL = Tool(
    name="install",
    title="Install a framework",
    about="Shows which builds would be installed; with apply=true and the ticket of that dry run they are installed, "
    "proved by a training, and can be undone.",
    takes=Install,
    gives=Done,
    run=change,
    is_process=True,
    reads_only=False,
    destroys=True,
    is_open=True,
    asks=_asks_change("install these packages"),
    deadline=_INSTALL + 15,
)
UNDO = Tool(
    name="undo",
    title="Undo a change",
    about="Lists the changes that gpudoctor made; with apply=true and the ticket of that list the last one, or that "
    "of an id, is taken back.",
    takes=Undo,
    gives=Done,
    run=change,
    is_process=True,
    reads_only=False,
    destroys=True,
    asks=_asks_change("undo the change"),
    deadline=_INSTALL + 15,
)
