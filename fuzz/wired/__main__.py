"""Runs random wired scripts on the installed ns-2 and here: `python -m fuzz.wired COUNT [--seed FIRST]`.

Scripts that differ are kept, whole and as short as they get, in out/fuzz/wired. The last line is a `Row`: crashes and
hangs are ours, violations are scripts that differ.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzz.row import Row
from fuzz.wired.compare import CRASH, DIFFERS, EXIT, HANG, SAME, Outcome, compare
from fuzz.wired.generate import script
from fuzz.wired.reduce import reduce

WHAT = "random wired ns-2 scripts, on the installed ns-2 and here"
FOUND = Path("out/fuzz/wired")


def judge(seed: int, folder: Path) -> Outcome:
    """What comes of the script of a seed."""
    try:
        return compare(script(seed).text(), folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Run so many scripts; 1 when one differs."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.wired")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--whole", action="store_true", help="do not make scripts that differ shorter")
    parser.add_argument("--show", action="store_true", help="print the script of the first seed, and end")
    options = parser.parse_args()
    if options.show:
        print(script(options.seed).text(), end="")
        return 0
    if shutil.which("ns") is None:
        print("ns-2 is not installed (Debian: apt-get install ns2)", file=sys.stderr)
        return 2
    began = time.monotonic()
    results: Counter[str] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    ends: Counter[str] = Counter()
    FOUND.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ackclock-wired-") as scratch:
        seeds = range(options.seed, options.seed + options.count)
        with ThreadPoolExecutor(options.jobs) as pool:
            for seed, outcome in zip(
                seeds, pool.map(lambda seed: judge(seed, Path(scratch) / str(seed)), seeds), strict=True
            ):
                results[outcome.result] += 1
                if outcome.result == SAME:
                    continue
                reasons[outcome.result, outcome.why] += 1
                print(f"{seed}\t{outcome.result}\t{outcome.why}", file=sys.stderr, flush=True)
                if outcome.result != DIFFERS:
                    continue
                ends[outcome.end] += 1
                statements = script(seed).statements
                (FOUND / f"{seed}.tcl").write_text("\n".join(statements) + "\n", encoding="utf-8")
                if not options.whole:
                    short = reduce(statements, Path(scratch) / f"reduce{seed}", outcome)
                    (FOUND / f"{seed}.short.tcl").write_text("\n".join(short) + "\n", encoding="utf-8")
    print(", ".join(f"{count} {result}" for result, count in results.most_common()), file=sys.stderr)
    for (result, why), count in reasons.most_common():
        if result != DIFFERS:
            print(f"{count:6} {result}: {why}", file=sys.stderr)
    took_s = time.monotonic() - began
    row = Row(WHAT, options.count, ends[CRASH], ends[HANG], ends[EXIT], took_s)
    print(row.line())
    return 0 if row.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
