"""Facts without credentials, for their own user's eyes: names and paths stay."""

from typing import Any, TypeVar

from gpudoctor.facts.base import Fact
from gpudoctor.facts.codec import from_plain, to_plain
from gpudoctor.redact.credentials import without_credentials

_F = TypeVar("_F", bound=Fact)


def fact_without_credentials(fact: _F) -> _F:
    """The fact with every text of it cleaned; by text, before it is wrapped or joined with others."""
    plain = to_plain(fact)
    passed = _passed(plain)
    return fact if passed == plain else from_plain(passed, type(fact))


def _passed(value: Any) -> Any:
    if isinstance(value, str):
        return without_credentials(value)
    if isinstance(value, dict):
        return {key: _passed(item) for key, item in value.items()}
    # Of the same type: what holds no credential is equal, and need not be made anew.
    return type(value)(_passed(item) for item in value) if isinstance(value, list | tuple) else value
