"""Turns tickets exported as JSON (forms, ticket systems) into lines of text."""

from collections.abc import Iterator
from typing import Any

from gpudoctor.facts import lazy_re as re

#: Deeper than any form nests.
_DEEPEST = 12
_VERSION = re.compile(r"v?\d+(?:\.\w+)+(?:[+-][\w.]+)?$")
_PACKAGES = re.compile(r"\b(?:packages|requirements|dependencies|libraries)\b")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{2,}$")


def spread(text: str) -> str:
    """The text itself, or the members of the JSON object that it is, one a line; what is null or empty is left out.

    Texts within keep their lines, an object of versions becomes a list of packages, one of variables their settings.
    """
    if not (text.lstrip()[:1] == "{" and text.rstrip()[-1:] == "}"):
        return text
    # Imported here: most tickets are no JSON.
    import json

    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if _is_known(told) else "\n".join(_lines("", told, 0))


def _is_known(told: dict[str, Any]) -> bool:
    """Another doctor's report, which has a reader of its own."""
    return "checks" in told and "summary" in told


def _lines(label: str, value: Any, depth: int) -> Iterator[str]:
    """One value under its label."""
    if value in (None, "", [], {}) or depth > _DEEPEST:
        return
    if isinstance(value, dict):
        yield from (f"{label}:",) if label else ()
        packages = bool(_PACKAGES.search(label)) or _all_versions(value)
        for key, item in value.items():
            yield from _member(str(key), item, depth + 1, packages=packages)
    elif isinstance(value, list):
        yield from _items(label, value, depth + 1)
    elif isinstance(value, str) and "\n" in value:
        yield from (f"{label}:",) if label else ()
        yield from value.splitlines()
    else:
        yield f"{label}: {value}" if label else str(value)


def _member(key: str, value: Any, depth: int, *, packages: bool) -> Iterator[str]:
    if packages and isinstance(value, str) and value:
        yield f"{key}=={value}" if _VERSION.match(value) else f"{key} {value}"
    elif _VARIABLE.match(key) and isinstance(value, str | int) and not isinstance(value, bool):
        yield f"{key}={value}"
    else:
        # An expression stays one: "torch.cuda.is_available()".
        yield from _lines(key if re.search(r"[.(]", key) else key.replace("_", " "), value, depth)


def _items(label: str, value: list[Any], depth: int) -> Iterator[str]:
    """Words stand behind their label, sentences below it; what has a name is called by it."""
    words = [str(item) for item in value if isinstance(item, str | int) and " " not in str(item)]
    if len(words) == len(value):
        yield from _lines(label, ", ".join(words), depth)
        return
    yield from (f"{label}:",) if label and not any(isinstance(item, dict) for item in value) else ()
    for item in value:
        name = item.get("name") if isinstance(item, dict) else None
        yield from _lines(label, name, depth) if isinstance(name, str) else ()
        yield from _lines("", {**item, "name": None} if name else item, depth)


def _all_versions(value: dict[str, Any]) -> bool:
    """Every value that is given is a version, and more than one is: names and versions are a list of packages."""
    given = [one for one in value.values() if one is not None]
    return len(given) > 1 and all(isinstance(one, str) and _VERSION.match(one) for one in given)
