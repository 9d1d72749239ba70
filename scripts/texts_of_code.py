"""The texts of a module that users read, as templates: found by where they stand and how they look.

An f-string is a template with named fields; a choice in it ("s" if many else "") makes a template of each outcome. Text
that is no prose (arguments of commands, keys, expressions, docstrings) is left out; user_words.toml says what is.
"""

import ast
import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
SAID = tomllib.loads((ROOT / "scripts" / "user_words.toml").read_text(encoding="utf-8"))
WORD = re.compile(r"[A-Za-z][a-z']+")
_FIELD = re.compile(r"\{(\w+)\}")
_NOT_PROSE = re.compile("|".join(SAID["no_prose"]))
_COMMAND = re.compile(rf"(?:sudo |& )?(?:[A-Z_]+=\S+ )*(?:{'|'.join(SAID['programs'])})\b[^:,]*(?<![.:,])$")
#: Names in an expression that do not say what it is.
_EMPTY_NAMES = frozenset({"", "join", "visible", "str", "sorted", "len"})


class Word(NamedTuple):
    """A template, and where it stands."""

    msgid: str
    path: str
    line: int
    part: str


def words_of_file(path: Path, part: str, *, only_reasons: bool = False) -> Iterator[Word]:
    """The templates of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = path.relative_to(ROOT).as_posix()
    domain = f"{part}-{path.parent.name}" if part == "rules" and path.parent.name != "rules" else part
    for node, shown in _strings(tree, shown=False, only_reasons=only_reasons):
        for template in _templates(node):
            text = template.strip()
            if _is_words(text, shown, part in SAID["headed"]):
                yield Word(text, name, node.lineno, domain)


def _strings(node: ast.AST, *, shown: bool, only_reasons: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Strings below `node`, each with whether it stands where everything is shown."""
    if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp) and _is_text(node):
        if shown or not only_reasons:
            yield node, shown
        for inner in _fields_of(node):
            yield from _strings(inner, shown=False, only_reasons=only_reasons)
        return
    for child, its in _below(node, shown):
        yield from _strings(child, shown=its, only_reasons=only_reasons)


#: What is below a node, and whether strings there are shown as they are.
Below = Iterator[tuple[ast.AST, bool]]


def _below(node: ast.AST, shown: bool) -> Below:
    if isinstance(node, ast.If):
        return ((one, shown) for one in (node.test, *_merged(node.body), *_merged(node.orelse)))
    if isinstance(node, ast.Call):
        return _below_call(node, shown)
    if isinstance(node, ast.Dict):
        return _below_dict(node, shown)
    if isinstance(node, ast.Raise):
        inner = _name_of(getattr(node.exc, "func", ast.Pass()))
        return iter([(node.exc, True)] if node.exc is not None and inner not in SAID["of_programmers"] else [])
    if isinstance(node, ast.Subscript | ast.AnnAssign):
        return iter([(node.value, shown)] if node.value is not None else [])
    if isinstance(node, ast.Compare | ast.Assert):
        return iter(())
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
        decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
        return iter([(one, False) for one in (*decorators, *_merged(node.body)) if not _is_docstring(one)])
    return ((child, shown) for child in ast.iter_child_nodes(node))


def _merged(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The statements; `text = a` and a `text += b` after it as one text."""
    pending: ast.Assign | None = None
    for one in body:
        if (
            isinstance(one, ast.AugAssign)
            and pending is not None
            and _is_text(one.value)
            and _name_of(one.target) == _name_of(pending.targets[0])
        ):
            pending.value = ast.copy_location(ast.BinOp(pending.value, ast.Add(), one.value), pending.value)
            continue
        if pending is not None:
            yield pending
            pending = None
        if isinstance(one, ast.Assign) and _is_text(one.value):
            pending = one
        else:
            yield one
    if pending is not None:
        yield pending


def _below_call(node: ast.Call, shown: bool) -> Below:
    called = _name_of(node.func)
    if not isinstance(node.func, ast.Name):
        yield node.func, False
    if called not in SAID["hidden_calls"]:
        known = called in SAID["shown_calls"]
        most = 1 if called in SAID["shown_first"] else len(node.args)
        yield from ((one, (shown or known) and number < most) for number, one in enumerate(node.args))
    if called != "Run":
        for keyword in node.keywords:
            if keyword.arg not in SAID["hidden_keywords"]:
                yield keyword.value, keyword.arg in SAID["shown_keywords"]


def _below_dict(node: ast.Dict, shown: bool) -> Below:
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None and (isinstance(key, ast.JoinedStr) or _is_sentence(key)):
            yield key, False
        yield value, shown


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_sentence(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(WORD.findall(node.value)) > 2


def _name_of(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_text(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and _is_text(node.left) and _is_text(node.right)
    return isinstance(node, ast.JoinedStr)


def _fields_of(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions in an f-string: they may hold phrases of their own."""
    if isinstance(node, ast.BinOp):
        yield from (*_fields_of(node.left), *_fields_of(node.right))
    if isinstance(node, ast.JoinedStr):
        for value in node.values:
            if isinstance(value, ast.FormattedValue) and not _outcomes(value.value):
                yield value.value


def _templates(node: ast.AST) -> Iterator[str]:
    """The templates that a string can be: one, or one an outcome of each choice in it."""
    names: dict[str, int] = {}
    parts = list(_parts(node, names))
    for chosen in list(product(*parts))[:16]:
        yield "".join(chosen)


def _parts(node: ast.AST, names: dict[str, int]) -> Iterator[tuple[str, ...]]:
    if isinstance(node, ast.BinOp):
        yield from (*_parts(node.left, names), *_parts(node.right, names))
    elif isinstance(node, ast.Constant):
        yield (escaped(str(node.value)),)
    elif isinstance(node, ast.JoinedStr):
        for value in node.values:
            if isinstance(value, ast.Constant):
                yield (str(value.value).replace("{", "{{").replace("}", "}}"),)
            elif isinstance(value, ast.FormattedValue):
                yield _outcomes(value.value) or (_field(value.value, names),)


def escaped(text: str) -> str:
    """A plain text as a template; one that is given to `format` is one already."""
    return text if _FIELD.search(text) else text.replace("{", "{{").replace("}", "}}")


def _outcomes(node: ast.AST) -> tuple[str, ...]:
    """The texts of a choice between texts."""
    if isinstance(node, ast.IfExp):
        both = [_outcomes(one) or (_constant(one),) for one in (node.body, node.orelse)]
        flat = [text for one in both for text in one]
        return tuple(text for text in flat if text is not None) if None not in flat else ()
    return ()


def _constant(node: ast.AST) -> Any:
    return node.value.replace("{", "{{") if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _field(node: ast.AST, names: dict[str, int]) -> str:
    named = (_name_of(one) for one in ast.walk(node))
    name = next((word for word in named if word not in _EMPTY_NAMES), "x")
    name = name.strip("_").lower() or "x"
    names[name] = names.get(name, 0) + 1
    return f"{{{name}{names[name] if names[name] > 1 else ''}}}"


def _is_words(text: str, shown: bool, headed: bool) -> bool:
    """Whether a template is something that a reader reads."""
    bare = _FIELD.sub(" ", text)
    if not re.search("[a-z]{2}", bare) or _NOT_PROSE.search(text) or (_COMMAND.fullmatch(text) and not shown):
        return False
    if shown:
        return bool(WORD.search(bare))
    several = len(re.findall(r"[A-Za-z][A-Za-z']+", bare)) > 1 or (bare != text and bool(re.search("[a-z]{4}", bare)))
    several = several and " " in text and bool(WORD.search(bare))
    return several or (headed and bool(re.fullmatch(r"[A-Z][a-z]+:?", text)))
