"""What to do about a cause: the fix that its rule computed, else its manual page, else its record; for this system."""

from collections.abc import Iterable

from gpudoctor.diagnosis.commands_for import is_foreign
from gpudoctor.diagnosis.ranking import Candidate, is_effect
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv, Write
from gpudoctor.knowledge import causes_without_rule
from gpudoctor.rules.declare import MANUAL_HEADINGS, Rule
from gpudoctor.rules.live_problem import FIND_OUT

_FIXING = MANUAL_HEADINGS[2]
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z`\"])")
#: Words of a page that lead to what stands beside it in a report.
_ASIDE = re.compile(r" \((?:as )?below\)|,? as below(?=[.,;]|$)")
_BESIDE = re.compile(r"\bbelow\b(?! /)|\b[Tt]h(?:e|is) finding\b|\bprints the commands\b")


class Remedy(Fact, frozen=True, kw_only=True):
    """What to do about a cause."""

    cause: str
    #: In a sentence.
    say: str
    steps: tuple[Run | SetEnv | Write | Ask, ...] = ()
    #: Commands as they are typed; <WORDS> in them are to be filled in.
    commands: tuple[str, ...] = ()


def remedies(
    causes: Iterable[Candidate], findings: Iterable[Finding], rules: Iterable[Rule], system: str | None
) -> tuple[Remedy, ...]:
    """A remedy for each cause that has one. `system`: linux, wsl, windows, macos or None."""
    by_name = {rule.name: rule for rule in rules}
    shown = {one.name: one for one in reversed(tuple(findings))}
    made = (_remedy(one.key, shown.get(one.key), by_name.get(one.key), system) for one in causes)
    return tuple(one for one in made if one is not None)


def _remedy(key: str, finding: Finding | None, rule: Rule | None, system: str | None) -> Remedy | None:
    fixes = [one for one in finding.fixes if one.title != FIND_OUT] if finding and not finding.told else []
    if fixes:
        return Remedy(cause=key, say=fixes[0].title, steps=fixes[0].steps)
    if rule is not None:
        say = "" if is_effect(rule.name, rule.code) else advice(rule, system)
        return Remedy(cause=key, say=say) if say else None
    record = causes_without_rule().get(key)
    if record is None or record.remedy is None:
        return None
    return Remedy(cause=key, say=record.remedy.say, commands=record.remedy.commands(system))


def advice(rule: Rule, system: str | None) -> str:
    """How to fix it, of the rule's manual page, without what is about other systems or about a report's other lines."""
    _, _, text = rule.manual.partition(f"{_FIXING}:\n")
    sentences = _SENTENCE.split(_ASIDE.sub("", " ".join(text.partition("\n\n")[0].split())))
    own = [one for one in sentences if not _BESIDE.search(one)]
    first = "; ".join(clause for clause in own[0].split("; ") if not is_foreign(clause, system)) if own else ""
    if not first:
        # What is left would lean on an instruction that this system has not.
        return f"See `gpudoctor explain {rule.code}`; what it says is for another system." if own else ""
    first = first[0].upper() + first[1:].rstrip(".") + "."
    return " ".join([first, *(one for one in own[1:] if not is_foreign(one, system))])


def fix_of(rule: Rule, system: str | None) -> Fix:
    """That advice as a fix: its first sentence, then the rest."""
    first, *rest = _SENTENCE.split(advice(rule, system) or rule.summary)
    steps = (Ask(text=" ".join(rest)),) if rest else ()
    return Fix(title=first.rstrip("."), safety="manual", steps=steps)
