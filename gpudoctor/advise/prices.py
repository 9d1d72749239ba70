"""Hourly prices of GPUs, from a file that the user keeps."""

import re

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.facts.typed_json import decode_json


class Prices(Fact, frozen=True, kw_only=True):
    """`{"date": "2026-11-01", "currency": "EUR", "an_hour": {"NVIDIA L4": 0.71}}`."""

    date: str
    currency: str
    an_hour: dict[str, float]


def parse_prices(raw: bytes) -> Prices:
    """Raises ValueError, which says what is wrong."""
    try:
        found = decode_json(raw, type=Prices)
    except msgspec.DecodeError as error:
        raise ValueError(f'{error}. Wanted: {{"date": "2026-11-01", "currency": "EUR", "an_hour": {{…}}}}') from None
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", found.date):
        raise ValueError(f"the date {found.date[:20]!r} is not of the form 2026-11-01")
    if not re.fullmatch(r"\w{1,5}|[^\w\s]", found.currency):
        raise ValueError("the currency is not a short word, such as EUR")
    if any(not 0 <= price < 1e6 for price in found.an_hour.values()):
        raise ValueError("a price is below 0 or above a million")
    return found
