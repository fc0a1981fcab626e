"""`ackclock plot` of files of numbers, and what it says of options and files that do not fit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ackclock as ac
from ackclock.analysis.plot import PlotError
from ackclock.analysis.plot.number_files import draw, read

#: ns-2's manual, "Tracing TCP variables": time, source, port, destination, port, name, value.
TRACED = """\
0.00000  0  0  2  0  cwnd_ 1.000
0.00000  0  0  2  0  ssthresh_ 20
0.50000  0  0  2  0  cwnd_ 2.000
0.60000  1  0  3  0  cwnd_ 1.000
1.20000  1  0  3  0  cwnd_ 3.000
"""
XGRAPH = 'TitleText: windows\n"first"\n0 1\n1 2\nmove 2 4\n2 5\n\n"second"\n0 2\n1 1\n'


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "ackclock", *words]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cwnd.tr").write_text(TRACED)
    (tmp_path / "x.xg").write_text(XGRAPH)
    (tmp_path / "columns.dat").write_text("# time a b\n0 1 3\n1 - 2\n2 5 1\n")
    return tmp_path


def test_traced_variables_are_a_curve_for_each_connection(folder: Path) -> None:
    found = {(one.variable, one.name): (one.x.tolist(), one.y.tolist()) for one in read(folder / "cwnd.tr")}
    assert found == {
        ("cwnd_", "0.0 to 2.0"): ([0.0, 0.5], [1.0, 2.0]),
        ("ssthresh_", "0.0 to 2.0"): ([0.0], [20.0]),
        ("cwnd_", "1.0 to 3.0"): ([0.6, 1.2], [1.0, 3.0]),
    }
    (axes,) = draw([folder / "cwnd.tr"]).axes
    assert axes.get_ylabel() == "cwnd_, ssthresh_\n(packets)" and axes.get_xlabel() == "time (s)"
    x, y = axes.lines[0].get_data()
    # A window stays what it is while others of the file change.
    assert (np.asarray(x).tolist(), np.asarray(y).tolist()) == ([0.0, 0.5, 1.2], [1.0, 2.0, 2.0])


def test_columns_have_their_names(folder: Path) -> None:
    first, second = read(folder / "columns.dat")
    assert (first.name, second.name) == ("a", "b") and np.isnan(first.y[1]) and second.y.tolist() == [3, 2, 1]
    first, *_, second = read(folder / "x.xg")
    assert first.name == "first" and second.name == "second" and second.y.tolist() == [2, 1]


def test_a_red_queues_variables_are_two_curves(folder: Path) -> None:
    # ns-2's manual, "RED queue": `$redq trace curq_` writes `Q time value`, `trace ave_` writes `a time value`.
    (folder / "all.q").write_text("a 0.02 0.08\nQ 0.02 40\na 0.04 0.5\nQ 0.05 0\n")
    done = command("plot", "all.q", "--out", "red.svg", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    (axes,) = draw([folder / "all.q"]).axes
    assert {str(line.get_label()): np.asarray(line.get_ydata()).tolist() for line in axes.lines} == {
        "ave_": [0.08, 0.5, 0.5],
        "curq_": [40, 0, 0],
    }


def test_a_queue_monitors_columns_have_their_names(folder: Path) -> None:
    # ns-2's manual, "Queue Monitoring": time, from, to, bytes and packets queued, then packets arrived, departed and
    # dropped, then bytes of the same.
    (folder / "qm.out").write_text(
        "0 0 1 0 0 0 0 0 0 0 0\n0.1 0 1 2000 2 12 9 1 12000 9000 1000\n0.2 0 1 0 0 30 28 2 30000 28000 2000\n"
    )
    found = {one.variable: (one.name, one.y.tolist()) for one in read(folder / "qm.out")}
    assert found == {"queue length": ("0 to 1", [0, 2, 0]), "packets dropped so far": ("0 to 1", [0, 1, 2])}
    # As many columns of something else are not.
    (folder / "other.dat").write_text("0 0 1 0 0 5 6 7 8 9 10\n1 0 1 0 0 4 3 2 1 0 0\n")
    assert len(read(folder / "other.dat")) == 10


def test_the_command_draws_them(folder: Path) -> None:
    done = command("plot", "cwnd.tr", "--what", "cwnd_", "--size", "column", "--out", "w.pdf", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "w.pdf\n", "")
    words = ["columns.dat", "x.xg", "--y-label", "rate (Mb/s)", "--label", "a", "--label", "b", "--out", "c.svg"]
    assert command("plot", *words, cwd=folder).returncode == 0
    assert "rate (Mb/s)" in (folder / "c.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cwnd.tr", "--what", "rtt_"], "no variable rtt_ in cwnd.tr; it has cwnd_, ssthresh_"),
        (["cwnd.tr", "--flow", "1"], "--flow does not apply to a file of numbers"),
        (["cwnd.tr", "--hue", "x"], "--hue does not apply to a file of numbers"),
        (["cwnd.tr", "--out", "x.jpg"], "x.jpg: expected a name that ends in .png, .svg, .pdf"),
        (["cwnd.tr", "--out", "picture"], "picture: expected a name that ends in .png, .svg, .pdf"),
        (["bad.dat"], "bad.dat:2: expected numbers, as in the lines above, not '1 x'"),
        (["."], ".: not a complete folder of results: run.json is missing"),
        (["none"], "no such folder of results: none"),
        (["cwnd.tr", "--start", "9"], "nothing lies after start_s = 9: it ends at 1.2 s"),
    ],
)
def test_what_does_not_fit_is_named(words: list[str], message: str, folder: Path) -> None:
    (folder / "bad.dat").write_text("0 1\n1 x\n")
    done = command("plot", *words, cwd=folder)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1


def test_a_plot_of_nothing_is_refused() -> None:
    call = ac.Flow(pair=1, app=ac.Cbr(rate="100 kb/s", packet_size="200 B"), name="call")
    link = ac.Link(rate="1 Mb/s", delay="5 ms", queue=ac.Queue(limit="50 packets"))
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=link, access=link), flows=[call], duration="2 s",
        record=ac.Record(packets=True),
    )  # fmt: skip
    results = ac.run(scenario)
    with pytest.raises(PlotError, match="nothing to plot"):
        results.plot.cwnd()
    with pytest.raises(PlotError, match="nothing lies after start_s = 5: the run ends at 2 s"):
        results.plot.throughput(start_s=5)
    # 40 bytes of headers are not in ackclock's datagrams: 200 B at 1 Mb/s take 1.6 ms on each of three links of 5 ms.
    (axes,) = results.plot.delay().axes
    assert axes.get_ylabel().startswith("delay (ms)")
    assert np.asarray(axes.lines[0].get_ydata()) == pytest.approx(3 * (5 + 1.6))


def test_python_draws_files_too(folder: Path) -> None:
    for _ in range(2):  # the name is a function however often it is asked for
        assert ac.plot.columns([folder / "cwnd.tr"], size="page").get_figwidth() == 7.0
