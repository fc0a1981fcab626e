"""`ackclock ns2 --safe`: a script reaches nothing outside its folder, and inside it works as without `--safe`.

Two walls stand around such a script: the filter (Tcl's safe interpreter) and the operating system's sandbox. Each
attack is tried on both together and on each alone: one mistake in one wall must not be an escape.
tests/safety/test_sandbox.py tries the sandbox with code that is no script.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tkinter
from pathlib import Path

import pytest

from ackclock.ns2.sandbox.clock import clock

SECRET = "the key under the mat"

BOTH, FILTER, SANDBOX = "", "filter-only", "sandbox-only"
WALLS = pytest.mark.parametrize("walls", [BOTH, FILTER, SANDBOX], ids=["both", "filter", "sandbox"])

#: The same as the command, which does not offer "sandbox-only".
ALONE = (
    "import sys; from ackclock.execution.limits import Limits; "
    "from ackclock.ns2.sandbox.launch import run_confined; "
    "sys.exit(run_confined(sys.argv[2:], Limits(), walls=sys.argv[1]))"
)


def command(walls: str = BOTH) -> list[str]:
    """The command line up to the script."""
    if walls == SANDBOX:
        return [sys.executable, "-P" if sys.version_info >= (3, 11) else "-I", "-c", ALONE, walls]
    return [sys.executable, "-m", "ackclock", "ns2", f"--safe={walls}" if walls else "--safe"]


def run_safe(folder: Path, script: str, *words: str, walls: str = BOTH) -> subprocess.CompletedProcess[str]:
    (folder / "x.tcl").write_text(script)
    line = [*command(walls), "x.tcl", *words]
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
    "an abbreviated format": "clock fo 0 -locale ../../secret",
    "an abbreviated format and time zone": "clock fo 0 -timezone :../secret.txt",
    "an abbreviated scan": "clock sc 1 -locale ../../secret",
    "an abbreviated addition": "clock ad 0 1 day -locale ../../secret",
    "the namespace of clock": "::tcl::clock::format 0 -locale ../../secret",
    "an encoding": "fconfigure stdout -encoding ../../../../tmp/evil",
    "a channel's encoding": "chan configure stdout -encoding ../../../../tmp/evil",
    "links in a copied folder": "file copy away own; puts [read [open own/secret.txt]]",
    "metadata": "puts [file mtime ../secret.txt]",
    "a package": "package require Tk",
    "another thread": "package require Thread; thread::create {exec ls}",
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
    "a recording of a generator's test": "[new RNG] test; close [open away/new.txt w]",
    "a folder's link": "file mkdir away/new",
    "renaming over a link": "file rename -force sub away/sub",
}


def attempts(folder: Path, ways: dict[str, str], walls: str) -> dict[str, tuple[str, str]]:
    """What comes of each, one after the other in one script: whether it is an error, and the result."""
    lines = ["set said {}"]
    for number, script in enumerate(ways.values()):
        attack = script.replace("{above}", str(folder.parent))
        lines.append(f'set code [catch {{{attack}}} said]; puts "way {number} $code [join [split $said \\n]]"')
    done = run_safe(folder, "\n".join([*lines, "exit 0"]), walls=walls)
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout + done.stderr
    told = [line.split(" ", 3) for line in done.stdout.splitlines() if line.startswith("way ")]
    assert [words[:2] for words in told] == [["way", str(number)] for number in range(len(ways))]
    return {way: (words[2], words[3] if len(words) > 3 else "") for way, words in zip(ways, told, strict=True)}


def state(folder: Path) -> dict[str, object]:
    """All that is beside the script's folder."""
    return {
        path.name: path.read_bytes() if path.is_file() else path.is_dir() for path in sorted(folder.parent.iterdir())
    }


@WALLS
def test_nothing_outside_is_read(folder: Path, walls: str) -> None:
    for way, (code, said) in attempts(folder, READS, walls).items():
        assert "internal error" not in said, (way, said)
        # Behind the sandbox alone some only find nothing (`file exists`): the next test but one looks at what they say.
        if walls != SANDBOX or way == "size":
            assert code == "1" and said, (way, said)


@WALLS
def test_nothing_outside_is_written(folder: Path, walls: str) -> None:
    before = state(folder)
    for way, (code, said) in attempts(folder, WRITES, walls).items():
        assert "internal error" not in said, (way, said)
        if walls != SANDBOX:
            assert code == "1" and said, (way, said)
    assert state(folder) == before


@WALLS
def test_the_sandbox_hides_what_is_there(folder: Path, walls: str) -> None:
    done = run_safe(folder, "puts [catch {file exists ../secret.txt} said],$said", walls=walls)
    assert done.stdout.startswith("1,") if walls != SANDBOX else done.stdout == "0,0\n"


#: Modules that the front end or Python loads late, and tools that both might.
LATE = ("re", "pathlib", "traceback", "difflib", "inspect", "json", "signal", "resource", "shutil", "typing", "ctypes")


@WALLS
def test_python_is_not_taken_from_the_folder(folder: Path, walls: str) -> None:
    for name in LATE:
        (folder / f"{name}.py").write_text(f"open({str(folder.parent / 'taken')!r}, 'a').write('{name} ')\n")
    script = "set ns [new Simulator]; puts [clock format 0 -gmt 1]; nothing here\n"
    line = (
        [str(Path(sys.executable).with_name("ackclock")), *command(walls)[3:]] if walls != SANDBOX else command(walls)
    )
    (folder / "x.tcl").write_text(script)
    for path in ("", f":{os.environ.get('PYTHONPATH', '')}"):
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            [*line, "x.tcl"], cwd=folder, capture_output=True, text=True, timeout=60, check=False, env=environment
        )
        assert done.returncode == 1 and "x.tcl:1" in done.stderr, done.stderr
        assert not (folder.parent / "taken").exists()


#: A message catalogue that Tcl's own `clock` would source in the trusted interpreter.
EVIL = "set f [open {above}/taken w]; close $f; exec touch {above}/taken\n"


@WALLS
@pytest.mark.parametrize("words", ["fo 0 -locale", "sc 1 -locale", "format 0 -locale", "form 0 -l"])
def test_clock_sources_nothing(folder: Path, walls: str, words: str) -> None:
    (folder / "evil.msg").write_text(EVIL.replace("{above}", str(folder.parent)))
    run_safe(folder, f"catch {{clock {words} ../../../../proc/self/cwd/evil}}", walls=walls)
    assert not (folder.parent / "taken").exists()


@WALLS
def test_inherited_descriptors_are_closed(folder: Path, walls: str) -> None:
    script = """
    set ns [new Simulator]
    proc file args {return file57}
    catch {$ns trace-all file57}
    set a [$ns node]; set b [$ns node]; $ns duplex-link $a $b 1Mb 1ms DropTail
    set udp [new Agent/UDP]; $ns attach-agent $a $udp; set null [new Agent/Null]; $ns attach-agent $b $null
    $ns connect $udp $null; set cbr [new Application/Traffic/CBR]; $cbr attach-agent $udp
    $ns at 0 "$cbr start"; $ns at 1 "exit 0"; $ns run
    """
    (folder / "x.tcl").write_text(script)
    outside = folder.parent / "inherited"
    with outside.open("w") as file:
        os.dup2(file.fileno(), 57)
        try:
            subprocess.run([*command(walls), "x.tcl"], cwd=folder, timeout=60, check=False, pass_fds=(57,))
        finally:
            os.close(57)
    assert outside.read_bytes() == b""


@WALLS
def test_a_message_shows_no_line_of_a_file_outside(folder: Path, walls: str) -> None:
    (folder.parent / "secret.tcl").write_text("proc f {} {\n  hidden\n}\n")
    script = """
    set ::otcl::sourced [list ../secret.tcl]
    error boom "boom\n    (procedure \\"f\\" line 2)"
    """
    done = run_safe(folder, script, walls=walls)
    assert done.returncode == 1 and "secret.tcl:" not in done.stderr


def test_a_pipe_that_an_error_names_is_not_read(folder: Path) -> None:
    os.mkfifo(folder / "pipe.tcl")
    script = """
    set ::otcl::sourced pipe.tcl
    error boom "boom\n    (procedure \\"f\\" line 2)"
    """
    done = run_safe(folder, script)
    assert done.returncode == 1 and "boom" in done.stderr


@WALLS
def test_no_file_gets_a_special_mode(folder: Path, walls: str) -> None:
    run_safe(folder, "catch {close [open own w 06777]}; catch {file mkdir d}; exit 0", walls=walls)
    assert not any(path.stat().st_mode & 0o7000 for path in folder.iterdir() if not path.is_symlink())


def test_a_pipe_is_no_regular_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    done = run_safe(folder, "open pipe r")
    assert done.returncode == 1 and '"pipe" is not a regular file' in done.stderr


def test_filter_only_is_the_one_other_word(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ackclock", "ns2", "--safe=half", "x.tcl"], cwd=folder, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (2, "ackclock: --safe=half: expected --safe or --safe=filter-only\n")


@pytest.mark.parametrize("letter", "aAbBcCdDegGhHIjJklmMnNpPrRsStTuUVwWxXyYzZ+%")
def test_clock_is_tcl_s(letter: str) -> None:
    tcl = tkinter.Tcl()
    alternatives = "" if letter == "%" else f"%E{letter}%O{letter}"
    for at_s in (0, 86399, 951782400, 1234567890, 1709164800, 1735603200, 4102444799, -1, -86400 * 366):
        for gmt in ("0", "1"):
            words = ("format", str(at_s), "-format", f"<%{letter}>{alternatives}", "-gmt", gmt)
            assert clock(*words) == str(tcl.call("clock", *words)), words
    assert clock("format", "0", "-gmt", "yes") == str(tcl.call("clock", "format", "0", "-gmt", "yes"))


@WALLS
def test_there_is_no_network(folder: Path, walls: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        done = run_safe(folder, f"socket 127.0.0.1 {listener.getsockname()[1]}", walls=walls)
        with pytest.raises(TimeoutError):
            listener.accept()
    assert done.returncode == 1 and ("may not use socket" in done.stderr) == (walls != SANDBOX)


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
    assert done.stdout.splitlines()[:4] == ["8,8,own.txt", "42,1,0", "0,file3 stderr stdout", "1970,."]
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


@WALLS
def test_a_message_shows_what_is_hidden_in_a_name(folder: Path, walls: str) -> None:
    done = run_safe(folder, 'error "no \\u202e where \\u0001"', walls=walls)
    assert done.returncode == 1 and done.stderr == "ackclock: x.tcl:1: no \\u202e where \\x01\n"


def test_an_error_names_its_line(folder: Path) -> None:
    done = run_safe(folder, "set a 1\nproc f {} {\n  set b 1\n  nothing here\n}\nf\n")
    assert done.returncode == 1 and done.stderr == 'ackclock: x.tcl:4: invalid command name "nothing"\n'
