"""The "How to fix it" part of a rule's manual page, for one system."""

from gpudoctor.diagnosis.commands_for import is_foreign
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Ask, Fix
from gpudoctor.rules.declare import MANUAL_HEADINGS, Rule

_FIXING = MANUAL_HEADINGS[2]
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z`\"])")
#: Words of a page that lead to what stands beside it in a report.
_ASIDE = re.compile(r" \((?:as )?below\)|,? as below(?=[.,;]|$)")
_BESIDE = re.compile(r"\bbelow\b(?! /)|\b[Tt]h(?:e|is) finding\b|\bprints the commands\b")


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
