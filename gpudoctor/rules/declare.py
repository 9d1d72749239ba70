"""The @rule decorator and the Rule it makes: code, name, severity, and the snapshot sections it needs.

    @rule("DRV007", name="driver-too-old", severity="error")
    def driver_too_old(driver: Driver, frameworks: Frameworks, matrix: Matrix) -> Iterator[Problem]:
        \"\"\"The first line is the summary.

        The rest is the manual page, under the headings of MANUAL_HEADINGS.
        \"\"\"

A parameter names by its type the section it needs: absent makes the rule not applicable, a Gap skips it. `Gpus | None`
admits absence, `Driver | Gap` admits the gap. `needs` names single facts without which the rule cannot tell; `when` is
what must be there for it to find anything (gpudoctor/diagnosis/occasion.py). `Matrix`, `Wish` and `Scene` (what a fix
depends on) are always there. What follows from a rule's cause stands in knowledge/causes.toml.
"""

import types
from collections.abc import Callable, Iterable
from typing import Any, Union, get_args, get_origin

from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import Problem, Severity
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Frameworks, Interpreter, Packages
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.system import Container, Environ, System
from gpudoctor.facts.wish import Wish
from gpudoctor.knowledge.matrix.query import Matrix

#: The snapshot's field for each section type.
SECTION_FIELDS: dict[type, str] = {
    System: "host",
    Container: "container",
    Gpus: "gpus",
    Driver: "driver",
    Toolkits: "toolkits",
    Libraries: "libraries",
    Environ: "environ",
    Interpreter: "interpreter",
    Packages: "packages",
    Frameworks: "frameworks",
    Live: "live",
}

#: What is no section, and never missing.
ALWAYS_THERE: dict[type, str] = {Matrix: "matrix", Wish: "wish", Scene: "scene"}

#: The release that a rule came with, where it names no other.
FIRST = "0.1"

#: Headings of a manual page, in order; each is a line of its own ending in a colon.
MANUAL_HEADINGS = ("What it means", "Why it breaks", "How to fix it", "When to ignore it", "Sources")


class Want(Fact, frozen=True, kw_only=True):
    """One parameter of a rule: a section's field (or matrix, wish, scene), and whether absence or a Gap is welcome."""

    parameter: str
    field: str
    admits_absent: bool = False
    admits_gap: bool = False


class Rule(Fact, frozen=True, kw_only=True):
    """A declared rule."""

    code: str
    name: str
    severity: Severity
    since: str
    summary: str
    wants: tuple[Want, ...]
    check: Callable[..., Iterable[Problem]]
    #: Conditions without which it finds nothing: `gpudoctor.diagnosis.occasion`.
    when: str = ""
    #: Single facts without which it cannot tell, section.field: driver.release. One that is None was not seen.
    needs: tuple[str, ...] = ()

    @property
    def manual(self) -> str:
        """The manual page: the check's docstring, as text."""
        # Imported here: it costs 3 ms, and a check shows no manual.
        import inspect

        return inspect.cleandoc(self.check.__doc__ or "")


def rule(
    code: str, *, name: str, severity: Severity, since: str = FIRST, when: str = "", needs: tuple[str, ...] = ()
) -> Callable[[Callable[..., Iterable[Problem]]], Callable[..., Iterable[Problem]]]:
    """Declare the decorated function as a rule; the Rule is kept on it as `.rule`."""

    def declare(check: Callable[..., Iterable[Problem]]) -> Callable[..., Iterable[Problem]]:
        declared = Rule(
            code=code,
            name=name,
            severity=severity,
            since=since,
            summary=(check.__doc__ or "").lstrip().partition("\n")[0].strip(),
            wants=_wants(check),
            check=check,
            when=when,
            needs=needs,
        )
        check.rule = declared  # type: ignore[attr-defined]
        return check

    return declare


def _wants(check: Callable[..., Any]) -> tuple[Want, ...]:
    return tuple(
        _want(check, parameter, annotation)
        for parameter, annotation in check.__annotations__.items()
        if parameter != "return"
    )


def _want(check: Callable[..., Any], parameter: str, annotation: Any) -> Want:
    is_union = get_origin(annotation) in (Union, types.UnionType)
    members = get_args(annotation) if is_union else (annotation,)
    if members[0] in ALWAYS_THERE:
        return Want(parameter=parameter, field=ALWAYS_THERE[members[0]])
    fields = [SECTION_FIELDS[member] for member in members if member in SECTION_FIELDS]
    others = [member for member in members if member not in SECTION_FIELDS and member not in (Gap, types.NoneType)]
    if len(fields) != 1 or others:
        code = check.__code__
        raise TypeError(
            f"{code.co_filename}:{code.co_firstlineno}: parameter {parameter!r} must name one section type, "
            f"optionally with `| None` or `| Gap`, or be Matrix, Wish or Scene"
        )
    return Want(
        parameter=parameter, field=fields[0], admits_absent=types.NoneType in members, admits_gap=Gap in members
    )
