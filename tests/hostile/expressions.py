"""Every regular expression of the package, and texts that are made of an expression's own parts to make it slow."""

import ast
import importlib
import json
import pkgutil
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gpudoctor
from gpudoctor.facts import lazy_re
from gpudoctor.knowledge.message import messages

if sys.version_info >= (3, 11):
    from re import _constants as codes
    from re import _parser as parser

    import tomllib
else:
    import sre_constants as codes
    import sre_parse as parser

    import tomli as tomllib

PACKAGE = Path(gpudoctor.__file__).parent
_FUNCTIONS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}


class Expression(NamedTuple):
    """One expression, and the module (or file of data) that it is of."""

    module: str
    text: str
    flags: int

    @property
    def package(self) -> str:
        return self.module.split(".")[1] if "." in self.module else self.module


def expressions() -> tuple[Expression, ...]:
    """All of them, each once: values of modules, literals of calls, tables, and files of data."""
    found: dict[tuple[str, int], Expression] = {}
    for name in sorted(_modules()):
        try:
            module = importlib.import_module(name)
        except (AssertionError, ImportError):  # another system's
            continue
        for pattern in _patterns(vars(module), 0):
            _note(found, name, pattern.pattern, pattern.flags)
        for text, flags in _literals(module):
            _note(found, name, text, flags)
    for row in messages():
        _note(found, "gpudoctor.knowledge", row.pattern, int(re.IGNORECASE))
    for file, text in _of_data():
        _note(found, file, text, int(re.IGNORECASE))
    return tuple(found.values())


def _note(found: dict[tuple[str, int], Expression], module: str, text: Any, flags: int) -> None:
    if isinstance(text, str):
        found.setdefault((text, flags & ~re.UNICODE), Expression(module, text, flags & ~re.UNICODE))


def _modules() -> Iterator[str]:
    for one in pkgutil.walk_packages(gpudoctor.__path__, "gpudoctor."):
        if not one.name.startswith("gpudoctor.agent.") and not one.name.endswith("__main__"):
            yield one.name


def _patterns(value: Any, depth: int) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern | lazy_re.Expression):
        yield value
    elif depth < 5 and isinstance(value, dict):
        for key, item in value.items():
            if not (isinstance(key, str) and key.startswith("__")):
                yield from _patterns(item, depth + 1)
                yield from _patterns(key, depth + 1)
    elif depth < 5 and isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _patterns(item, depth + 1)
    elif depth < 5 and hasattr(value, "__struct_fields__") and not isinstance(value, type):
        for name in value.__struct_fields__:
            yield from _patterns(getattr(value, name, None), depth + 1)


def _literals(module: Any) -> Iterator[tuple[str, int]]:
    """Expressions that stand in a call: re.search(r"...", text, re.I)."""
    for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
        called = node.func if isinstance(node, ast.Call) else None
        if not (isinstance(called, ast.Attribute) and called.attr in _FUNCTIONS and node.args):
            continue
        if not (isinstance(called.value, ast.Name) and called.value.id == "re"):
            continue
        text = _evaluated(node.args[0], module)
        flags = [_evaluated(one.value, module) for one in node.keywords if one.arg == "flags"]
        flags += [value for one in node.args[1:] if isinstance(value := _evaluated(one, module), re.RegexFlag)]
        if isinstance(text, str):
            yield text, int(flags[0]) if flags and isinstance(flags[0], int) else 0


def _evaluated(node: ast.expr, module: Any) -> Any:
    """The value of an expression of constants of its module; None where it needs more."""
    try:
        return eval(compile(ast.Expression(node), "<expression>", "eval"), dict(vars(module)))
    except Exception:  # noqa: BLE001 - whatever it needs, it is not ours to have
        return None


def _of_data() -> Iterator[tuple[str, str]]:
    for file in sorted((*PACKAGE.rglob("*.toml"), *PACKAGE.rglob("*.json"))):
        if file.name.endswith(".schema.json"):
            continue
        read = tomllib.loads if file.suffix == ".toml" else json.loads
        yield from ((f"data.{file.name}", text) for text in _named_pattern(read(file.read_text("utf-8"))))


def _named_pattern(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "pattern" and isinstance(item, str):
                yield item
            elif key == "patterns" and isinstance(item, list):
                yield from (one for one in item if isinstance(one, str))
            yield from _named_pattern(item)
    elif isinstance(value, list):
        for item in value:
            yield from _named_pattern(item)


#: What ends a line without matching.
_BAD = ("!", "\x7f", "", " 1x", "a", "\u3000")
_CATEGORY = {
    codes.CATEGORY_DIGIT: "07",
    codes.CATEGORY_SPACE: " \u3000\t",
    codes.CATEGORY_WORD: "a0_",
    codes.CATEGORY_NOT_DIGIT: "a -",
    codes.CATEGORY_NOT_SPACE: "a0*",
    codes.CATEGORY_NOT_WORD: " *-",
}


def _unlike(items: Any, draw: random.Random) -> str:
    pattern = re.compile("|".join(map(re.escape, _members(items, draw))) or "(?!)")
    return next((one for one in draw.sample("a0 *-.,/:=\"'([x", 15) if not pattern.fullmatch(one)), "\u00e9")


def _members(items: Any, draw: random.Random) -> list[str]:
    found: list[str] = []
    for code, value in items:
        if code is codes.LITERAL:
            found.append(chr(value))
        elif code is codes.RANGE:
            found += [chr(value[0]), chr(draw.randint(*value))]
        elif code is codes.CATEGORY:
            found += list(_CATEGORY.get(value, "a"))
    return found


def matching(expression: Expression, draw: random.Random) -> str:
    """A text that it (roughly) matches."""
    return _sample(parser.parse(expression.text, expression.flags), draw, draw.choice((1, 3)))


def _sample(parsed: Any, draw: random.Random, times: int = 1) -> str:
    """A text that (roughly) matches; each of its repeats `times` times, as far as it may."""
    return "".join(_sample_of(code, value, draw, times) for code, value in parsed)


def _sample_of(code: Any, value: Any, draw: random.Random, times: int) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.NOT_LITERAL:
        return "a" if chr(value) != "a" else "b"
    if code is codes.ANY:
        return draw.choice(" a0*-")
    if code is codes.IN:
        negated = value and value[0][0] is codes.NEGATE
        return _unlike(value[1:], draw) if negated else draw.choice(_members(value, draw) or ["a"])
    if code is codes.BRANCH:
        return _sample(draw.choice(value[1]), draw, times)
    if code is codes.SUBPATTERN:
        return _sample(value[-1], draw, times)
    if code in _REPEATS:
        least, most, body = value
        return "".join(_sample(body, draw) for _ in range(max(least, min(times, int(most)))))
    if code is getattr(codes, "ATOMIC_GROUP", None):
        return _sample(value, draw, times)
    return ""


_REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, getattr(codes, "POSSESSIVE_REPEAT", None)}


def _repeats(parsed: Any, before: str, draw: random.Random) -> Iterator[tuple[str, Any]]:
    """Each repeat with a text that leads up to it."""
    for code, value in parsed:
        if code in _REPEATS and int(value[1]) > 8:
            yield before, value[2]
            yield from _repeats(value[2], before, draw)
        elif code in _REPEATS:
            yield from _repeats(value[2], before, draw)
        elif code is codes.SUBPATTERN:
            yield from _repeats(value[-1], before, draw)
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, before, draw)
        before += _sample_of(code, value, draw, 1)


def hostile(expression: Expression, length: int, draw: random.Random) -> Iterator[str]:
    """Lines of about `length` characters made to be nearly matched in very many ways."""
    parsed = parser.parse(expression.text, expression.flags)
    for before, body in _repeats(parsed, "", draw):
        pump = _sample(body, draw) or "a"
        bad = draw.choice(_BAD)
        yield _filled(before, pump, length) + bad
        yield _filled("", before + pump, length) + bad
        yield _filled(before, draw.choice((" ", "\u3000", "*", "0", "a", ".", "-", '"')), length) + bad
    parts = [part for part in _parts(parsed, draw) if part.strip()]
    if parts:
        share = length // len(parts)
        yield "".join(_filled("", part, share) for part in parts) + draw.choice(_BAD)
        yield "".join(_filled("", part, share) for part in parts[:-1]) + draw.choice(_BAD)
    yield _filled(_sample(parsed, draw, 3)[:200], draw.choice(" \u3000*0a."), length) + draw.choice(_BAD)


def _parts(parsed: Any, draw: random.Random) -> Iterator[str]:
    """What stands between the repeats."""
    text = ""
    for code, value in parsed:
        if code in _REPEATS and int(value[1]) > 8:
            yield text
            text = _sample(value[2], draw)
        else:
            text += _sample_of(code, value, draw, 1)
    yield text


def _filled(before: str, pump: str, length: int) -> str:
    return before + pump * max(1, (length - len(before)) // len(pump))
