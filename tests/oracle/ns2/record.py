"""Record what the real ns-2 prints and writes, for machines without it.

    python tests/oracle/ns2/record.py

needs `ns` (Debian: apt-get install ns2) and rewrites recorded.json. A changed digest is a changed
result: it is reviewed, not waved through.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from cases import CASES
from running import run_case

RECORDED = Path(__file__).with_name("recorded.json")


def main() -> int:
    """Run every case on ns-2 and write the record."""
    ns = shutil.which("ns")
    if ns is None:
        print("record.py: ns is not on the PATH: apt-get install ns2", file=sys.stderr)
        return 1
    record = {}
    with tempfile.TemporaryDirectory() as scratch:
        for number, case in enumerate(CASES):
            left = run_case(case, [ns], Path(scratch) / str(number))
            if said := left.stderr.strip().splitlines():
                rest = f" (and {len(said) - 1} lines more)" if said[1:] else ""
                print(f"{case.id}: {said[0]}{rest}", file=sys.stderr)
            record[case.id] = left.record()
    part = RECORDED.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    part.replace(RECORDED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
