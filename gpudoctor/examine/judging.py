"""Diagnoses a snapshot with the selected rules, requirements and project settings, and makes the report."""

import os

import msgspec

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.select import UnknownCode, selected
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.errors import Misused
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Severity
from gpudoctor.facts.report import Report
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.typed_json import convert_to
from gpudoctor.facts.wish import Wish
from gpudoctor.host.safe_files import read_given
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.redact.credentials import fact_without_credentials
from gpudoctor.report.output import say, visible
from gpudoctor.rules.declare import Rule
from gpudoctor.rules.load import load_rules
from gpudoctor.sources.toml import parse_toml

#: Bytes of a pyproject.toml; those of large projects have some 50,000.
LIMIT = 1024 * 1024


class Config(Fact, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The settings a project may keep."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Severity | None = None
    require: tuple[str, ...] = ()


def load_config() -> Config:
    """The settings that hold in the working directory; empty where there are none. Raises Failure."""
    try:
        folder = os.getcwd()
    except OSError:  # it was removed
        return Config()
    path = _nearest(folder)
    if path is None:
        return Config()
    try:
        raw = read_given(path, limit=LIMIT)
    except OSError as error:
        name = visible(path)
        say(f"{name} was not read: {error.strerror}. Settings that it may hold have no effect.")
        return Config()
    return _parse(raw, path) if b"gpudoctor" in raw else Config()


def _nearest(folder: str) -> str | None:
    """The first pyproject.toml upward, whether it can be read or not."""
    while not os.path.lexists(path := os.path.join(folder, "pyproject.toml")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return path


def _parse(raw: bytes, path: str) -> Config:
    try:
        document = parse_toml(raw)
        table = document.get("tool", {}).get("gpudoctor", {})
        return convert_to(table, Config)
    except (ValueError, AttributeError, msgspec.ValidationError) as error:
        raise Misused(f"{visible(path)}: [tool.gpudoctor] could not be read: {error}") from None


class Criteria(Fact, frozen=True, kw_only=True):
    """What to judge by: the rules that run, those left out by code, the user's requirements, and what fails."""

    rules: tuple[Rule, ...]
    left_out: tuple[str, ...] = ()
    wish: Wish = Wish()
    fail_on: Severity = "error"


def criteria_of(
    select: tuple[str, ...], ignore: tuple[str, ...], require: tuple[str, ...], fail_on: Severity | None
) -> Criteria:
    """The criteria of the command line, and of `[tool.gpudoctor]` where it is silent. Raises Misused."""
    config = load_config()
    wish = _wish(require or config.require, "--require" if require else "[tool.gpudoctor] require")
    try:
        rules, left_out = _rules(select or config.select, ignore or config.ignore)
    except UnknownCode as error:
        from gpudoctor.examine.suggest import no_such_rule

        given = select + ignore
        raise no_such_rule(error, "" if error.word in words_of(given) else "[tool.gpudoctor]: ") from None
    return Criteria(rules=rules, left_out=left_out, wish=wish, fail_on=fail_on or config.fail_on or "error")


def judge(snapshot: Snapshot, criteria: Criteria) -> Report:
    """The report of a snapshot. Credentials are taken out before anything is judged, worded or cut."""
    matrix, snapshot = load_matrix(), fact_without_credentials(snapshot)
    diagnosis = diagnose(snapshot, matrix, criteria.rules, criteria.wish)
    return report_of(
        snapshot,
        diagnosis,
        fail_on=criteria.fail_on,
        not_run=criteria.left_out,
        matrix=matrix,
    )


def _wish(texts: tuple[str, ...], given_by: str) -> Wish:
    if not texts:
        return Wish()
    from gpudoctor.diagnosis.requirements import NotARequirement, parse_wish

    try:
        return parse_wish(texts)
    except NotARequirement as error:
        raise Misused(str(error), given_by) from None


def _rules(select: tuple[str, ...], ignore: tuple[str, ...]) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """The rules to run, and the codes of those left out."""
    every = load_rules()
    chosen = selected(every, words_of(select), words_of(ignore))
    return chosen, tuple(rule.code for rule in every if rule not in chosen)


def words_of(values: tuple[str, ...]) -> list[str]:
    """The words of options that take several, separated by commas."""
    return [word.strip() for value in values for word in value.split(",") if word.strip()]
