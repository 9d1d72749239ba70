"""Blanks out what a reporter dismisses: "the card isn't detected, but that was never a problem"."""

from gpudoctor.facts import lazy_re as re

#: Words without which no sentence dismisses anything.
_QUICK = (
    "problem",
    "issue",
    "matter",
    "normal",
    "harmless",
    "ignor",
    "fine",
    "unrelated",
    "expected",
    "trouble",
    "cause",
)
_DISMISSED = re.compile(
    r"[^.!?\n;]{5,240}?[,;(\u2013-]? ?\b(?:but|and|although|though|which|yet|as)\b,? "
    r"(?:I (?:think|guess|know|believe) )?"
    r"(?:(?:that|this|it|which|those|these)(?= |'s) ?)?(?:\w+ly |of course |still )?"
    r"(?:(?:was|were|is|are|has been|never was|\W?s) (?:never |not |no )+(?:been )?"
    r"(?:an? |any |the |my |really |relevant |actual )*(?:problems?|issues?|matter|concern|cause|point|trouble|related)"
    r"|(?:is|are|was|'s|seems?(?: to be)?) (?:just |all |completely |totally |quite )*"
    r"(?:normal|harmless|fine|expected|unrelated|irrelevant)"
    r"|(?:does|do|did)(?:n't| not) (?:matter|bother)|never (?:was|mattered|bothered)[^.!?\n,;]{0,30}"
    r"|(?:can|may|could|should) (?:safely )?be ignored|I (?:can |could )?(?:safely )?ignored? (?:it|that|this))"
    r"(?=\s*(?:[.,;:!?)]|$| here\b| for (?:me|us|now|this)\b| because\b| since\b))",
    re.IGNORECASE | re.MULTILINE,
)
#: Characters of a line that may be somebody's own, and of a text in which somebody tells.
_WIDE, _LONGEST = 600, 100_000


def without_dismissed(text: str) -> str:
    """The text without what its reporter dismisses; lines keep their numbers."""
    if len(text) > _LONGEST or not any(word in text.lower() for word in _QUICK):
        return text
    return "\n".join(_left_of(line) for line in text.split("\n"))


def _left_of(line: str) -> str:
    lower = line.lower()
    if len(line) > _WIDE or not any(word in lower for word in _QUICK):
        return line
    return _DISMISSED.sub("", line)
