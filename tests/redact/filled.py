"""Examples made of the rows of the tables: what stands in angle brackets there is filled with random characters."""

import random
import re
import string

from gpudoctor.redact.places import place_kinds
from gpudoctor.redact.tokens import PART, token_kinds

_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + "234567",
    "d": string.digits,
    "x": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "_": string.ascii_letters + string.digits + "_",
    "w": string.ascii_letters + string.digits + "_-",
    "s": string.ascii_letters + string.digits + "_.-",
    "t": string.ascii_letters + string.digits + "_.~-",
    "W": string.ascii_letters + string.digits + "_=-",
    "b": string.ascii_letters + string.digits + "+/",
    "E": string.ascii_letters + string.digits + "+/_-",
}


def filled(shape: str, chance: random.Random) -> str:
    """The shape with each part filled to its usual length; its ends are letters or digits."""

    def fill(part: re.Match[str]) -> str:
        alphabet, length = _ALPHABETS[part["alphabet"]], int(part["usual"] or part["least"])
        text = "".join(chance.choice(alphabet) for _ in range(length))
        return text if not text or text[-1].isalnum() else text[:-1] + "k"

    return PART.sub(fill, shape)


def password(chance: random.Random) -> str:
    """A word that only its place makes a secret."""
    return "".join(chance.choice(_ALPHABETS["l"]) for _ in range(9)) + "Zq7"


def planted(chance: random.Random) -> dict[str, tuple[str, str]]:
    """Kind -> (text as it is met, the part that must not leave), for every shape and every place of the tables."""
    found = {}
    for row in token_kinds():
        for shape in row.shapes:
            token = filled(shape, chance)
            found[f"{row.kind} {shape.partition('<')[0]}"] = (f"using {token} now", _telling_part(shape, token))
    for number, place in enumerate(place_kinds()):
        word = password(chance)
        if "<secret>" in place.example:
            found[f"{place.kind} {number}"] = (place.example.replace("<secret>", word), word)
        else:
            parts = [filled(part[0], chance) for part in PART.finditer(place.example)]
            text = place.example
            for part in parts:
                text = PART.sub(lambda _, part=part: part, text, count=1)
            found[f"{place.kind} {number}"] = (text, max(parts, key=len))
    return found


def _telling_part(shape: str, token: str) -> str:
    """The longest random part of a token."""
    pattern, at = "", 0
    for part in PART.finditer(shape):
        pattern += re.escape(shape[at : part.start()]) + f"(.{{{part['usual'] or part['least']}}})"
        at = part.end()
    found = re.fullmatch(pattern + re.escape(shape[at:]), token, re.DOTALL)
    assert found is not None, shape
    return max(found.groups(), key=len)
