"""Record what the real ns-2 prints and writes, for machines without it.

    python tests/oracle/ns2/record.py

needs `ns` (Debian: apt-get install ns2) and rewrites recorded.json, the digests, and first_lines.json, the first lines
of each output, so that a difference can be shown where ns-2 is not installed. A changed digest is a changed result: it
is reviewed, not waved through.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from cases import CASES
from running import run_case

RECORDED = Path(__file__).with_name("recorded.json")
FIRST_LINES = Path(__file__).with_name("first_lines.json")


def main() -> int:
    """Run every case on ns-2 and write the record."""
    ns = shutil.which("ns")
    if ns is None:
        print("record.py: ns is not on the PATH: apt-get install ns2", file=sys.stderr)
        return 1
    record, first = {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        for number, case in enumerate(CASES):
            left = run_case(case, [ns], Path(scratch) / str(number))
            if said := left.stderr.strip().splitlines():
                rest = f" (and {len(said) - 1} lines more)" if said[1:] else ""
                print(f"{case.id}: {said[0]}{rest}", file=sys.stderr)
            record[case.id] = left.record()
            first[case.id] = left.first_lines()
    write(RECORDED, record)
    write(FIRST_LINES, together(first))
    return 0


def together(first: dict[str, dict[str, list[str]]]) -> dict[str, Any]:
    """First lines with those that cases share once: `texts`, and of each case which text an output begins with."""
    texts: list[list[str]] = []
    numbers: dict[tuple[str, ...], int] = {}
    cases: dict[str, dict[str, int]] = {}
    for case, outputs in first.items():
        for name, lines in outputs.items():
            number = numbers.setdefault(tuple(lines), len(texts))
            if number == len(texts):
                texts.append(lines)
            cases.setdefault(case, {})[name] = number
    return {"cases": cases, "texts": texts}


def first_lines_of(case: str) -> dict[str, list[str]]:
    """The recorded first lines of a case, by output."""
    read = json.loads(FIRST_LINES.read_text(encoding="utf-8"))
    return {name: read["texts"][number] for name, number in read["cases"][case].items()}


def write(file: Path, record: dict[str, Any]) -> None:
    """Write a record whole or not at all."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    part.replace(file)


if __name__ == "__main__":
    sys.exit(main())
