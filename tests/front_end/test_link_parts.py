"""Links whose parts a script connects: where ns-2 crashes or goes on without end, one line says why."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NETWORK = """
set ns [new Simulator]
set n0 [$ns node]
set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms DropTail
$ns queue-limit $n0 $n1 2
set link [$ns link $n0 $n1]
set udp [new Agent/UDP]
$ns attach-agent $n0 $udp
set null [new Agent/Null]
$ns attach-agent $n1 $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 500
$cbr set interval_ 0.002
$cbr attach-agent $udp
$ns at 0.1 "$cbr start"
$ns at 1.0 "exit 0"
proc put {part before} { $part target [$before target]; $before target $part }
proc errors {} { set model [new ErrorModel]; $model set rate_ 1.0; $model ranvar [new RandomVariable/Uniform]
    return $model }
"""

CIRCLE = "a packet goes round in a circle of connectors; ns-2 goes on without end"
NESTED = "queues drop a packet to one another without end; ns-2 crashes there"
ENDLESS = {
    "two error models": (
        "set a [errors]; set b [errors]; put $a [$link head]; put $b [$link head]\n"
        "$a drop-target $b; $b drop-target $a",
        CIRCLE,
    ),
    "a hop limit": (
        "$udp set ttl_ 1; set a [new TTLChecker]; put $a [$link head]; $a drop-target $a",
        CIRCLE,
    ),
    "a closed gate": (
        "set a [new DynamicLink]; put $a [$link head]; $a drop-target $a; $a set status_ 0",
        CIRCLE,
    ),
    "a queue": ("[$link queue] drop-target [$link queue]", NESTED),
    "a queue and the head of its link": ("[$link queue] drop-target [$link head]", NESTED),
    "a queue and its node": ("[$link queue] drop-target [$n0 entry]", NESTED),
}

CRASHES = {
    "an error module without target": (
        "set m [new ErrorModule Fid]; $m default pass; [$link queue] target $m",
        "a ErrorModule without a target gets a packet; ns-2 crashes there",
    ),
    "an error module without drop-target": (
        "set m [new ErrorModule Fid]; set a [errors]; $m insert $a; $m bind $a 0; put $m [$link queue]",
        "an ErrorModule without a drop-target drops a packet; ns-2 crashes there",
    ),
    "a model that delays, without target": (
        "set a [errors]; $a set delay_pkt_ true; [$link queue] target $a",
        "an error model that delays packets has no target; ns-2 ends there",
    ),
    "a connector without target": (
        "[$link queue] target [new Connector]",
        "a Connector without a target gets a packet; ns-2 crashes there",
    ),
}


def _run(program: list[str], script: str, folder: Path, time_s: int) -> subprocess.CompletedProcess[str]:
    (folder / "s.tcl").write_text(script, encoding="utf-8")
    command = ["bash", "-c", f'ulimit -t {time_s} -c 0; exec "$@"', "bash", *program, "s.tcl"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def ours(script: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return _run([sys.executable, *options, "-m", "ackclock", "ns2"], script, folder, 20)


def theirs(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return _run(["ns"], script, folder, 1)


@pytest.mark.parametrize("case", [*ENDLESS, *CRASHES])
def test_a_script_that_ns2_does_not_survive_ends_with_its_reason(case: str, tmp_path: Path) -> None:
    lines, expected = (ENDLESS | CRASHES)[case]
    script = f"{NETWORK}{lines}\n$ns run\n"
    done = ours(script, tmp_path)
    last = script.count("\n")
    assert (done.returncode, done.stderr) == (1, f"ackclock: s.tcl:{last}: {expected}\n")


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
@pytest.mark.parametrize("case", [*ENDLESS, *CRASHES])
def test_ns2_does_not_survive_it(case: str, tmp_path: Path) -> None:
    lines, _ = (ENDLESS | CRASHES)[case]
    done = theirs(f"{NETWORK}{lines}\n$ns run\n", tmp_path)
    if case.startswith("a model that delays"):
        assert done.returncode == 1 and "NULL handler" in done.stderr
    else:
        assert done.returncode < 0


def test_parts_before_the_first_node(tmp_path: Path) -> None:
    script = "set ns [new Simulator]\nset q [new Queue/DropTail]\n$q target [new DelayLink]\n"
    done = ours(script, tmp_path)
    expected = "Queue/DropTail _o10: ackclock connects parts of links once there is a node; make the first node before"
    assert (done.returncode, done.stderr) == (1, f"ackclock: s.tcl:3: {expected}\n")


#: A link whose class does not call the library's `init`. ns-2 takes all of these calls.
OWN_LINK = """
set ns [new Simulator]
set n0 [$ns node]
set n1 [$ns node]
Class Mine -superclass SimpleLink
Mine instproc init {source target} {
    $self instvar fromNode_ toNode_ head_ queue_ link_ ttl_ drophead_
    set fromNode_ $source
    set toNode_ $target
    foreach {name class} {head_ Connector queue_ Queue/DropTail link_ DelayLink ttl_ TTLChecker drophead_ Connector} {
        set $name [new $class]
    }
    $drophead_ target [[Simulator instance] set nullAgent_]
    $head_ target $queue_
    $queue_ target $link_
    $queue_ drop-target $drophead_
    $link_ target $ttl_
    $ttl_ target [$target entry]
    $ttl_ drop-target $drophead_
}
set link [new Mine $n0 $n1]
puts [catch {$link trace $ns [open x.tr w]} said]$said
puts [catch {$link errormodule [new ErrorModel]} said]$said
puts [catch {$link dynamic} said]$said
puts [catch {$link up} said]$said
$ns set link_(0:1) $link
set udp [new Agent/UDP]
$ns attach-agent $n0 $udp
set sink [new Agent/LossMonitor]
$ns attach-agent $n1 $sink
$ns connect $udp $sink
set cbr [new Application/Traffic/CBR]
$cbr set maxpkts_ 5
$cbr attach-agent $udp
$ns at 0.1 "$cbr start"
$ns at 1.0 {puts [$sink set npkts_]; exit 0}
$ns run
"""


def test_a_link_of_a_class_that_makes_its_parts_itself(tmp_path: Path) -> None:
    done = ours(OWN_LINK, tmp_path)
    assert (done.stdout.split(), done.stderr, done.returncode) == ([*["0"] * 4, "5"], "", 0)


@pytest.mark.parametrize("options", [(), ("-O",)])
def test_packets_are_routed_over_such_a_link(options: tuple[str, ...], tmp_path: Path) -> None:
    lines = [line for line in OWN_LINK.splitlines() if not line.startswith("puts [catch")]
    done = ours("\n".join(lines), tmp_path, *options)
    assert (done.stdout.split(), done.stderr, done.returncode) == (["5"], "", 0)


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
def test_ns2_takes_a_link_of_such_a_class(tmp_path: Path) -> None:
    assert theirs(OWN_LINK, tmp_path).stdout.split() == [*["0"] * 4, "5"]
