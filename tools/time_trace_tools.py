"""Time `ackclock trace` against the awk and perl of tests/oracle/traces, on a trace of over a million lines.

    python tools/time_trace_tools.py [TRACE]

Without TRACE one is made. The commands take turns, five rounds after one that does not count, so that a machine whose
speed drifts does the same to all. Shown are medians of the processor time, user and system, of whole processes, the
interpreter's start included; and how many times the first one's that is. `stats` computes flows and links, as the two
scripts do together.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

SCRIPTS = Path(__file__).resolve().parent.parent / "tests" / "oracle" / "traces"
ACKCLOCK = [sys.executable, "-m", "ackclock"]
ROUNDS = 5

#: Commands that are run one after the other.
Work = list[list[str]]


def seconds(work: Work) -> float:
    """The processor time of running these commands."""
    before = getrusage(RUSAGE_CHILDREN)
    for command in work:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def medians(works: dict[str, Work]) -> dict[str, float]:
    """The median time of each, taken in turns."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for number in range(ROUNDS + 1):
        for name, work in works.items():
            took = seconds(work)
            if number > 0:
                times[name].append(took)
    return {name: median(took) for name, took in times.items()}


def script(name: str, *words: str) -> list[str]:
    """A command that runs a script of tests/oracle/traces."""
    program = {"awk": ["awk", "-f"], "pl": ["perl"]}[name.rpartition(".")[2]]
    return [*program, str(SCRIPTS / name), *words]


def main() -> int:
    """Print a table of times for each kind of work."""
    with tempfile.TemporaryDirectory() as folder:
        trace = sys.argv[1] if len(sys.argv) > 1 else f"{folder}/out.tr"
        if len(sys.argv) == 1:
            subprocess.run([*ACKCLOCK, "ns2", str(SCRIPTS / "million.tcl"), trace, "162"], check=True)
        packed = f"{folder}/out.tr.gz"
        with open(trace, "rb") as text, gzip.open(packed, "wb", 6) as out:
            shutil.copyfileobj(text, out)
        megabytes = Path(trace).stat().st_size / 1e6
        connection = ["4", "0.0", "4.0", "0.5"]
        print(f"{trace}: {megabytes:.1f} MB")
        for works in (
            {
                "ackclock trace stats": [[*ACKCLOCK, "trace", "stats", trace]],
                "awk (flows.awk, links.awk)": [script("flows.awk", trace), script("links.awk", trace)],
                "perl (flows.pl, links.pl)": [script("flows.pl", trace), script("links.pl", trace)],
            },
            {
                "ackclock trace throughput": [[*ACKCLOCK, "trace", "throughput", trace, *connection]],
                "perl (throughput.pl)": [script("throughput.pl", trace, *connection)],
            },
            {
                "ackclock trace stats, gzipped": [[*ACKCLOCK, "trace", "stats", packed]],
                "gzip -dc alone": [["gzip", "-dc", packed]],
            },
            {"convert to Parquet": [[*ACKCLOCK, "trace", "convert", trace, f"{folder}/out.parquet"]]},
            {
                "Python's start": [[sys.executable, "-c", ""]],
                "ackclock list variants": [[*ACKCLOCK, "list", "variants"]],
            },
        ):
            found = medians({name: work for name, work in works.items() if shutil.which(work[0][0])})
            first = next(iter(found.values()))
            for name, took in found.items():
                rate = f"{megabytes / took:5.0f} MB/s" if took > 0.05 else " " * 10
                print(f"{name:32}{took:7.3f} s  {rate}  {took / first:6.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
