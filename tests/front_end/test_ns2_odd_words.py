"""Every method of every class of the ns-2 front end, called with words that make no sense: what a script's author reads
is about the script, never an exception of ours, and the run goes on.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ackclock.ns2 import library
from ackclock.ns2.bindings.tcl_object import REGISTRY, TclObject, methods_of

#: A network with something of most kinds in it.
NETWORK = """
set ns [new Simulator]
set file [open out.tr w]
foreach name {a b c} { set $name [$ns node] }
$ns duplex-link $a $b 1Mb 1ms DropTail
$ns duplex-link $b $c 1Mb 1ms RED
set link [$ns link $a $b]
set queue [$link queue]
set red [[$ns link $b $c] queue]
set sender [new Agent/TCP/Reno]
set sink [new Agent/TCPSink]
$ns attach-agent $a $sender
$ns attach-agent $c $sink
$ns connect $sender $sink
set ftp [new Application/FTP]
$ftp attach-agent $sender
set udp [new Agent/UDP]
$ns attach-agent $b $udp
set monitor [$ns monitor-queue $a $b $file]
set flows [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $b $c] $flows
set rng [new RNG]
set variable [new RandomVariable/Uniform]
set errors [new ErrorModel]
set samples [new Samples]
set bucket [new TBF]
set null [new Agent/Null]
$ns at 0.1 "$ftp start"
"""
NAMES = [line.split()[1] for line in NETWORK.splitlines() if line.startswith("set ")] + ["a", "b", "c"]
WORDS = [
    *(f"${name}" for name in NAMES),
    *("0", "1", "2", "-1", "1.5", "99999999999", "1e300", "nan", "{}", "{x y}", "0:1", "foo", "_o5", "-", "{\\u00e9}"),
    *("1Mb", "10ms", "DropTail", "Fid", "ON", "all", "cwnd_", "pkt", "Static", "up", "right", "out.tr", "Drop"),
]
#: Those that end the script, wait for the clock, or compute for long whatever they are given.
LEFT_OUT = {"run", "halt", "exit", "test", "at"}
#: In ns-2, too, a word that is no time or no rate ends the script here: "error: bw_parse: unknown unit".
ENDS_AT_ODD_WORDS = (" delay_parse ", " bw_parse ")
#: Objects that a script has from elsewhere than `new`.
MADE_OTHERWISE = {"Simulator": "$ns", "Node": "$a", "SimpleLink": "$link"}
#: Calls in one script, every second of which runs while the clock does.
TOGETHER = 500


def calls(chance: random.Random) -> Iterator[str]:
    """Each method of each class with some words, of none to five."""
    library.load_all()
    for name, cls in sorted(REGISTRY.items()):
        own = [base for base in cls.__mro__ if issubclass(base, TclObject)]
        for method in sorted({"set", "cmd", *(word for base in own for word in methods_of(base))} - LEFT_OUT):
            for count in range(6):
                words = " ".join(chance.choice(WORDS) for _ in range(count))
                yield f"{MADE_OTHERWISE.get(name, f'[new {name}]')} {method} {words}"


def script(lines: list[str], *, runs: bool) -> str:
    """A script that makes these calls, and tells which of them end in an error of ours."""
    tried = [
        f"if {{[catch {{{line}}} said] && [string match {{*internal error*}} $said]}} {{puts stderr {{!! {line}}}; "
        'puts stderr "!! [lindex [split $said \\n] 0]"}'
        for line in lines
    ]
    body = "\n".join(tried)
    rest = f"proc later {{}} {{ uplevel #0 {{\n{body}\nputs stderr done; exit 0 }} }}\n$ns at 0.5 later\n$ns run\n"
    return f"{NETWORK}{rest if runs else body}\nputs stderr done\nexit 0\n"


def test_a_word_is_warned_of_once(tmp_path: Path) -> None:
    lines = [
        "set ns [new Simulator]",
        "set queue [new Integrator]",
        "foreach i {1 2 3} { $queue newpoint foo 1; $queue newpoint bar 1; $queue newpoint $i 1 }",
        "set table [new Classifier/Addr]",
        f"foreach i {{1 2}} {{ $table install {'7' * 5000} $queue }}",
        "foreach i {1 2} { $table install -2147483648 $queue }",
    ]
    (tmp_path / "x.tcl").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "ackclock", "ns2", "x.tcl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    words = [line.split('"')[1] for line in done.stderr.splitlines()]
    assert (words, done.returncode) == (["foo", "bar", "7" * 60 + "..."], 0), done.stderr


@pytest.mark.parametrize("seed", [1, 2])
def test_odd_words_are_answered_in_words(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    lines = list(calls(chance))
    chance.shuffle(lines)
    lines = [line for line in lines if not any(word in line for word in ENDS_AT_ODD_WORDS)]
    wrong: list[str] = []
    for begin in range(0, len(lines), TOGETHER):
        runs = begin // TOGETHER % 2 == 1
        (tmp_path / "x.tcl").write_text(script(lines[begin : begin + TOGETHER], runs=runs), encoding="utf-8")
        command = [sys.executable, "-m", "ackclock", "ns2", "--safe", "x.tcl"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        wrong += [line for line in done.stderr.splitlines() if line.startswith("!!")]
        # A sender's window may be none by now; who set it so is told at the end.
        if "done" not in done.stderr or done.returncode not in (0, 1) or "Traceback" in done.stderr:
            wrong.append(f"from call {begin} on (seed {seed}): status {done.returncode}: {done.stderr[-500:]}")
    assert not wrong, "\n".join(wrong)
