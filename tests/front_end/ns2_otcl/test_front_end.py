"""What is around a script: arguments, exit status, errors, programs, shared files, Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

STAND_IN = Path(__file__).parent / "stand_in.py"


class Run:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, script: str, *args: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        words = [] if stdin is not None else ["s.tcl", *args]
        (self.folder / "s.tcl").write_text(script, encoding="utf-8")
        return subprocess.run(
            [sys.executable, str(STAND_IN), *words],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_arguments(run: Run) -> None:
    done = run('puts "$argv0|$argv|$argc|[info script]"', "a", "b c")
    assert (done.stdout, done.stderr, done.returncode) == ("s.tcl|a {b c}|2|s.tcl\n", "", 0)


def test_standard_input(run: Run) -> None:
    done = run("", stdin="puts hi; exit 3\nputs never")
    assert (done.stdout, done.returncode) == ("hi\n", 3)


def test_exit_goes_through_catch_and_keeps_what_was_written(run: Run) -> None:
    script = 'set f [open o w]; puts $f kept; proc p {} { catch { exit 7 }; puts "not reached" }; p'
    done = run(script + '\nputs "nor this"')
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 7)
    assert (run.folder / "o").read_text() == "kept\n"


@pytest.mark.parametrize("name", ["close", "file", "set", "flush", "foreach", "lappend"])
def test_what_was_written_is_kept_though_a_command_of_tcl_is_the_scripts(run: Run, name: str) -> None:
    # ns-2 2.35 closes files in C: each of these ends there with status 0, or 1 after the error, and `kept` in the file.
    write = "set f [open o w]\nputs $f kept\n"
    done = run(f"{write}proc {name} args {{}}\n")
    assert (done.stderr, done.returncode) == ("", 0)
    assert (run.folder / "o").read_text() == "kept\n"
    done = run(f"{write}proc {name} args {{}}\nerror bad\n")
    assert "bad" in done.stderr and "Traceback" not in done.stderr and done.returncode == 1
    assert (run.folder / "o").read_text() == "kept\n"


def test_missing_script(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(STAND_IN), "none.tcl"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == ('ackclock: couldn\'t read file "none.tcl": no such file or directory\n')


ERRORS = {
    "plain": ("set a 1\nputs $b\n", 's.tcl:2: can\'t read "b": no such variable'),
    "in a proc": ("proc f {} {\n  set a 1\n  error bad\n}\n\nf\n", "s.tcl:3: bad"),
    "in a loop": ("foreach x {1 2} {\n  set a 1\n  nosuch\n}\n", 's.tcl:3: invalid command name "nosuch"'),
    "in a method": (
        "Class A\nA instproc go {} {\n\n  error bad\n}\nA a\na go\n",
        "s.tcl:4: bad",
    ),
    "arguments of a method": (
        "Class A\nA instproc go {x} {}\nA instproc go {x y} { puts hi }\nA a\n\na go 1\n",
        's.tcl:6: wrong # args: should be "a go x y"',
    ),
    "no such method": ("Object o\no zork", "s.tcl:2: o: unable to dispatch method zork"),
    "no such class": (
        "new Agent/TCP/Remo",
        's.tcl:1: class Agent/TCP/Remo: constructor failed: invalid command name "Agent/TCP/Remo": '
        'no such class "Agent/TCP/Remo"; nearest known: Agent/TCP/Reno',
    ),
    "not yet": (
        "set t [new Agent/TFRC]",
        "s.tcl:1: class Agent/TFRC: constructor failed: ns-2 has Agent/TFRC; ackclock does not have it yet",
    ),
    "not yet, as a superclass": (
        "Class T -superclass Agent/TFRC\nnew T",
        "s.tcl:2: class T: constructor failed: ns-2 has Agent/TFRC; ackclock does not have it yet",
    ),
    "nan": (
        "set t [new Agent/TCP]\n$t set window_ nan",
        's.tcl:2: Agent/TCP _o3: window_ needs a number, not "nan"',
    ),
    "nan, by instvar": (
        "Agent/TCP instproc f {} {\n  $self instvar window_\n  set window_ nan\n}\n[new Agent/TCP] f",
        's.tcl:3: can\'t set "window_": Agent/TCP _o3: window_ needs a number, not "nan"',
    ),
    "method of the library": (
        "set ns [new Simulator]\n$ns trace-al x",
        's.tcl:2: Simulator _o3: ackclock has no method "trace-al"; nearest known: trace-all',
    ),
    "method of ns-2": (
        "set ns [new Simulator]\n$ns make-lan x",
        's.tcl:2: Simulator _o3: ns-2 has the method "make-lan"; ackclock does not have it yet',
    ),
    "command of ns-2": (
        "create-god 5",
        's.tcl:1: invalid command name "create-god": ns-2 has this command; ackclock does not have it yet',
    ),
    "arguments of the library": (
        "set ns [new Simulator]\n$ns trace-all",
        's.tcl:2: wrong # args: should be "_o3 trace-all channel"',
    ),
    "in an event": (
        'proc finish {} {\n  puts $nosuch\n}\nset ns [new Simulator]\ncatch {$ns event 1.5 "finish"}\nputs no',
        's.tcl:2: can\'t read "nosuch": no such variable (in at 1.5: "finish")',
    ),
    "in another file": (
        'set f [open lib.tcl w]; puts $f "set a 1\\nproc g {} {\\nerror deep\\n}"; close $f\nsource lib.tcl\ng',
        "lib.tcl:3: deep",
    ),
    "unbalanced": ("puts hi\nproc f {} {\n", "s.tcl:2: missing close-brace"),
    "python's own": ("[new Simulator] broken", "s.tcl:1: internal error: KeyError: 'no such thing'"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_name_the_line(run: Run, case: str) -> None:
    script, expected = ERRORS[case]
    done = run(script)
    assert done.stderr == f"ackclock: {expected}\n"
    assert done.returncode == 1


def test_viewers_are_skipped_and_text_tools_run(run: Run) -> None:
    done = run(
        "foreach name {o {a b}} { set f [open $name w]; puts $f 5; close $f }\n"
        "puts <[exec nam o &]>; puts <[exec awk {{print $1 + 1}} o]>; puts <[exec cat o | wc -l]>\n"
        'set p [open "|xgraph -m" w]; puts $p x; close $p\n'
        "exec xgraph o no -m {a b} &\n"
        'set p [open "|sort -n" w]; puts $p 2; puts $p 1; close $p\n'
        "exec rm o; puts [file exists o]"
    )
    assert done.returncode == 0
    assert done.stdout.split() == ["<>", "<6>", "<1>", "1", "2", "0"]
    assert done.stderr.splitlines() == [
        "ackclock: s.tcl: not started, it is a viewer: nam o &; `ackclock view o` plays it",
        "ackclock: s.tcl: not started, it is a viewer: xgraph -m; `ackclock plot FILE` draws columns of numbers",
        "ackclock: s.tcl: not started, it is a viewer: xgraph o no -m a b &; `ackclock plot o 'a b'` draws it",
    ]


def test_gnuplot_runs_where_it_draws_a_file(run: Run) -> None:
    # A stand-in: gnuplot itself may not be installed.
    program = run.folder / "gnuplot"
    program.write_text('#!/bin/sh\necho "drew $1" > o\n')
    program.chmod(0o755)
    (run.folder / "a.gp").write_text("set terminal png\nset output 'a.png'; plot 'x'\n")
    (run.folder / "b.gp").write_text("plot 'x'\npause -1\n")
    path = 'set env(PATH) "[pwd]:$env(PATH)"\n'
    done = run(f"{path}exec gnuplot a.gp; exec gnuplot b.gp; exec gnuplot -persist -e {{plot sin(x)}}")
    assert (run.folder / "o").read_text() == "drew a.gp\n"
    assert [line.split(": ")[2:] for line in done.stderr.splitlines()] == [
        ["not started, it is a viewer", "gnuplot b.gp; `ackclock plot FILE` draws columns of numbers"],
        [
            "not started, it is a viewer",
            "gnuplot -persist -e plot sin(x); `ackclock plot FILE` draws columns of numbers",
        ],
    ]
    assert done.returncode == 0


def test_gnuplot_that_is_not_there_is_no_viewer(run: Run) -> None:
    (run.folder / "a.gp").write_text("set terminal png\nset output out\nplot 'x'\n")
    done = run("set env(PATH) [pwd]\nexec gnuplot -e {out='x.png'} a.gp")
    assert "not started, gnuplot is not installed: gnuplot -e out='x.png' a.gp; `ackclock plot FILE`" in done.stderr
    assert done.returncode == 0


def test_other_programs_are_refused_by_name(run: Run) -> None:
    for script in ("exec /bin/sh -c true", 'open "|bash"', "exec cat /dev/null | python3"):
        done = run(script)
        assert done.returncode == 1
        name = script.replace('"', " ").replace("|", " ").split()[-1].replace("true", "/bin/sh")
        assert f'the script asks to run "{name}"' in done.stderr


def test_a_program_that_is_not_there_is_an_error_in_tcls_words(run: Run) -> None:
    done = run("puts [catch {exec ./nosuch a} message]; puts $message; exec cat /dev/null | nosuch")
    assert done.stdout == '1\ncouldn\'t execute "./nosuch": no such file or directory\n'
    assert 'couldn\'t execute "nosuch": no such file or directory' in done.stderr
    assert done.returncode == 1


def test_outputs_of_a_program_that_is_not_there_are_empty(run: Run) -> None:
    for name in "abc":
        (run.folder / name).write_text("before")
    run("catch {exec cat a | nosuch > a 2> b}; catch {exec nosuch >> c}")
    assert [(run.folder / name).read_text() for name in "abc"] == ["", "", "before"]


def test_shared_file_keeps_the_order_of_writes(run: Run) -> None:
    done = run(
        "set f [open o w]; puts $f before; set ns [new Simulator]; $ns trace-all $f\n"
        '$ns engine-writes one; puts $f two; puts -nonewline $f "three é"; puts $f ""\n'
        "$ns engine-writes four; flush $f; puts [exec cat o]; $ns engine-writes five\n"
        "set g [open p w]; puts $g other; $ns trace-all $g; $ns engine-writes more; close $f\n"
        "puts [exec tail -n 1 o]"
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == "before\none\ntwo\nthree é\nfour\nfive\n"
    assert (run.folder / "o").read_text(encoding="utf-8") == "before\none\ntwo\nthree é\nfour\nfive\n"
    assert (run.folder / "p").read_text(encoding="utf-8") == "other\nmore\n"


def test_shared_file_is_kept_after_an_error(run: Run) -> None:
    done = run("set f [open o w]; set ns [new Simulator]; $ns trace-all $f; $ns engine-writes one; boom")
    assert done.returncode == 1
    assert (run.folder / "o").read_text() == "one\n"


def test_channel_that_is_not_open(run: Run) -> None:
    done = run("[new Simulator] trace-all file77")
    assert done.stderr == 'ackclock: s.tcl:1: can not find channel named "file77"\n'


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_full_disk(run: Run) -> None:
    done = run("set f [open /dev/full w]; puts $f x")
    assert done.returncode == 1
    assert "no space left on device" in done.stderr


@pytest.mark.parametrize("busy", ["while 1 { incr i }", "catch { while 1 { catch { after 10 } } }"])
def test_ctrl_c(tmp_path: Path, busy: str) -> None:
    (tmp_path / "s.tcl").write_text(f"set f [open o w]\nputs $f kept\nputs go\nflush stdout\n{busy}\n")
    with subprocess.Popen(
        [sys.executable, str(STAND_IN), "s.tcl"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
    assert (tmp_path / "o").read_text() == "kept\n"


def test_a_program_of_statistics_is_not_called_a_viewer(run: Run) -> None:
    done = run("exec Rscript plot.R")
    says = "not started, it runs programs of its own: Rscript plot.R; `ackclock plot FILE` draws columns of numbers"
    assert says in done.stderr and done.returncode == 0
