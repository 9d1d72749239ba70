"""Blanks out what a reporter says of other machines or of attempts that worked."""

from gpudoctor.facts import lazy_re as re

#: A character of the same sentence: the dot of 22.04 is one.
_ANY = r"(?:[^.;\n]|\.(?=\d))"
_TROUBLE = r"(?:trouble|problem|issue|error|hitch|fault|failure)s?\b"
_WELL = (
    r"(?:(?:just |perfectly |completely |totally |quite )?(?:fine|well|ok(?:ay)?|great|good|smoothly|flawlessly"
    rf"|perfectly|correctly|properly|normally)|without (?:any |an? )?{_TROUBLE}|as (?:expected|it should)|like a charm)"
)
_DOES = (
    r"(?:works?\b(?! (?:on|with) (?:the )?cpu\b)|worked\b|working\b|(?:runs?|ran|running|trains?|trained|loads?|loaded"
    rf"|starts?|started|builds?|built|behaves?|is|was)\b[^.;\n]{{0,30}}\b{_WELL})"
)
#: What is meant to work; a tool that tells of this machine is not ("nvidia-smi works").
_THING = (
    r"\b(?:it|this|that|everything|all|(?:(?:the|my|our|this|that) )?(?:(?:same|whole|very|exact|identical) )*"
    r"(?:code|script|program|command|model|notebook|training|container|image|project|app|application|setup|thing|repo"
    r"|file|example|test|version|installation|environment|pipeline|workflow))\b"
)
_OTHER_MACHINE = (
    r"\b(?:another|other|different|second|old(?:er)?|previous|former|home|office|friend'?s|colleague'?s|co-?worker'?s"
    r"|someone else'?s|his|her|their)(?: \w+){0,2} (?:machine|computer|pc|laptop|workstation|server|box|rig|desktop"
    r"|instance|cluster|os|operating system|distro|gpu|(?:graphics |video )?card|mac ?book|system|setup"
    r"|install(?:ation)?)s?\b"
)
_PERSON = (
    r"\b(?:colleague|co-?worker|friend|class ?mate|team ?mate|somebody else|someone else|other (?:people|users?))s?\b"
    r"(?!['\u2019]s (?:job|process|program))"
)
_IN = r"\b(?:on|in|under|with|using|inside)\s+(?!(?:the )?cpu\b|this\b|here\b)"
_AND = r"^\W*(?:but |and |while |whereas |also )?"
_NONE = (
    r"\b(?:no|never|without|not (?:have|see|get)|n['\u2019]t (?:have|see|get|happen|occur)) "
    rf"(?:\w+ ){{0,3}}{_TROUBLE}"
)
#: One of them matches; each is long, and has words of its own.
_OTHER = tuple(
    re.compile(way, re.IGNORECASE)
    for way in (
        rf"{_OTHER_MACHINE}{_ANY}{{0,80}}\b(?:{_DOES}|has|have|had)\b",
        rf"\b{_DOES}\b{_ANY}{{0,80}}{_OTHER_MACHINE}",
        rf"{_PERSON}{_ANY}{{0,60}}\b(?:{_DOES}|has|have|had|with|uses?)\b",
        rf"\bthe (?:very |exact )?same\b{_ANY}{{0,100}}\b{_DOES}",
        # It works there; there it works; no trouble there.
        rf"{_THING}(?: \w+){{0,2}} {_DOES}\b{_ANY}{{0,40}}{_IN}",
        rf"{_AND}{_IN}{_ANY}{{1,80}}?,? {_THING}(?: \w+){{0,2}} {_DOES}",
        rf"{_NONE}{_ANY}{{0,30}}{_IN}",
        rf"{_AND}{_IN}{_ANY}{{1,80}}{_NONE}",
    )
)
#: That it does not work there, either, or is wished to.
_NEITHER = re.compile(
    r"\b(?:not|never|neither|nor|no longer|cannot|hardly)\b[^.;\n]{0,24}\b(?:work|run|train|load|start)"
    r"|(?:n['\u2019]t|\b(?:does|did|do|wo|ca|is)nt) (?:even )?(?:work|run|train|load|start)"
    r"|n['\u2019]t\b[^.;\n]{0,12}\bworking\b"
    r"|\bnothing works|\b(?:only|just) (?:works?|runs?)\b|\b(?:works?|runs?) only\b|\?\s*$"
    r"|\b(?:should|would|could|must|can|if|want|wish|need|trying|try|tried|make|get|getting) [^.;\n]{0,40}"
    r"\b(?:works?|working|run)\b",
    re.IGNORECASE,
)
#: Where a sentence about there ends, and one about here begins.
_PARTS = re.compile(
    r"(?<=[.;!?])\s+|\n+|,?\s+(?:but|however|yet)\s+"
    r"|,\s+(?=not\b|only\b|(?:the )?same\b|while\b|whereas\b|although\b)|\s+(?=whereas\b|while\b)",
    re.IGNORECASE,
)
#: Words without which no sentence tells of success elsewhere.
_QUICK = re.compile(
    r"\b(?:work|run|ran|train|load|start|buil|behave|fine|well|trouble|problem|issue|error|colleague|friend|co-?worker"
    r"|mate|other|another|different|second|old|previous|former|his|her|their)",
    re.IGNORECASE,
)
_WIDE = 600
#: What is left of "it works there, but not here".
_THERE_NOT_HERE = re.compile(r"^not\b", re.IGNORECASE)


def without_others(text: str) -> str:
    """The text without what it tells of a machine or an attempt where it works."""
    lines = text.split("\n")
    return "\n".join(_of_here(line) if len(line) <= _WIDE and _QUICK.search(line) else line for line in lines)


def _of_here(line: str) -> str:
    parts = _PARTS.split(line)
    kept = [one for one in parts if not _is_of_another(one)]
    return line if len(kept) == len(parts) else _THERE_NOT_HERE.sub("fails", " ".join(kept))


def _is_of_another(sentence: str) -> bool:
    return any(way.search(sentence) for way in _OTHER) and _NEITHER.search(sentence) is None
