"""The index of rules: what each declares, so that a check imports only the rules whose sections are there."""

import json
import sys
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
# The package of this checkout, whatever is installed.
sys.path.insert(0, str(ROOT))

from gpudoctor.rules.declare import Rule  # noqa: E402
from gpudoctor.rules.load import INDEX, declared_in, rule_files  # noqa: E402

FILE = ROOT / "gpudoctor/rules" / INDEX


def rule_index() -> bytes:
    """The contents of the index, of the files as they are."""
    rows = {
        module.removeprefix("gpudoctor.rules."): {"size": size, "rules": [_row(rule) for rule in declared_in(module)]}
        for module, size in rule_files()
    }
    return b"{\n" + b",\n".join(_line(name, row) for name, row in sorted(rows.items())) + b"\n}\n"


def _row(rule: Rule) -> dict[str, object]:
    row = {
        name: getattr(rule, name) for name in ("code", "name", "severity", "since", "summary", "wants", "when", "needs")
    }
    return {"function": rule.check.__name__} | {name: value for name, value in row.items() if value}


def _line(name: str, row: dict[str, object]) -> bytes:
    return json.dumps(name).encode() + b":" + msgspec.json.encode(row)
