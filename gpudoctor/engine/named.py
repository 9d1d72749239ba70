"""Causes that only a message names: somebody pasted it, and the facts do not show why.

"Could not locate zlibwapi.dll" says what is missing, whether or not anyone listed the files. Where such a message has
one cause by far, that cause is told in its place, with what its page says of mending; the failure is folded under it.
"""

import re
from collections.abc import Iterable, Iterator

from gpudoctor.engine.candidates import surroundings_of
from gpudoctor.engine.leanings import excluded, support
from gpudoctor.engine.stated import Stated
from gpudoctor.knowledge import causes_of
from gpudoctor.model.finding import SEVERITIES, Finding, Severity
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.snapshot import Snapshot
from gpudoctor.rules._declare import Rule
from gpudoctor.rules._failures import pasted

#: From here on a cause is told in place of its message; and how far ahead of the next one it must be.
_LIKELY, _AHEAD = 0.7, 0.05
_MENDING = re.compile(r"How to mend it:\n(.*?)\n\n", re.DOTALL)


def named_by_messages(snapshot: Snapshot, findings: Iterable[Finding], rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """The causes of what was only pasted and what no finding explains; each once."""
    symptoms = pasted(snapshot.live)
    if not symptoms:
        return ()
    stated = Stated(snapshot)
    by_name = {rule.name: rule for rule in rules}
    # What facts speak for a cause counts beside what the messages do.
    likely = {
        cause.key: 1.0 - (1.0 - cause.prior) * (1.0 - support(cause.key, stated))
        for cause in causes_of(symptoms, surroundings_of(snapshot))
        if not excluded(cause.key, stated)
    }
    told = tuple(findings)
    named: dict[str, Finding] = {}
    for effect in told:
        if effect.code.startswith("SMK") and not effect.because_of:
            for rule in _cause_of(effect, likely, by_name):
                named.setdefault(rule.name, _finding(rule, effect))
    return tuple(finding for name, finding in named.items() if name not in {one.name for one in told})


def _cause_of(effect: Finding, likely: dict[str, float], rules: dict[str, Rule]) -> Iterator[Rule]:
    """The one cause that an effect points to, where it is likely and ahead of all others."""
    pointed = sorted(((likely[name], name) for name in set(effect.follows_from) & set(likely)), reverse=True)
    weights = [weight for weight, _ in pointed] + [0.0, 0.0]
    if weights[0] >= _LIKELY and round(weights[0] - weights[1], 4) >= _AHEAD and pointed[0][1] in rules:
        yield rules[pointed[0][1]]


def _finding(rule: Rule, effect: Finding) -> Finding:
    mending = _MENDING.search(rule.manual)
    text = " ".join(mending[1].split()) if mending else rule.summary
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=_severity(rule, effect),
        summary=rule.summary,
        subject=effect.subject,
        confidence="likely",
        told=True,
        evidence=effect.evidence,
        explains=(effect.name,),
        fixes=(Fix(title="Mend it", safety="manual", steps=(Ask(text=text),)), *effect.fixes[-1:]),
    )


def _severity(rule: Rule, effect: Finding) -> Severity:
    """No graver than what was met; what is a note until it does harm did it."""
    return effect.severity if rule.severity == "info" else max(rule.severity, effect.severity, key=SEVERITIES.index)
