"""Networks of every kind for hours in one process: `python -m fuzz.soak HOPS`; the last line is a `Row`.

What is simulated is in crates/engine/examples/soak.rs, which ends with status 1 when a run of the same seed comes out
otherwise than the first time, or when memory grows.
"""

from __future__ import annotations

import re
import subprocess
import sys

from fuzz.row import HERE, Row

_COUNTED = re.compile(r"^(?P<runs>\d+) runs, (?P<hops>\d+) packet-hops, (?P<seconds>\d+) s$", re.MULTILINE)
_MEMORY = re.compile(
    r"^memory after round 1 of \d+: (?P<first>[\d.]+) MiB, last (?P<last>[\d.]+), most (?P<most>[\d.]+)", re.MULTILINE
)


def row(text: str, is_good: bool) -> Row:
    """The row of what the program wrote at its end. `ValueError` where that is no end."""
    counted, memory = _COUNTED.search(text), _MEMORY.search(text)
    if counted is None or memory is None:
        raise ValueError(f"no end of a soak: {text[-300:]!r}")
    runs = f"packet-hops simulated in one process, {int(counted['runs']):,} runs"
    held = (
        f"memory {memory['first']} MiB after the first round, {memory['last']} after the last, {memory['most']} at most"
    )
    return Row(f"{runs}; {held}", int(counted["hops"]), 0, 0, int(not is_good), float(counted["seconds"]))


def main(hops: str) -> int:
    """Simulate so many packet-hops, say what came of it; 1 when something gave way."""
    line = f"cargo run --release --locked --quiet -p ackclock-engine --example soak -- {hops}".split()
    done = subprocess.run(line, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=False)
    sys.stderr.write(done.stdout)
    found = row(done.stdout, done.returncode == 0)
    print(found.line())
    return int(not found.is_good)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
