"""Study 000's queue is ns-2's DropTail, packet for packet: what `length >= limit` throws out is the newcomer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = """\
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
set c [$ns node]
$ns duplex-link $a $b 10Mb 5ms DropTail
$ns duplex-link $b $c 1Mb 10ms QUEUE
$ns queue-limit $b $c LIMIT
foreach {kind sink} {TCP/Sack1 TCPSink/Sack1 TCP/Vegas TCPSink} {
    set tcp [new Agent/$kind]
    $tcp set window_ 100
    set end [new Agent/$sink]
    $ns attach-agent $a $tcp
    $ns attach-agent $c $end
    $ns connect $tcp $end
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at 0.1 "$ftp start"
}
puts [[[$ns link $b $c] queue] set limit_]
$ns at 20.0 "close $trace; exit 0"
$ns run
"""


@pytest.mark.parametrize("limit", [1, 2, 7, 50])
def test_management_is_drop_tail(limit: int, program: list[str], ns: str, tmp_path: Path) -> None:
    left = []
    for queue, which in (("Management", program), ("DropTail", [ns])):
        folder = tmp_path / queue
        folder.mkdir()
        (folder / "script.tcl").write_text(SCRIPT.replace("QUEUE", queue).replace("LIMIT", str(limit)))
        done = subprocess.run(
            [*which, "script.tcl"], cwd=folder, capture_output=True, text=True, check=True, timeout=60
        )
        left.append((done.stdout, (folder / "out.tr").read_bytes()))
    assert left[0] == left[1]
    assert left[0][0] == f"{limit}\n"
    assert b"\nd " in left[0][1] or limit == 50
