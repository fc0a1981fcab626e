"""Mistakes of a first hour, each answered in a line that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from test_cli import command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert command("init", cwd=tmp_path).returncode == 0
    return tmp_path


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("flows.0.tcp=SACK", "nearest known: sack"),
        ("flows.0.tcp=BBR", "nearest known: bbr"),
        ("flows.0.tcp=new-reno", "nearest known: new_reno"),
        ("flows.0.tcp=zzz", "expected a TCP variant: cubic, reno, "),
        ("topology.bottleneck.rate=10 Mbit", "nearest known: Mbit/s"),
        ("topology.bottleneck.rate=10M", "nearest known: Mb/s"),
        ("topology.bottleneck.rate=10 mbps", "nearest known: Mbps"),
        ("topology.bottleneck.queue.kind=RED", "nearest known: red"),
    ],
)
def test_a_value_nearly_right_is_told_the_nearest(setting: str, message: str, folder: Path) -> None:
    done = command("run", "scenario.toml", "--set", setting, cwd=folder)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runn"], "unknown command runn, did you mean run?"),
        (["list", "quues"], "unknown quues, did you mean queues?"),
        (["trace", "stat"], "unknown stat, did you mean stats?"),
        (["ns2", "--defalts", "ns2_29"], "unknown option --defalts, did you mean --defaults?"),
        (["report", "x", "--out", "x.pdf"], "x.pdf: a report is an HTML page; expected a name that ends in .html"),
    ],
)
def test_a_word_nearly_right_is_told_the_nearest(words: list[str], message: str) -> None:
    done = command(*words)
    assert done.returncode in (1, 2) and message in done.stderr


def test_an_ns2_script_given_to_run_is_told_the_command(tmp_path: Path) -> None:
    (tmp_path / "lab.tcl").write_text("set ns [new Simulator]\n")
    (tmp_path / "lab").write_text("set ns [new Simulator]\n")
    for name in ("lab.tcl", "lab"):
        done = command("run", name, cwd=tmp_path)
        assert (
            done.stderr == f"ackclock: {name}: this is an ns-2 script; run it with `ackclock ns2 {name}`\n"
            and done.returncode == 1
        )


@pytest.mark.parametrize("words", [["ns2", "--help"], ["ns2", "-h"], ["help", "ns2"]])
def test_ns2_has_help(words: list[str]) -> None:
    done = command(*words)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("usage: ackclock ns2 ")
    assert "SCRIPT" in done.stdout and "--safe" in done.stdout


@pytest.mark.parametrize("words", [[], ["run"], ["trace", "stats"]])
def test_help_is_the_option_help(words: list[str]) -> None:
    assert command("help", *words).stdout == command(*words, "--help").stdout != ""


def test_a_flow_that_starts_after_the_end_is_told(folder: Path) -> None:
    done = command("run", "scenario.toml", "--set", "duration=4 s", "--set", "flows.2.stop=40 s", cwd=folder)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "ackclock: flow new_reno-2 starts at 5 s, but the run ends at 4 s: it sent nothing",
        "ackclock: flow exponential-3 starts at 20 s, but the run ends at 4 s: it sent nothing",
    ]


def test_names_of_flows_keep_the_control_apart_from_the_number(folder: Path) -> None:
    settings = ["--set", "flows.0.tcp=bbr3", "--set", "flows.1.tcp=tcp", "--set", "flows.1.control=cubic"]
    done = command("run", "scenario.toml", *settings, "--set", "duration=1 s", cwd=folder)
    rows = [line.split()[0] for line in done.stdout.split("\n\n")[0].splitlines()[1:]]
    assert rows == ["bbr3-1", "cubic-2", "exponential-3"]


LOW = """\
import ackclock as ac


class Low(ac.CongestionControl):
    def on_ack(self, state, ack):
        state.cwnd_packets = 0.25
"""


def test_a_window_below_one_packet_counts_as_one_and_is_told(folder: Path) -> None:
    # Linux 6.12, include/net/tcp.h: tcp_snd_cwnd_set warns of a window below 1; no sender goes on with one.
    (folder / "low.py").write_text(LOW)
    settings = ["--set", "flows.0.control=low:Low", "--set", "duration=2 s"]
    done = command("run", "scenario.toml", *settings, "--out", "results", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "ackclock: flow Low-1: its control set a window below 1 packet " in done.stderr
    assert "notes" in (folder / "results/run.json").read_text()
