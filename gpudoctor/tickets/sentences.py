"""Whether what a sentence holds is asserted, and not asked, wished, supposed or denied."""

from gpudoctor.facts import lazy_re as re

SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])")
#: A question, unless something is granted in it: "why is it False although nvidia-smi works?"
_ASKED = re.compile(
    r"^\W*(?:how|should|can|could|do|does|did|is|are|was|would|will|shall|may|must|what|which|wie|soll\w*|kann|muss)\b.*\?\s*$"
    r"|怎么|如何|是否|吗\W*$",
    re.IGNORECASE,
)
_GRANTED = re.compile(r"\b(?:although|even though|though|but|while|despite|obwohl|aber)\b|虽然|但", re.IGNORECASE)
#: Before what is said: it is wished, advised or supposed.
_SUPPOSED = re.compile(
    r"\b(?:if|unless|until|whether|should|would|could|might|must|want|wish|hope|need|make sure|ensure|check that|please"
    r"|not sure|unsure|no idea|n.t know|wonder\w*"
    # What a page says of a model, this machine need not have.
    r"|(?:chart|site|page|specs?|specification|datasheet)\b[^.;!?]{0,30}\bsays?"
    r"|try to|wenn|falls|ob|sollte|如果|要是|假如|确保|请)\b|如果|要是|假如|确保|请",
    re.IGNORECASE,
)
#: The same between who is spoken of and what is said: "my CPU should have AVX".
_SUPPOSED_OF_IT = re.compile(
    r"^\W*(?:\w+\W+){0,5}?(?:should|would|might|must|ought to|is supposed to)\b(?! not)", re.IGNORECASE
)
#: From what was supposed to what is so.
_TURN = re.compile(
    r",? (?:but|yet|however|although|though|while|whereas) |, and (?:yes|no|it|now|still|indeed|actually|in fact)\b",
    re.IGNORECASE,
)
#: At the end of what stands before it.
_DENIED = re.compile(
    r"(?:\b(?:not|never|no longer|cannot|neither|nicht|kein\w*)|n't|不|没有?)\s*(?:\w+\s+)?$", re.IGNORECASE
)


def is_told(sentence: str, match: re.Match[str]) -> bool:
    """What is found in the sentence is told as so."""
    asked = _ASKED.search(sentence) and not _GRANTED.search(sentence)
    before = before_it(sentence, match)
    supposed = _SUPPOSED.search(before) or _SUPPOSED_OF_IT.search(match[0])
    return not (asked or supposed or _DENIED.search(before))


def before_it(sentence: str, match: re.Match[str]) -> str:
    """What the sentence says before it, from its last turn on."""
    turns = [turn.end() for turn in _TURN.finditer(sentence, 0, match.end())]
    return sentence[turns[-1] if turns else 0 : match.start()]
