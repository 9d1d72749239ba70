"""Writes compat/schema.json from the row types: after a change of matrix/types.py, gpu_types.py or tables.py."""

import json
import os

from gpudoctor.knowledge.matrix.load import folder
from gpudoctor.knowledge.matrix.tables import json_schema


def main() -> None:
    """Write the schema beside the tables."""
    path = os.path.join(folder(), "schema.json")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(json.dumps(json_schema(), indent=1, sort_keys=True) + "\n")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
