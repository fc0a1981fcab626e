"""The engine's models through random lives: `python -m fuzz.models NAME INPUTS`; the last line is a `Row`.

What is tried is in crates/engine/tests: fuzz_queues.rs, fuzz_controls.rs and fuzz_senders.rs, of which `make test`
tries a few inputs. An input is a number: the one that fails is told, with how to try it alone.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

from fuzz.row import HERE, Row

#: Each fuzzer, in words.
NAMES = {
    "queues": "every queue discipline through random arrivals, departures and time",
    "controls": "today's congestion controls through random ACKs, losses, marks, timeouts and idle times",
    "senders": "every sender and control through random networks: losses, delays, marks, copies, failing links",
}


def main(name: str, inputs: int) -> int:
    """Try so many inputs, say what came of it; 1 when something gave way."""
    line = ["cargo", "test", "--release", "--locked", "--quiet", "-p", "ackclock-engine", "--test", f"fuzz_{name}"]
    began = time.monotonic()
    done = subprocess.run(
        [*line, "--", "--nocapture"],
        cwd=HERE.parent,
        env={**os.environ, "FUZZ_INPUTS": str(inputs), "RUST_BACKTRACE": "0"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    sys.stderr.write(done.stdout)
    tried = re.search(r": (\d+) inputs, 0 crashes, 0 laws broken", done.stdout)
    bad = int(tried is None or done.returncode != 0)
    # A law that is broken and a crash are one thing here: a panic that names the law.
    print(Row(NAMES[name], int(tried[1]) if tried else inputs, 0, 0, bad, time.monotonic() - began).line())
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
