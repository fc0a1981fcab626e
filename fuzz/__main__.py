"""Throws things at ackclock and counts what gives way: `python -m fuzz [NAME...]`, all of them without a name.

What comes of each is a line of fuzz/results.tsv and of the table in docs/robustness.md. `--inputs` makes it fewer,
which is recorded with `--record` alone. The exit status is 1 when something gave way.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from fuzz.reading import CORPUS, Reader, fuzz
from fuzz.row import HERE, Row, record

#: Readers that are offered inputs from Python, by module of `fuzz.readers`, and how many inputs `make fuzz` makes.
READERS = {
    "scenario": 1_000_000,
    "saved_run": 1_000_000,
    "request": 1_000_000,
    "script": 1_000_000,
    "tr": 100_000,
    "nam": 100_000,
}

#: Everything else: modules whose last line on standard output is a `Row`, and their words, of which the last is how
#: much `make fuzz` tries.
PROGRAMS: dict[str, list[str]] = {
    **{f"libfuzzer {target}": ["fuzz.libfuzzer", target, "1000000"] for target in ("tr", "nam", "table")},
    "kills": ["fuzz.kills", "400"],
    "disks": ["fuzz.disks", "400"],
    "flips": ["fuzz.flips", "10000"],
    **{f"models {name}": ["fuzz.models", name, "1000000"] for name in ("queues", "controls", "senders")},
    "soak": ["fuzz.soak", "1e11"],
    "wired": ["fuzz.wired", "2000"],
}

#: Programs that take a first seed and a number of processes.
_SEEDED = frozenset(["wired"])

#: The order of the table.
ALL = (*READERS, *PROGRAMS)


def reader(name: str) -> Reader:
    """A reader by its name."""
    found: Reader = import_module(f"fuzz.readers.{name}")
    return found


def offer_corpus(name: str) -> None:
    """Offer a reader its corpus, and print what came of each input."""
    with tempfile.TemporaryDirectory(prefix="ackclock-fuzz-") as scratch:
        offer = reader(name).prepared(Path(scratch))
        for path in sorted((CORPUS / name).iterdir()):
            print(path.name, offer(path.read_bytes()), sep="\t", flush=True)


def row_of(name: str, inputs: int | None, seed: int, jobs: int = 1) -> Row:
    """Run one of them, a reader's in so many processes."""
    if name in READERS and jobs > 1:
        return _shared_out(name, inputs or READERS[name], seed, jobs)
    if name in READERS:
        tried, row = fuzz(name, reader(name), inputs or READERS[name], seed, tell=True)
        for path in tried.found:
            print(f"{name}: {path}", file=sys.stderr)
        return row
    *words, count = PROGRAMS[name]
    command = [sys.executable, "-m", *words, count if inputs is None else str(inputs)]
    if name in _SEEDED:
        command += ["--seed", str(seed), "--jobs", str(jobs)]
    done = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.splitlines()
    if not lines:
        raise SystemExit(f"{' '.join(command)} ended with status {done.returncode} and said nothing")
    return Row.of(lines[-1])


def _shared_out(name: str, inputs: int, seed: int, jobs: int) -> Row:
    """A reader's row from processes that each take a share of the inputs, with seeds that follow each other."""
    shares = [inputs * (job + 1) // jobs - inputs * job // jobs for job in range(jobs)]
    commands = [
        [sys.executable, "-m", "fuzz", name, "--jobs", "1", "--inputs", str(share), "--seed", str(seed + job)]
        for job, share in enumerate(shares)
        if share
    ]
    running = [subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True) for command in commands]
    said = [process.communicate()[0].splitlines() for process in running]
    if not all(said):
        raise SystemExit(f"one of the {jobs} processes of {name} said nothing")
    return Row.sum([Row.of(lines[-1]) for lines in said])


def main() -> int:
    """Run what is asked for; 1 when something gave way."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Throw things at ackclock.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ALL))
    parser.add_argument("--inputs", type=int, help="so many of a reader's, or of what a program counts")
    parser.add_argument("--record", action="store_true", help="record it though it has --inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes for a reader (all cores)")
    parser.add_argument("--corpus", action="store_true", help="a reader's corpus alone, once")
    options = parser.parse_args()
    unknown = set(options.names) - set(ALL)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}: only {', '.join(ALL)}")
    if options.corpus:
        if set(options.names) - set(READERS):
            parser.error(f"corpora are of readers: {', '.join(READERS)}")
        for name in options.names or READERS:
            offer_corpus(name)
        return 0
    good = True
    for name in options.names or ALL:
        row = row_of(name, options.inputs, options.seed, options.jobs)
        print(row.line(), flush=True)
        if options.inputs is None or options.record:
            record(name, row, ALL)
        good = good and row.is_good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
