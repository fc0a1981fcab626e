"""A run in which something does not hold that holds in every simulation: it stops, says how to see it again, and leaves
nothing that looks like a result. What breaks each of them is in crates/engine/tests/invariants.rs.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock._native import InvariantError
from ackclock.execution import simulate
from ackclock.execution.simulate import StartedRun

#: A script may choose a law by which the window grows beyond all numbers. (What is below 0 is as in ns-2.)
SCRIPT = """
set ns [new Simulator]
set f [open out.tr w]
$ns trace-all $f
set a [$ns node]; set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
set tcp [new Agent/TCP/Reno]; set sink [new Agent/TCPSink]
$ns attach-agent $a $tcp; $ns attach-agent $b $sink; $ns connect $tcp $sink
set ftp [new Application/FTP]; $ftp attach-agent $tcp
$ns at 0.0 "$ftp start"
$ns at 1.0 "$tcp set windowOption_ 6; $tcp set k_parameter_ -400; $tcp set ssthresh_ 1"
$ns at 5.0 "exit 0"
catch {$ns run}
puts "went on"
"""


def test_a_script_that_breaks_a_window(tmp_path: Path) -> None:
    (tmp_path / "x.tcl").write_text(SCRIPT)
    line = [sys.executable, "-m", "ackclock", "ns2", "x.tcl", "7"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stdout == ""
    told = "invariant violated: the sender of flow 0 has a window of inf"
    assert told in done.stderr and done.stderr.endswith("; to see it again: ackclock ns2 x.tcl 7\n")
    last = (tmp_path / "out.tr").read_text().splitlines()[-1]
    assert last.startswith("# incomplete: the run was stopped at 1.") and told in last


def test_a_scenario_leaves_the_description_that_shows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*parts: Any) -> StartedRun:
        started = StartedRun(*parts)
        started.engine.agent(0).set_param("cwnd", float("nan"))  # the first flow's sender
        return started

    monkeypatch.setattr(simulate, "StartedRun", broken)
    monkeypatch.chdir(tmp_path)
    flow = ac.Flow(source="a", destination="b", tcp="sack")
    link = ac.Link(ends=["a", "b"], rate="1 Mb/s", delay="10 ms")
    scenario = ac.Scenario(topology=ac.Graph(nodes=["a", "b"], links=[link]), flows=[flow], duration="5 s", seed=3)
    with pytest.raises(InvariantError, match="has a window of NaN packets") as caught:
        ac.run(scenario, trace="out.tr")
    found = re.search(r"to see it again: ackclock run (\S+)$", str(caught.value))
    assert found is not None and ac.load(found[1]) == scenario
    assert [path.name for path in tmp_path.iterdir()] == [Path(found[1]).name]
