"""Time `ackclock trace` against the awk and perl of tests/traces, on a trace of over a million lines.

    python tools/time_trace_tools.py [TRACE]

Without TRACE one is made. Each command runs three times; the least processor time is shown, user and system, the
interpreter's start included. `stats` computes flows and links, as the two scripts do together.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent / "tests" / "traces"
ACKCLOCK = [sys.executable, "-m", "ackclock"]
ROUNDS = 3


def seconds(*commands: list[str]) -> float:
    """The least processor time of running these commands one after the other."""
    times = []
    for _ in range(ROUNDS):
        before = os.times()
        for command in commands:
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(times)


def script(name: str, *words: str) -> list[str]:
    """A command that runs a script of tests/traces."""
    program = {"awk": ["awk", "-f"], "pl": ["perl"]}[name.rpartition(".")[2]]
    return [*program, str(SCRIPTS / name), *words]


def main() -> int:
    """Print a table of times."""
    with tempfile.TemporaryDirectory() as folder:
        trace = sys.argv[1] if len(sys.argv) > 1 else f"{folder}/out.tr"
        if len(sys.argv) == 1:
            subprocess.run([*ACKCLOCK, "ns2", str(SCRIPTS / "million.tcl"), trace, "162"], check=True)
        megabytes = Path(trace).stat().st_size / 1e6
        connection = ["4", "0.0", "4.0", "0.5"]
        rivals = {
            "stats": {
                "awk (flows.awk, links.awk)": [script("flows.awk", trace), script("links.awk", trace)],
                "perl (flows.pl, links.pl)": [script("flows.pl", trace), script("links.pl", trace)],
            },
            "throughput": {"perl (throughput.pl)": [script("throughput.pl", trace, *connection)]},
        }
        words = {"stats": ["stats", trace], "throughput": ["throughput", trace, *connection]}
        print(f"{trace}: {megabytes:.1f} MB")
        for verb, others in rivals.items():
            ours = seconds([*ACKCLOCK, "trace", *words[verb]])
            print(f"{f'ackclock trace {verb}':32}{ours:7.2f} s  {megabytes / ours:5.0f} MB/s")
            for name, commands in others.items():
                if shutil.which(commands[0][0]):
                    theirs = seconds(*commands)
                    print(f"{name:32}{theirs:7.2f} s  {theirs / ours:5.1f} times as long")
        parquet = seconds([*ACKCLOCK, "trace", "convert", trace, f"{folder}/out.parquet"])
        print(f"{'ackclock trace convert, Parquet':32}{parquet:7.2f} s  {megabytes / parquet:5.0f} MB/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
