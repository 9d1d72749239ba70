"""Turns the failures of one framework that belong to one rule into a Problem."""

from collections.abc import Callable

from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Severity
from gpudoctor.facts.live import Symptom
from gpudoctor.knowledge.failures import FailureRecord
from gpudoctor.rules.failures import Failure, failures_of
from gpudoctor.rules.sections import Live
from gpudoctor.rules.terms import Ask, Evidence, Fix, Iterator, Problem, SetEnv, problem, seen

#: The title of a fix that is a question; and what evidence is called that repeats a message's meaning and causes.
FIND_OUT = "Find out which cause it is"
MEANS, BECAUSE = "meaning", "usual causes"
#: Failures shown of one finding, and likely causes named.
_SHOWN, _CAUSES = 4, 3
#: What a message means that comes from one cause this often is that cause.
_ALMOST_ALWAYS = 0.7


#: What failed, in a sentence, and fixes.
Said = tuple[str, tuple[Fix, ...]]


class Failed(Fact, frozen=True, kw_only=True):
    """All failures of one kind of one framework."""

    failures: tuple[Failure, ...]

    @property
    def first(self) -> Failure:
        """The one that happened first."""
        return self.failures[0]

    @property
    def who(self) -> str:
        """Torch 2.6.0; the program, where it is not known."""
        return self.first.framework or "the program"

    @property
    def name(self) -> str | None:
        """The framework's name: torch."""
        return self.first.framework.split()[0] if self.first.framework else None

    @property
    def version(self) -> str | None:
        """The framework's version."""
        return self.first.framework.partition(" ")[2] or None if self.first.framework else None

    @property
    def where(self) -> str:
        """The devices, for the end of a clause: on gpu:0; or nothing."""
        devices = tuple(dict.fromkeys(one.device for one in self.failures if one.device))
        return f" on {', '.join(devices)}" if devices else ""

    @property
    def seconds(self) -> str:
        """How long it ran, for the end of a clause."""
        run = self.first.run
        return f"{run.seconds:.0f} s" if run is not None and run.seconds else "its time"

    @property
    def whose(self) -> str:
        """The framework, where it is known; what failed is compiled."""
        return self.first.framework or "a compiled part"

    @property
    def symptoms(self) -> tuple[Symptom, ...]:
        """The known messages, each once."""
        return tuple({one.signature: one for failure in self.failures for one in failure.symptoms}.values())

    @property
    def meaning(self) -> str | None:
        """What the first known message means."""
        from gpudoctor.knowledge.message import message_of

        return next((row.meaning for one in self.symptoms if (row := message_of(one.signature))), None)


def words(failed: Failed) -> dict[str, str]:
    """What the words of a record may name."""
    run, trial = failed.first.run, failed.first.trial
    return {
        "who": failed.who,
        "whose": failed.whose,
        "name": failed.name or "torch",
        "where": failed.where,
        "device": failed.first.device or "",
        "stage": f'"{failed.first.doing}"',
        "text": failed.first.text,
        "meaning": failed.meaning or failed.first.text,
        "seconds": failed.seconds,
        "signal": f" ({run.signal})" if run is not None and run.signal else "",
        "exit_code": f" (exit code {run.code})" if run is not None and run.code is not None else "",
        "placed": trial.placed_on if trial is not None and trial.placed_on else "another one",
    }


def said(record: FailureRecord, failed: Failed) -> Said:
    """What a record says of failures: the sentence, and its fixes."""
    given = words(failed)
    template = (record.pasted if failed.first.pasted else None) or (record.known if failed.meaning else None)
    fixes = (
        Fix(
            fix.title,
            fix.safety,
            (
                *(SetEnv(name=name, value=value) for name, value in fix.variables.items()),
                *(Ask(text=step.format_map(given)) for step in fix.steps),
            ),
        )
        for fix in record.fixes
    )
    return (template or record.says).format_map(given), tuple(fixes)


def problems(live: Live, owner: str, says: Callable[[Failed], Said]) -> Iterator[Problem]:
    """One problem a framework. A failure of what only some programs need is a warning."""
    groups: dict[str | None, list[Failure]] = {}
    for failure in failures_of(live, owner):
        groups.setdefault(failure.framework, []).append(failure)
    for label, members in groups.items():
        failed = Failed(failures=tuple(members))
        sentence, fixes = says(failed)
        yield problem(
            _sentence(sentence),
            *tuple(_evidence(failed)),
            subject=label,
            confidence="likely" if all(one.pasted for one in members) else "certain",
            symptoms=failed.symptoms,
            fixes=(*fixes, *_questions(failed)),
            severity=_severity(members, failed.symptoms),
        )


def _severity(failures: list[Failure], symptoms: tuple[Symptom, ...]) -> Severity | None:
    """None is the rule's own. What people only say is as grave as that which is almost always behind it."""
    if all(one.optional or _is_a_warning(one) for one in failures):
        return "warning"
    return _as_grave_as_its_cause(symptoms) if all(one.pasted for one in failures) and _is_said(symptoms) else None


def _is_said(symptoms: tuple[Symptom, ...]) -> bool:
    """People's words, and no message of a program."""
    from gpudoctor.knowledge.message import message_of

    rows = [message_of(one.signature) for one in symptoms]
    return all(row is not None and row.fallback for row in rows)


def _as_grave_as_its_cause(symptoms: tuple[Symptom, ...]) -> Severity | None:
    from gpudoctor.knowledge.causes import causes_of
    from gpudoctor.rules.load import load_rules

    likeliest = next(iter(causes_of(symptoms)), None)
    if likeliest is None or likeliest.prior < _ALMOST_ALWAYS:
        return None
    return next((rule.severity for rule in load_rules() if rule.name == likeliest.key), None)


def _is_a_warning(failure: Failure) -> bool:
    """NumPy prints this and goes on; whether something stops, another line tells."""
    return failure.pasted and failure.symptoms[0].signature == "numpy1-module-in-numpy2"


def _evidence(failed: Failed) -> Iterator[Evidence]:
    for failure in failed.failures[:_SHOWN]:
        yield seen(failure.doing, failure.text or "it failed")
    more = len(failed.failures) - _SHOWN
    if more > 0:
        yield seen("and", f"{more} more like these")
    run = failed.first.run
    if run is not None:
        said = {one.text for one in failed.failures}
        yield from (seen(f"{run.framework} printed", line) for line in _printed(failed) if line not in said)
    if failed.meaning:
        yield seen(MEANS, failed.meaning)
    causes = tuple(_causes(failed.symptoms))
    if causes:
        yield seen(BECAUSE, "; ".join(cause.rstrip(".") for cause in causes))


def _printed(failed: Failed) -> tuple[str, ...]:
    run = failed.first.run
    if run is None or failed.first.trial is not None:
        return ()
    return run.log[-3:]


def _causes(symptoms: tuple[Symptom, ...]) -> Iterator[str]:
    from gpudoctor.knowledge.causes import causes_of, words_of_cause
    from gpudoctor.rules.load import load_rules

    summaries = {rule.name: rule.summary for rule in load_rules()}
    for cause in causes_of(symptoms)[:_CAUSES]:
        yield words_of_cause(cause.key, summaries)


def _questions(failed: Failed) -> tuple[Fix, ...]:
    """What decides between the causes, where a message is known."""
    from gpudoctor.knowledge.message import message_of

    row = next((row for one in failed.symptoms if (row := message_of(one.signature))), None)
    if row is None:
        return ()
    return (Fix(FIND_OUT, "manual", (Ask(text=f"Check: {row.ask}"),)),)


def _sentence(text: str) -> str:
    text = text[0].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."
