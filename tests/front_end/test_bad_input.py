"""What goes wrong is said once and clearly, with the script's line; what was traced is kept."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from running import TIMEOUT_S

NETWORK = """\
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
set tcp [new Agent/TCP]
set sink [new Agent/TCPSink]
$ns attach-agent $a $tcp
$ns attach-agent $b $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.0 "$ftp start"
"""
LINES = NETWORK.count("\n")


@dataclass(frozen=True)
class Bad:
    """A script that must fail, and what the message must speak of."""

    id: str
    script: str
    #: Words of which the message has at least one.
    says: tuple[str, ...]
    #: The script's line that is at fault, where there is one.
    line: int | None = None


BAD = [
    Bad("does not parse", 'set ns [new Simulator]\nputs "no end\n', ("missing", "quote"), 2),
    Bad("open brace", "set ns [new Simulator]\nproc finish {} {\n puts x\n", ("brace",), 2),
    Bad("unknown command", "set ns [new Simulator]\n\nfrobnicate 3\n", ("frobnicate",), 3),
    Bad("unknown class", NETWORK + "set t [new Agent/TCP/Nonesuch]\n", ("Nonesuch",), LINES + 1),
    Bad(
        "class below a misspelt one",
        NETWORK + "Class Mine -superclass Agent/TCP/Newrno\n",
        ("nearest known: Agent/TCP/Newreno",),
        LINES + 1,
    ),
    Bad("unknown method", NETWORK + "$ns frobnicate $a\n", ("frobnicate",), LINES + 1),
    Bad("unknown method of an agent", NETWORK + "$tcp frob 1\n", ("frob",), LINES + 1),
    Bad("unknown queue", NETWORK + "$ns duplex-link $a $b 1Mb 1ms Nonesuch\n", ("Nonesuch",)),
    Bad("no such variable", NETWORK + "puts [$tcp set nonesuch_]\n", ("nonesuch_",), LINES + 1),
    Bad("command in C++", NETWORK + "[new ErrorModel] FECstrength 3\n", ("ns-2 has", "FECstrength"), LINES + 1),
    Bad(
        "nan for a number",
        NETWORK + "$tcp set window_ nan\n",
        ("window_", "nan"),
        LINES + 1,
    ),
    Bad(
        "link to no node",
        NETWORK + "$ns duplex-link $a nowhere 1Mb 10ms DropTail\n",
        ("nowhere",),
        LINES + 1,
    ),
    Bad(
        "negative delay",
        NETWORK + "$ns duplex-link $a $b 1Mb -5ms DropTail\n",
        ("delay", "-5ms"),
        LINES + 1,
    ),
    Bad(
        "zero bandwidth",
        NETWORK + "$ns duplex-link $a $b 0Mb 5ms DropTail\n",
        ("bandwidth", "0Mb"),
        LINES + 1,
    ),
    Bad(
        "trace file that cannot be opened",
        "set ns [new Simulator]\nset f [open no/such/dir/out.tr w]\n",
        ("no/such/dir/out.tr",),
        2,
    ),
    Bad("event that fails", NETWORK + '$ns at 0.5 "frobnicate"\n$ns run\n', ("frobnicate",), LINES + 1),
    Bad(
        "event in a procedure",
        NETWORK + 'proc stop {} {\n    frobnicate\n}\n$ns at 0.5 "stop"\n$ns run\n',
        ("frobnicate",),
    ),
    Bad(
        "no route",
        NETWORK + "set far [$ns node]\nset udp [new Agent/UDP]\n$ns attach-agent $a $udp\nset null [new Agent/Null]\n"
        '$ns attach-agent $far $null\n$ns connect $udp $null\n$ns at 0.5 "$udp send 100"\n$ns run\n',
        ("no route",),
    ),
    Bad(
        "a divisor of 0",
        NETWORK + "$ns simplex-link $a $b 1Mb 1ms RED\n[[$ns link $a $b] queue] set linterm_ 0\n$ns run\n",
        ("linterm_",),
    ),
    Bad("a node's table", NETWORK + "[$a entry] install 1 [$b entry]\n", ("of node 0",), LINES + 1),
]

RED = "$ns simplex-link $a $b 1Mb 9ms RED\nset q [[$ns link $a $b] queue]\n"
LOSSES = "set e [new {}]\n$e drop-target [new Agent/Null]\n$ns lossmodel $e $a $b\n"
UNIFORM = LOSSES.format("ErrorModel") + "$e ranvar [new RandomVariable/Uniform]\n"

#: scripts with which ns-2 goes on: a word on stderr, and ns-2's own stdout and files
DOUBTFUL = [
    Bad("thresholds below a packet", RED + "$q set thresh_ 5\n$q set maxthresh_ 0.6\n", ("maxthresh_ 0.6",)),
    Bad("marking above 1", RED + "$q set setbit_ true\n$q set mark_p_ 3\n", ("mark_p_ 3",)),
    Bad("rate above 1", UNIFORM + "$e set rate_ 1.5\n", ("rate_ 1.5",)),
    Bad("rate below 0", UNIFORM + "$e set rate_ -0.5\n", ("rate_ -0.5",)),
    Bad("no random variable", LOSSES.format("ErrorModel") + "$e set rate_ 0.1\n", ("random variable",)),
    Bad("seed", "ns-random many\n", ("seed many",)),
]


def run(program: list[str], directory: Path, text: str) -> subprocess.CompletedProcess[str]:
    script = directory / "bad.tcl"
    script.write_text(text)
    return subprocess.run(
        [*program, str(script)],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def assert_one_clear_message(stderr: str) -> None:
    assert stderr.strip(), "nothing on stderr"
    assert "Traceback" not in stderr, stderr
    assert len(stderr.strip().splitlines()) <= 3, stderr


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.id)
def test_bad_script(bad: Bad, program: list[str], tmp_path: Path) -> None:
    done = run(program, tmp_path, bad.script)
    assert done.returncode != 0
    assert_one_clear_message(done.stderr)
    assert any(word in done.stderr for word in bad.says), done.stderr
    if bad.line is not None:
        assert re.search(rf"bad\.tcl\D+{bad.line}\b|line {bad.line}\b", done.stderr), done.stderr


@pytest.mark.parametrize("doubtful", DOUBTFUL, ids=lambda bad: bad.id)
def test_doubtful_script(doubtful: Bad, program: list[str], ns: str, tmp_path: Path) -> None:
    text = NETWORK + doubtful.script + '$ns at 2.0 "$ns flush-trace; puts done; exit 0"\n$ns run\n'
    left = []
    for name, which in (("ours", program), ("theirs", [ns])):
        (tmp_path / name).mkdir()
        done = run(which, tmp_path / name, text)
        assert done.returncode == 0, done.stderr
        left.append((done.stdout, (tmp_path / name / "out.tr").read_bytes()))
        if name == "ours":
            assert "warning" in done.stderr
            assert_one_clear_message(done.stderr)
            assert any(word in done.stderr for word in doubtful.says), done.stderr
    assert left[0] == left[1]
    assert left[0][1], "nothing was traced"


def test_a_script_without_exit_ends_when_nothing_moves(program: list[str], tmp_path: Path) -> None:
    # An idle sender sets its retransmission timer again and again, in ns-2.35 too, which never ends or ends by SIGFPE.
    # A command that is still to come is waited for, however late it is.
    stop = '$ns at 1.0 "$ftp stop"\n$ns at 3e6 "puts late"\n$ns run\nputs [expr {[$ns now] < 1e7}]\n'
    done = run(program, tmp_path, NETWORK + stop)
    assert (done.returncode, done.stdout) == (0, "late\n1\n"), done.stderr
    assert "for a million seconds no packet was sent" in done.stderr and "`exit 0`" in done.stderr
    assert_one_clear_message(done.stderr)


def test_no_such_script(program: list[str], tmp_path: Path) -> None:
    done = subprocess.run([*program, "nonesuch.tcl"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert_one_clear_message(done.stderr)
    assert "nonesuch.tcl" in done.stderr


def test_what_was_traced_before_an_error_is_kept(program: list[str], tmp_path: Path) -> None:
    done = run(program, tmp_path, NETWORK + '$ns at 1.0 "frobnicate"\n$ns run\n')
    assert done.returncode != 0
    lines = (tmp_path / "out.tr").read_text().splitlines(keepends=True)
    assert lines[-1].endswith("\n")
    assert float(lines[-1].split()[1]) > 0.9


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("close", [True, False], ids=["closed by the script", "left open"])
def test_full_disk(close: bool, program: list[str], tmp_path: Path) -> None:
    finish = "$ns flush-trace; close $trace; exit 0" if close else "exit 0"
    text = NETWORK.replace("open out.tr", "open /dev/full")
    done = run(program, tmp_path, f'{text}$ns at 5.0 "{finish}"\n$ns run\n')
    assert done.returncode != 0, "a trace was lost in silence"
    assert_one_clear_message(done.stderr)
    assert re.search(r"/dev/full|[Nn]o space left", done.stderr), done.stderr


@pytest.mark.serial
@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent as on POSIX systems")
def test_interrupt(program: list[str], tmp_path: Path) -> None:
    script = tmp_path / "long.tcl"
    script.write_text(NETWORK + '$ns at 1e6 "exit 0"\nputs running\nflush stdout\n$ns run\n')
    with subprocess.Popen(
        [*program, str(script)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            _, stderr = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail("the run did not stop at SIGINT")
    assert process.returncode != 0
    assert_one_clear_message(stderr)
    trace = (tmp_path / "out.tr").read_bytes()
    assert trace.endswith(b"\n"), "what was traced is cut or lost"
