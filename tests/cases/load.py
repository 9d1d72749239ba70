"""A case file: a reported failure, the facts stated and the facts filled in, and how the verdict on it is scored."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.requirements import parse_wish
from gpudoctor.facts.codec import decode_snapshot
from gpudoctor.facts.finding import Diagnosis, Finding
from gpudoctor.facts.fix import Fix
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.report.commands import step_lines
from gpudoctor.rules.load import load_rules
from tests.cases.bases import base

FOLDER = Path(__file__).parent
#: The tag of each section is the name of its class.
_TAGS = {"host": "system"}


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The finding that must come first; `also` names others that are true of this machine as well."""

    rule: str
    severity: str
    also: tuple[str, ...] = ()
    #: Nothing is wrong here: the note is right, and so is silence.
    quiet: bool = False


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One file of this folder.

    The snapshot is the base, changed by what was filled in, then by what the report states: objects merge by key, null
    and arrays replace. An object with numbers for keys that meets an array changes just these items of it.
    """

    id: str
    title: str
    source_urls: tuple[str, ...]
    family: str
    expected: Expected
    #: Nothing that can be looked at tells this machine from a healthy one.
    probe_only: bool = False
    #: Patterns of advice that must not be among the fixes, and of advice that must.
    wrong_fixes: tuple[str, ...] = ()
    right_fixes: tuple[str, ...] = ()
    #: What the user asks for, as on the command line: --require flash-attn.
    asked: tuple[str, ...] = ()
    base: str
    stated: dict[str, Any] = {}
    synthetic: dict[str, Any] = {}
    #: Why something was filled in as it was.
    notes: str | None = None

    def snapshot(self) -> Snapshot:
        """The whole machine. Raises NotASnapshot."""
        plain = merged(merged(base(self.base), self.synthetic), self.stated)
        for name in SECTIONS:
            if isinstance(plain.get(name), dict):
                plain[name].setdefault("section", _TAGS.get(name, name))
        return decode_snapshot(json.dumps(plain).encode())


def cases() -> tuple[Case, ...]:
    """All cases, by their id. Raises msgspec.DecodeError, with the file's name, for one that is not well formed."""
    return tuple(_case(path) for path in sorted(FOLDER.glob("*.json")))


def _case(path: Path) -> Case:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Case)
    except msgspec.DecodeError as error:
        raise msgspec.DecodeError(f"{path.name}: {error}") from None


def merged(old: Any, new: Any) -> Any:
    """`old` changed by `new`."""
    if isinstance(new, dict) and isinstance(old, list) and new and all(key.isdigit() for key in new):
        return [merged(item, new[str(index)]) if str(index) in new else item for index, item in enumerate(old)]
    if not (isinstance(old, dict) and isinstance(new, dict)) or old.get("section") == "gap":
        return new
    return {**old, **{key: merged(old.get(key), value) for key, value in new.items()}}


class Score(msgspec.Struct, frozen=True):
    """What the verdict on a case is worth."""

    case: Case
    diagnosis: Diagnosis
    #: Position of the expected finding among the root causes, from 1; None where it is not among them.
    place: int | None
    #: Errors and warnings that are neither expected nor follow from what is expected.
    false: tuple[Finding, ...]

    @property
    def first(self) -> bool:
        """The expected finding comes first."""
        return self.place == 1

    @property
    def other_severity(self) -> str | None:
        """The severity of the expected finding where it is not the expected one."""
        found = self.found
        return found.severity if found and found.severity != self.case.expected.severity else None

    @property
    def found(self) -> Finding | None:
        """The expected finding."""
        return next((one for one in self.diagnosis.findings if one.name == self.case.expected.rule), None)

    def matching(self, patterns: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the patterns the fixes match, as they are printed."""
        text = "\n".join(_printed(fix) for finding in self.diagnosis.root_causes for fix in finding.fixes)
        return tuple(pattern for pattern in patterns if re.search(pattern, text, re.IGNORECASE))


def _printed(fix: Fix) -> str:
    return "\n".join((fix.title, *(line for step in fix.steps for line in step_lines(step))))


def score(case: Case) -> Score:
    """The verdict on a case."""
    diagnosis = diagnose(case.snapshot(), load_matrix(), load_rules(), parse_wish(case.asked))
    return Score(case=case, diagnosis=diagnosis, place=_place(case, diagnosis), false=_false(case, diagnosis))


def _place(case: Case, diagnosis: Diagnosis) -> int | None:
    """A note comes first when nothing graver was said of the machine."""
    name = case.expected.rule
    if case.expected.severity == "info":
        graver = [one for one in diagnosis.findings if one.severity != "info" and one.name not in case.expected.also]
        noted = case.expected.quiet or any(one.name == name for one in diagnosis.findings)
        return 1 if noted and not graver else None
    names = [finding.name for finding in diagnosis.root_causes]
    return names.index(name) + 1 if name in names else None


def _false(case: Case, diagnosis: Diagnosis) -> tuple[Finding, ...]:
    known = {case.expected.rule, *case.expected.also}
    codes = {finding.code for finding in diagnosis.findings if finding.name in known}
    return tuple(
        finding
        for finding in diagnosis.findings
        if finding.severity != "info" and finding.name not in known and not codes.intersection(finding.because_of)
    )
