"""Writes gpudoctor/facts/snapshot.schema.json, the public JSON Schema of a snapshot. Run it after changing facts."""

import json
from pathlib import Path

import gpudoctor.facts
from gpudoctor.facts.codec import json_schema


def main() -> None:
    """Write the schema beside the types."""
    path = Path(gpudoctor.facts.__path__[0]) / "snapshot.schema.json"
    path.write_text(json.dumps(json_schema(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
