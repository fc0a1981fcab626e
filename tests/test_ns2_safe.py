"""`ackclock ns2 --safe`: a script gets at nothing outside its folder, and what it may do it does as ever."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

SECRET = "the key under the mat"


def run_safe(folder: Path, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "x.tcl").write_text(script)
    line = [sys.executable, "-m", "ackclock", "ns2", "--safe", "x.tcl", *words]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a secret beside it, and a link to that in it."""
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "secret.tcl").write_text(f'puts "{SECRET}"\n')
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "in" / "away").symlink_to(tmp_path)
    return tmp_path / "in"


#: Ways out: a script, and what the refusal says.
READS = {
    "absolute": "puts [read [open {above}/secret.txt]]",
    "dotted": "puts [read [open sub/../../secret.txt]]",
    "a link": "puts [read [open link.txt]]",
    "a linked folder": "puts [read [open away/secret.txt]]",
    "home": "puts [read [open ~/.profile]]",
    "devices": "puts [read [open /dev/stdin]]",
    "this process": "puts [read [open /proc/self/environ]]",
    "source": "source ../secret.tcl",
    "source under its first name": "::otcl::source ../secret.tcl",
    "source with an encoding": "source -encoding utf-8 ../secret.tcl",
    "size": "puts [file size ../secret.txt]",
    "whether it is there": "puts [file exists ../secret.txt]",
    "a copy": "file copy ../secret.txt own.txt; puts [read [open own.txt]]",
    "a copy of a link": "file copy link.txt own.txt; puts [read [open own.txt]]",
    "a link of its own": "file link -symbolic own.txt ../secret.txt; puts [read [open own.txt]]",
    "a listing": "puts [glob ../*]",
    "another folder": "cd ..; puts [read [open secret.txt]]",
    "a pipe": 'puts [read [open "|cat ../secret.txt"]]',
    "a program": "puts [exec cat ../secret.txt]",
    "a program after a viewer": "exec nam x | cat ../secret.txt",
    "a library": "load ../secret.so",
    "a random variable's table": "[new RandomVariable/Empirical] loadCDF ../secret.txt",
    "a trace of traffic": "[new Tracefile] filename ../secret.txt",
    "a hidden command": "puts [interp invokehidden {} open ../secret.txt]",
    "an exposed command": "interp expose {} open; puts [read [open ../secret.txt]]",
    "a trusted interpreter": "interp create free; puts [free eval {read [open ../secret.txt]}]",
    "a marked interpreter": "interp create free; interp marktrusted free",
    "a locale": "clock format 0 -locale ../../secret",
    "a time zone": "clock format 0 -timezone :../secret.txt",
    "the namespace of hidden commands": "puts [::tcl::file::size ../secret.txt]",
    "a hidden part of file": "puts [tcl:file:size ../secret.txt]",
}
WRITES = {
    "absolute": "open {above}/new.txt w",
    "dotted": "open ../new.txt w",
    "through a link": "open away/new.txt w",
    "over the secret": "puts [open link.txt w] gone",
    "a folder": "file mkdir ../new",
    "deleting": "file delete ../secret.txt",
    "deleting by force": "file delete -force -- ../secret.txt",
    "deleting the folder": "file delete -force .",
    "moving": "file rename x.tcl ../new.tcl",
    "rights": "file attributes ../secret.txt -permissions 0777",
    "a temporary file": "file tempfile name ../new",
    "web traffic's own file": "[new PackMimeHTTP] set-outfile ../new.txt",
    "a program": "exec touch ../new.txt",
    "a pipe": 'open "|touch ../new.txt" w',
}


def attempts(folder: Path, ways: dict[str, str]) -> dict[str, tuple[str, str]]:
    """What comes of each, one after the other in one script: whether it is an error, and the result."""
    lines = ["set said {}"]
    for number, script in enumerate(ways.values()):
        attack = script.replace("{above}", str(folder.parent))
        lines.append(f'set code [catch {{{attack}}} said]; puts "way {number} $code [join [split $said \\n]]"')
    done = run_safe(folder, "\n".join([*lines, "exit 0"]))
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout + done.stderr
    told = [line.split(" ", 3) for line in done.stdout.splitlines()]
    assert [words[:2] for words in told] == [["way", str(number)] for number in range(len(ways))]
    return {way: (words[2], words[3]) for way, words in zip(ways, told, strict=True)}


def test_nothing_outside_is_read(folder: Path) -> None:
    for way, (code, said) in attempts(folder, READS).items():
        assert code == "1" and said and "internal error" not in said, (way, said)


def test_nothing_outside_is_written(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.parent.iterdir() if path.is_file()}
    for way, (code, said) in attempts(folder, WRITES).items():
        assert code == "1" and said and "internal error" not in said, (way, said)
    assert {path: path.read_bytes() for path in folder.parent.iterdir() if path.is_file()} == before
    assert {path.name for path in folder.parent.iterdir()} == {"secret.txt", "secret.tcl", "in"} and folder.is_dir()


def test_there_is_no_network(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        done = run_safe(folder, f"socket 127.0.0.1 {listener.getsockname()[1]}")
        with pytest.raises(TimeoutError):
            listener.accept()
    assert done.returncode == 1 and "may not use socket" in done.stderr


def test_the_environment_is_not_told(folder: Path) -> None:
    done = run_safe(folder, "puts [array get env]; puts [catch {set env(PATH)}]; puts [info exists tcl_platform(user)]")
    assert done.stdout.split() == ["1", "0"]


def test_catch_does_not_open_the_way(folder: Path) -> None:
    done = run_safe(folder, "catch {open ../secret.txt} said; puts $said; puts [catch {exec ls}]")
    assert done.returncode == 0
    assert '"../secret.txt" is not in the folder' in done.stdout and done.stdout.endswith("\n1\n")


def test_files_of_the_folder_are_the_script_s(folder: Path) -> None:
    script = """
    set f [open sub/own.txt w]
    fconfigure $f -buffering line
    puts $f "one\\ntwo"
    close $f
    puts [string length [read [open sub/own.txt]]],[file size sub/own.txt],[file tail sub/own.txt]
    file mkdir new/er
    file copy sub/own.txt new/er/copy.txt
    file rename new/er/copy.txt new/moved.txt
    set g [open new/part.tcl w]; puts $g {proc double x { expr {2 * $x} }}; close $g
    source new/part.tcl
    puts [double 21],[file exists new/moved.txt],[file exists new/er/copy.txt]
    file delete -force new
    puts [file isdirectory new],[lsort [file channels]]
    puts [clock format 0 -format %Y -gmt 1],[pwd]
    exec nam out.nam &
    puts $argv
    exit 3
    """
    done = run_safe(folder, script, "a", "b c")
    assert done.stdout.splitlines()[:4] == ["8,8,own.txt", "42,1,0", "0,file5 stderr stdout", "1970,."]
    assert done.stdout.splitlines()[4:] == ["a {b c}"] and done.returncode == 3
    assert "not started, it is a viewer: nam out.nam &" in done.stderr
    assert not (folder / "new").exists()


SIMULATION = """
set ns [new Simulator]
set f [open out.tr w]; $ns trace-all $f
set nf [open out.nam w]; $ns namtrace-all $nf
set n0 [$ns node]; set n1 [$ns node]
$ns duplex-link $n0 $n1 1Mb 10ms RED
set tcp [new Agent/TCP/Sack1]; set sink [new Agent/TCPSink/Sack1]
$ns attach-agent $n0 $tcp; $ns attach-agent $n1 $sink; $ns connect $tcp $sink
set ftp [new Application/FTP]; $ftp attach-agent $tcp
$tcp trace cwnd_; $tcp attach $f
proc record {} {
    global ns tcp f
    puts $f "# [format %.6f [$ns now]] [$tcp set cwnd_]"
    $ns at [expr [$ns now] + 0.1] record
}
Class My -superclass Agent/TCP
My instproc init args { eval $self next $args; $self set window_ 5 }
puts [[new My] set window_]
$ns at 0.1 "$ftp start"; $ns at 0.2 record
proc finish {} { global ns f nf; $ns flush-trace; close $f; close $nf; puts "done [$ns now]"; exit 0 }
$ns at 5.0 finish
$ns run
"""


def test_a_simulation_is_the_same(folder: Path) -> None:
    safe = run_safe(folder, SIMULATION)
    (folder / "free").mkdir()
    (folder / "free" / "x.tcl").write_text(SIMULATION)
    line = [sys.executable, "-m", "ackclock", "ns2", "x.tcl"]
    free = subprocess.run(line, cwd=folder / "free", capture_output=True, text=True, timeout=60, check=True)
    assert (safe.returncode, safe.stdout, safe.stderr) == (0, free.stdout, "") and "done 5" in free.stdout
    for name in ("out.tr", "out.nam"):
        assert (folder / name).read_bytes() == (folder / "free" / name).read_bytes() != b""


def test_an_error_names_its_line(folder: Path) -> None:
    done = run_safe(folder, "set a 1\nproc f {} {\n  set b 1\n  nothing here\n}\nf\n")
    assert done.returncode == 1 and done.stderr == 'ackclock: x.tcl:4: invalid command name "nothing"\n'
