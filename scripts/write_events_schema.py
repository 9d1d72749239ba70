#!/usr/bin/env python3
"""Writes gpudoctor/apply/events.schema.json: the JSON Schema of a line of `install --json` and `fix --apply`."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gpudoctor.apply.events import events_schema

TARGET = Path(__file__).resolve().parent.parent / "gpudoctor" / "apply" / "events.schema.json"

if __name__ == "__main__":
    TARGET.write_text(json.dumps(events_schema(), indent=2) + "\n", encoding="utf-8")
