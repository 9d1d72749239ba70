"""Judges all commands of a text. Pure: the same text, facts and tables give the same verdicts."""

import posixpath
import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.known_faults import fault_note, faults_of, may_be_met
from gpudoctor.plan.specifiers import is_specifier, meets
from gpudoctor.verify.asked import (
    Activate,
    Asked,
    Conda,
    Image,
    Install,
    NewEnvironment,
    Other,
    Remove,
    Setting,
    SystemPackages,
)
from gpudoctor.verify.case import Case, with_installed, without
from gpudoctor.verify.judge_build import build_fault, cpu_build
from gpudoctor.verify.read_words import read_command
from gpudoctor.verify.split_commands import MOST_CHARACTERS, Typed, Unread, commands
from gpudoctor.verify.verdict import Given, Verdict, Verdicts, overall

#: Releases of what is only bounded, newest first: which side of a bound they are on is all that counts of them.
_LIKELY = {"numpy": ("2.2.6", "1.26.4", "1.24.4", "1.19.5"), "protobuf": ("6.33.0", "4.25.3", "3.20.3")}


def verify(text: str | Sequence[str], given: Given, matrix: Matrix, file: str | None = None) -> Verdicts:
    """The verdicts on commands, a requirements file, a Dockerfile or a Compose file; `file` is its name, if it has one.

    A sequence is one command each; what one changes counts for the next. Never raises for what stands in the text:
    what is not understood is not known.
    """
    whole = text if isinstance(text, str) else "\n".join(text)
    if len(whole) > MOST_CHARACTERS:
        case = Case(1, whole[:80], file, given, matrix)
        reason = f"The text is larger than {MOST_CHARACTERS // 1024} KiB, and no list of commands is."
        found: tuple[Verdict, ...] = (
            case.verdict("text", "not known", grounds="not asked", aspect="syntax", because=reason),
        )
    else:
        found = tuple(_verdicts(whole, given, matrix, file))
    return Verdicts(word=overall(found), found=found)


def _verdicts(text: str, given: Given, matrix: Matrix, file: str | None) -> Iterator[Verdict]:
    given = replace(given, linked=_linked(text))
    typed = list(commands(text, file))
    lines = [one for one in typed if isinstance(one, Typed) and one.kind == "requirements"]
    if lines and all(isinstance(one, Unread) or one.kind == "requirements" for one in typed):
        case = Case(1, lines[0].text, file, given, matrix)
        from gpudoctor.verify.judge_install import judge_install

        yield from (_with_faults(one, case) for one in judge_install(_together(lines), case))
        typed = [one for one in typed if isinstance(one, Unread)]
    for one in typed:
        case = Case(one.line, one.text, file, given, matrix)
        if isinstance(one, Unread):
            reason = f"It could not be read: {one.reason}."
            yield case.verdict(one.text, "not known", grounds="not asked", aspect="syntax", because=reason)
            continue
        for asked in read_command(one):
            case = Case(one.line, one.text, file, given, matrix)
            found = tuple(_with_faults(one, case) for one in _judged(asked, case))
            yield from found
            given = _afterwards(asked, found, given)


def _with_faults(verdict: Verdict, case: Case) -> Verdict:
    """What fits, with the faults that its release is known for, as far as they may be met here."""
    name, _, version = (verdict.build or "").partition(" ")
    if verdict.word != "fits" or not version:
        return verdict
    rows = faults_of(name.partition("[")[0], version, case.matrix)
    notes = (fault_note(row) for row in rows if may_be_met(row, case.machine, case.given.packages))
    return replace(verdict, notes=(*verdict.notes, *notes))


def _linked(text: str) -> frozenset[str]:
    """The libraries that some line makes a link to, in whatever folder."""
    lines = (words for line in text.splitlines() if "ln" in (words := re.findall(r"[^\s\"',\[\]]+", line)))
    return frozenset(posixpath.basename(word) for words in lines for word in words if ".so" in word)


def _together(lines: Sequence[Typed]) -> Install:
    """A requirements file as the one command that installs it."""
    parts = [one for line in lines for one in read_command(line) if isinstance(one, Install)]
    first = parts[0]
    return replace(
        first,
        requirements=tuple(one for part in parts for one in part.requirements),
        index=next((part.index for part in parts if part.index), None),
        extra=tuple(url for part in parts for url in part.extra),
        links=tuple(url for part in parts for url in part.links),
        no_index=any(part.no_index for part in parts),
        files=tuple(name for part in parts for name in part.files),
        unknown_options=tuple(name for part in parts for name in part.unknown_options),
    )


def _judged(asked: Asked, case: Case) -> Iterator[Verdict]:
    """Each judge is imported where there is something for it: most texts are for one or two."""
    fault = build_fault(asked, case)
    if fault is not None:
        yield fault
    elif isinstance(asked, Install):
        from gpudoctor.verify.judge_install import judge_install

        yield from (cpu_build(one, case) for one in judge_install(asked, case))
    elif isinstance(asked, Conda):
        from gpudoctor.verify.judge_conda import judge_conda

        yield from judge_conda(asked, case)
    elif isinstance(asked, SystemPackages):
        from gpudoctor.verify.judge_system import judge_system

        yield from judge_system(asked, case)
    elif isinstance(asked, Image):
        from gpudoctor.verify.judge_image import judge_image

        # A stage of the same file was judged where it stands.
        yield from judge_image(asked, case) if asked.name.lower() not in case.given.stages else ()
    elif isinstance(asked, Setting):
        from gpudoctor.verify.judge_setting import judge_setting

        yield from judge_setting(asked, case)
    elif isinstance(asked, Other):
        text = "What this command does is not judged here."
        yield case.verdict(asked.program, "not known", grounds="not asked", aspect="name", because=text)


def _stage(asked: Image, given: Given) -> Given:
    """What is given at the start of a stage: what its base has, which may be an earlier stage; that one is kept."""
    stages = {**given.stages, given.stage: replace(given, stages={})} if given.stage else given.stages
    base = stages.get(asked.name.lower())
    from gpudoctor.verify.judge_image import image_facts

    begun = replace(base, stages={}) if base is not None else image_facts(asked, given)
    return replace(begun, stages=stages, stage=asked.stage)


def _afterwards(asked: Asked, found: Sequence[Verdict], given: Given) -> Given:
    """What is given for the next command."""
    if isinstance(asked, Remove):
        return without(given, asked.names)
    if isinstance(asked, NewEnvironment | Activate):
        python = getattr(asked, "python", None)
        machine = replace(given.machine, python=python) if python else given.machine
        return replace(
            given, machine=machine, packages=None, environment="venv", externally_managed=None, other_pip=None
        )
    if isinstance(asked, Image) and asked.is_base:
        return _stage(asked, given)
    if isinstance(asked, Install) and not asked.elsewhere:
        for verdict in found:
            name, _, version = (verdict.build or "").partition(" ")
            if verdict.word == "fits" and package_version(version) is not None:
                given = with_installed(given, name.partition("[")[0], version)
        for wanted in filter(lambda one: is_specifier(one.specifier), asked.requirements):
            versions = (one for one in _LIKELY.get(wanted.name, ()) if meets(one, wanted.specifier))
            version = next(versions, "") if wanted.specifier else ""
            if version and not any(one.subject == wanted.text and one.word == "does not fit" for one in found):
                given = with_installed(given, wanted.name, version)
    return given
