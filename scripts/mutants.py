"""The mutants of a module: copies with one comparison turned, one bound shifted, and so on; see `scripts/mutate`."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OPPOSITES: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


class Change(NamedTuple):
    """One change: the node by its place in `ast.walk`, which of its parts, and what becomes of it."""

    node: int
    part: int
    what: str


class Mutant(NamedTuple):
    """A module with one change."""

    path: Path
    change: Change
    line: int
    #: The lines of its statement up to the change: a test that executes none of them cannot notice.
    lines: frozenset[int]
    within_function: bool

    @property
    def module(self) -> str:
        """The module's name."""
        return ".".join(self.path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")

    @property
    def label(self) -> str:
        """The place and the change, for a person."""
        text = self.path.read_text().splitlines()[self.line - 1].strip()
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.change.what}: {text}"


def left_alone(tree: ast.Module) -> set[int]:
    """Nodes that are not mutated, nor what is below them: annotations, decorators, class options, texts, assertions."""
    skipped: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            skipped += [*node.decorator_list, *filter(None, (node.returns,))]
        elif isinstance(node, ast.ClassDef):
            skipped += [*node.decorator_list, *node.keywords]
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            skipped.append(node.annotation)
        elif isinstance(node, ast.Assert | ast.JoinedStr):
            skipped.append(node)
    return {id(below) for node in skipped for below in ast.walk(node)}


def changes(tree: ast.Module) -> Iterator[tuple[ast.AST, Change]]:
    """Every change that can be made to a module."""
    alone = left_alone(tree)
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in alone:
            for part, what in kinds(node):
                yield node, Change(number, part, what)


def kinds(node: ast.AST) -> Iterator[tuple[int, str]]:
    """What can be changed of one node."""
    if isinstance(node, ast.Compare):
        for part, operator in enumerate(node.ops):
            for other in OPPOSITES[type(operator)]:
                yield part, f"{type(operator).__name__} to {other.__name__}"
    elif isinstance(node, ast.BoolOp):
        yield 0, "and to or" if isinstance(node.op, ast.And) else "or to and"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield 0, "not removed"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int):
        yield 0, f"{node.value} to {altered(node.value)}"
    elif isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and node.value.value in (None, False)):
            yield 0, "returns None"
    elif isinstance(node, ast.Continue):
        yield 0, "continue to break"


def altered(value: Any) -> bool | int:
    """Another value of the same type."""
    return not value if isinstance(value, bool) else int(value) + 1


def mutated(source: str, change: Change) -> ast.Module:
    """The module's tree with the change made."""
    tree = ast.parse(source)
    node: Any = list(ast.walk(tree))[change.node]
    if isinstance(node, ast.Compare):
        wanted = change.what.rpartition(" ")[2]
        node.ops[change.part] = getattr(ast, wanted)()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Constant):
        node.value = altered(node.value)
    elif isinstance(node, ast.Return):
        node.value = ast.Constant(None)
    else:
        other = node.operand if isinstance(node, ast.UnaryOp) else ast.Break()
        tree = _Replaced(node, other).visit(tree)
    return ast.fix_missing_locations(tree)


class _Replaced(ast.NodeTransformer):
    def __init__(self, node: ast.AST, other: ast.AST) -> None:
        self.node, self.other = node, other

    def visit(self, node: ast.AST) -> Any:
        """The other node in place of the one."""
        return ast.copy_location(self.other, node) if node is self.node else self.generic_visit(node)


def mutants(part: str, only: list[str]) -> list[Mutant]:
    """Every mutant of a part of the package."""
    found = []
    for path in sorted((ROOT / "gpudoctor" / part).rglob("*.py")):
        if not only or any(name in str(path) for name in only):
            tree = ast.parse(path.read_text())
            places = dict(placed(tree, 1, within=False))
            found += [Mutant(path, change, *places[id(node)]) for node, change in changes(tree)]
    return found


def placed(node: ast.AST, first: int, *, within: bool) -> Iterator[tuple[int, tuple[int, frozenset[int], bool]]]:
    """Of each node below: its line, the lines of its statement up to it, and whether a call of a function runs it."""
    first = node.lineno if isinstance(node, ast.stmt) else first
    line = getattr(node, "lineno", first)
    yield id(node), (line, frozenset(range(first, (getattr(node, "end_lineno", None) or line) + 1)), within)
    for field, value in ast.iter_fields(node):
        called = within or (field == "body" and isinstance(node, ast.FunctionDef | ast.Lambda))
        for below in value if isinstance(value, list) else [value]:
            if isinstance(below, ast.AST):
                yield from placed(below, first, within=called)
