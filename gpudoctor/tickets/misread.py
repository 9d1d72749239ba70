"""A text read off a picture: letters and digits that look alike, put right where the rest of the word decides."""

import re

#: Characters of a text that is looked at: pictures hold little.
_MOST = 20_000
_WORD = re.compile(r"[A-Za-z0-9|]+(?:[._][A-Za-z0-9|]+)*")
#: Within a word, a digit between letters; within a number, a letter beside a digit or its point.
_IN_WORD = re.compile(
    r"(?<=[A-Za-z])[01|](?=[a-z])|(?<![\w|])[1|](?=[a-z]{3})|(?<=[a-z]{2})[01|]\b|\b(?<![\w.])[nN]0\b"
)
_IN_NUMBER = re.compile(r"(?:(?<=\d)|(?<=\d\.)|(?<![\w.])(?=[\dOoIl|]*\.\d))[OoIl|](?![A-Za-z])|(?<=\d)[OoIl|](?=\d)")
_LETTERS = str.maketrans("01|", "oll")
_DIGITS = str.maketrans("OoIl|", "00111")


def reread(text: str) -> str:
    """The text with such characters put right; of the same length, so that its lines and places stay."""
    return _WORD.sub(lambda found: _word(found[0]), text) if len(text) <= _MOST else text


def _word(word: str) -> str:
    digits, letters = sum(map(str.isdigit, word)), sum(map(str.isalpha, word))
    if letters > 2 * digits or word.lower() == "n0":
        return _IN_WORD.sub(lambda found: found[0].translate(_LETTERS), word)
    return _IN_NUMBER.sub(lambda found: found[0].translate(_DIGITS), word)
