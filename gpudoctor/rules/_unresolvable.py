"""Packages for which a pasted pip or uv error says that no version fits."""

from gpudoctor.facts.base import Gap
from gpudoctor.facts.live import Live
from gpudoctor.rules.failures import pasted
from gpudoctor.sources.no_match import NoMatch, parse_no_match

__all__ = ["NoMatch", "looked_for"]

#: Messages after which an empty index says nothing: it was never reached.
_UNREACHED = ("tls-unknown-ca", "ssl-module-missing", "no-network")
_MESSAGES = ("no-matching-distribution", "cuda-build-not-on-index")


def looked_for(live: Live | Gap | None) -> tuple[NoMatch, ...]:
    """Each package that an index was asked for and had no fitting version of."""
    symptoms = pasted(live)
    if any(one.signature in _UNREACHED for one in symptoms):
        return ()
    found: dict[str, NoMatch] = {}
    for symptom in symptoms:
        told = parse_no_match(symptom.text) if symptom.signature in _MESSAGES else None
        # pip says it twice; the first line tells what there would have been.
        if told is not None and (told.package not in found or found[told.package].offered is None):
            found[told.package] = told
    return tuple(found.values())
