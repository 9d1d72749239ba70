"""Python 3.10 does not look into quotes inside `tuple[...]`: a field so annotated is read nowhere there."""

import ast
from pathlib import Path

import gpudoctor

PACKAGE = Path(gpudoctor.__file__).parent


def quoted_inside(source: str) -> list[str]:
    """The annotations of fields that quote a part of themselves, as written."""
    fields = [
        field.annotation
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign)
    ]
    return [ast.unparse(field) for field in fields for part in ast.walk(field) if _quotes(part)]


def _quotes(part: ast.AST) -> bool:
    if not isinstance(part, ast.Subscript) or ast.unparse(part.value) in ("Literal", "Annotated"):
        return False
    names = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
    return any(isinstance(name, ast.Constant) and isinstance(name.value, str) for name in names)


def test_no_field_quotes_a_part_of_its_annotation():
    quoted = {str(path): quoted_inside(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    assert {path: fields for path, fields in quoted.items() if fields} == {}


def test_a_quoted_part_is_seen():
    assert quoted_inside('class Plan:\n    apart: tuple["Plan", ...] = ()\n') == ["tuple['Plan', ...]"]
    assert quoted_inside('class Plan:\n    apart: "tuple[Plan, ...]" = ()\n    kind: Literal["a"] = "a"\n') == []
