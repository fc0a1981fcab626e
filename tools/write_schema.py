"""Write docs/scenario.schema.json, the JSON Schema of scenario files, from the types.

    python tools/write_schema.py [--check]

`--check` writes nothing and fails where the file is not what would be written.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ackclock.scenario.formats.schema import schema

FILE = Path(__file__).resolve().parent.parent / "docs" / "scenario.schema.json"


def text() -> str:
    """What the file should say."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Write the file, or check it."""
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text(), encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != text():
        print(f"{FILE} is not of its source: run python tools/write_schema.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
