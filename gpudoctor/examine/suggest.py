"""Suggests the nearest rule or code for one that was mistyped."""

from gpudoctor.diagnosis.select import UnknownCode
from gpudoctor.errors import Misused


def no_such_rule(error: UnknownCode, given_by: str = "") -> Misused:
    """The usage error for a word that no rule answers to, with the nearest ones; `given_by` goes before it."""
    # Imported here: only a slip of the pen needs it.
    from difflib import get_close_matches

    by_lower = {known.lower(): known for known in error.known}
    near = [by_lower[word] for word in get_close_matches(error.word.lower(), list(by_lower), n=3)]
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    return Misused(f"{given_by}No rule has the code or name {error.word!r}.{hint} `gpudoctor rules` lists them all.")
