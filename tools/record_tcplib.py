"""Record tcplib's telnet interarrival times by watching the real ns-2 draw them.

    tools/record_tcplib.py > crates/engine/src/app/tcplib_telnet.txt

tcplib (P. Danzig and S. Jamin, "tcplib: a library of TCP internetwork traffic characteristics", University of Southern
California, 1991) gives the interarrival times of telnet packets as 10,000 equally likely values. ns-2's telnet source
draws one of them for each packet when its mean interval is 0: number floor(10000 u) for a uniform u of the default
random stream. Here ns-2 draws until every number has come up at least once; the times between its packets are the
values.
Written: nanoseconds, the smallest first, as differences to the value before, 20 a line.
"""

import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ackclock._native import Simulation

COUNT = 10_000
SCRIPT = """
$defaultRNG seed [lindex $argv 0]
set ns [new Simulator]
set n0 [$ns node]
set n1 [$ns node]
$ns simplex-link $n0 $n1 10000Mb 0ms DropTail
set udp [new Agent/UDP]
set null [new Agent/Null]
$ns attach-agent $n0 $udp
$ns attach-agent $n1 $null
$ns connect $udp $null
set telnet [new Application/Telnet]
$telnet set interval_ 0
$telnet attach-agent $udp
$ns namtrace-queue $n0 $n1 [open telnet.nam w]
$ns at 0 "$telnet start"
$ns at 9000 "exit 0"
$ns run
"""


def intervals(seed: int) -> list[float]:
    """Seconds between the packets of the real program. Runs are short: a time has 15 digits."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "telnet.tcl").write_text(SCRIPT)
        subprocess.run(["ns", "telnet.tcl", str(seed)], cwd=folder, check=True)
        nam = (Path(folder) / "telnet.nam").read_text()
    times = [0.0, *map(float, re.findall(r"^\+ -t (\S+)", nam, re.MULTILINE))]
    return [after - before for before, after in itertools.pairwise(times)]


def main() -> int:
    """Record and print."""
    values: dict[int, int] = {}
    for seed in range(1, 21):
        simulation = Simulation()
        simulation.default_stream.seed(seed)
        for seconds in intervals(seed):
            number = int(simulation.default_stream.unit() * COUNT)
            nanoseconds = round(seconds * 1e9)
            if values.setdefault(number, nanoseconds) != nanoseconds:
                print(f"value {number} came out as {values[number]} and as {nanoseconds} ns", file=sys.stderr)
                return 1
    if len(values) != COUNT:
        print(f"only {len(values)} of {COUNT} values came up: let ns-2 run longer", file=sys.stderr)
        return 1
    ordered = [values[number] for number in range(COUNT)]
    if ordered != sorted(ordered):
        print("the values do not rise: the draws are not what they are taken for", file=sys.stderr)
        return 1
    steps = [after - before for before, after in zip([0, *ordered], ordered, strict=False)]
    for start in range(0, COUNT, 20):
        print(*steps[start : start + 20])
    return 0


if __name__ == "__main__":
    sys.exit(main())
