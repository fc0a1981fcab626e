"""Plots: what is drawn are the numbers of the tables, and the files are the same each time."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import ackclock as ac
from ackclock.analysis.plot import PLOTS, PlotError, compare, reduce
from ackclock.analysis.plot.options import fitting_interval_s
from ackclock.analysis.plot.trace import TraceFile
from commands import ackclock as command

SCRIPT = Path(__file__).parents[1] / "oracle" / "traces" / "lossy_sack.tcl"

SCENARIO = ac.Scenario(
    name="three flows",
    topology=ac.Dumbbell(
        pairs=2,
        bottleneck=ac.Link(
            rate="2 Mb/s", delay="10 ms", queue=ac.Queue(limit="20 packets"), loss=ac.Loss(kind="periodic", period=997)
        ),
        delays=["2 ms", "9 ms"],
    ),
    flows=[
        ac.Flow(pair=1, tcp="sack", window="60 packets", name="long"),
        ac.Flow(pair=2, tcp="new_reno", window="60 packets", start="2 s", name="late"),
        ac.Flow(pair=1, app=ac.Cbr(rate="300 kb/s", packet_size="500 B"), start="4 s", stop="6 s", name="datagrams"),
    ],
    duration="8 s",
    record=ac.Record(changes=True, packets=True),
)


@pytest.fixture(scope="module")
def results() -> ac.Results:
    return ac.run(SCENARIO)


@pytest.fixture(scope="module")
def sampled() -> ac.Results:
    """The same run without changes and packets."""
    return ac.run(replace(SCENARIO, record=ac.Record()))


@pytest.fixture(scope="module")
def trace(program: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trace")
    subprocess.run([*program, str(SCRIPT), "out.tr", "out.pcapng"], cwd=folder, check=True, capture_output=True)
    return folder / "out.tr"


def panels(figure: Figure) -> list[Axes]:
    return figure.axes


def curve(axes: Axes, name: str) -> Line2D:
    found = [one for one in axes.lines if one.get_label() == name]
    assert len(found) == 1, [one.get_label() for one in axes.lines]
    return found[0]


def points(axes: Axes, name: str) -> tuple[Any, Any]:
    one = curve(axes, name)
    return np.asarray(one.get_xdata(), dtype=float), np.asarray(one.get_ydata(), dtype=float)


def bars(axes: Axes, name: str) -> list[float]:
    """Heights of the bars of this name."""
    (found,) = [one for one in axes.containers if one.get_label() == name]
    return [bar.get_height() for bar in found]


def rows(results: ac.Results, table: str, **key: object) -> list[dict[str, Any]]:
    return [row for row in results.rows(table) if all(row[name] == value for name, value in key.items())]


# --- numbers ---


def test_windows_are_the_tables(results: ac.Results, sampled: ac.Results) -> None:
    for number, name in ((1, "long"), (2, "late")):
        x, y = points(panels(results.plot.cwnd())[0], name)
        changes = rows(results, "window_changes", flow=number)
        start_s = results.rows("flows")[number - 1]["start_s"]
        # What it has at first it has from its start; the last one is held to the end.
        assert x[:-1].tolist() == [max(row["time_s"], start_s) for row in changes] and x[-1] == 8.0
        assert y[:-1].tolist() == [row["cwnd_packets"] for row in changes] and y[-1] == y[-2]
        assert curve(panels(results.plot.cwnd())[0], name).get_drawstyle() == "steps-post"
        x, y = points(panels(sampled.plot.cwnd())[0], name)
        alive = [row for row in rows(sampled, "flow_series", flow=number) if row["time_s"] >= (0 if number == 1 else 2)]
        assert x.tolist() == [row["time_s"] for row in alive]
        assert y.tolist() == [row["cwnd_packets"] for row in alive]


def test_round_trip_times_are_the_tables(sampled: ac.Results) -> None:
    x, y = points(panels(sampled.plot.rtt())[0], "late")
    there = [row for row in rows(sampled, "flow_series", flow=2) if row["rtt_s"] is not None]
    assert x.tolist() == [row["time_s"] for row in there]
    assert y == pytest.approx([row["rtt_s"] * 1e3 for row in there])


def test_queues_are_the_tables(results: ac.Results, sampled: ac.Results) -> None:
    link = results.names["links"].index("router1->router2")
    (axes,) = panels(results.plot.queue())
    x, y = points(axes, "router1->router2")
    changes = rows(results, "queue_changes", link=link)
    # Of changes at one instant the last one holds. The run begins with an empty queue.
    lasting = {0.0: 0} | {row["time_s"]: row["queue_packets"] for row in changes}
    assert len(lasting) < 4 * reduce.COLUMNS, "nothing need be left out"
    assert dict(zip(x, y, strict=True)) == lasting | {8.0: y[-2]}
    assert points(axes, "limit, 20 packets")[1].tolist() == [20, 20]
    x, y = points(panels(sampled.plot.queue())[0], "router1->router2")
    assert y.tolist() == [row["queue_packets"] for row in rows(sampled, "link_series", link=link)]


def test_a_mean_of_what_is_held_is_weighed_by_time(results: ac.Results) -> None:
    row = results.rows("links")[results.names["links"].index("router1->router2")]
    _, y = points(panels(results.plot.queue(interval_s=8))[0], "router1->router2")
    # The engine has its own way to the mean over the whole run.
    assert y[-1] == pytest.approx(row["queue_mean_packets"], rel=1e-9)


def test_throughput_is_the_tables_and_keeps_every_byte(results: ac.Results) -> None:
    (axes,) = panels(results.plot.throughput(interval_s=0.1))
    x, y = points(axes, "long")
    own = rows(results, "flow_series", flow=1)[1:]
    # The first point is where the first interval begins.
    assert x[1:].tolist() == [row["time_s"] for row in own] and x[0] == pytest.approx(0)
    assert y[1:] == pytest.approx([row["throughput_bps"] / 1e6 for row in own])
    assert "mean of each 0.1 s" in axes.get_ylabel() and "Mb/s" in axes.get_ylabel()
    x, y = points(panels(results.plot.throughput(interval_s=0.5))[0], "long")
    total = sum(rate * length for rate, length in zip(y[1:], np.diff(x), strict=True))
    assert total == pytest.approx(sum(row["throughput_bps"] * 0.1 / 1e6 for row in own))
    link = results.names["links"].index("router1->router2")
    _, y = points(panels(results.plot.throughput(links=["router1->router2"], interval_s=0.1))[0], "router1->router2")
    own = rows(results, "link_series", link=link)[1:]
    assert y[1:] == pytest.approx([row["throughput_bps"] / 1e6 for row in own])


def test_losses_add_up_to_the_engines_counts(results: ac.Results) -> None:
    y = bars(panels(results.plot.loss())[0], "router1->router2")
    row = results.rows("links")[results.names["links"].index("router1->router2")]
    assert sum(y) == row["dropped_packets"] + row["lost_packets"] > 0
    (axes,) = panels(results.plot.loss(flows=["long", "late"]))
    for number, name in ((0, "long"), (1, "late")):
        assert sum(bars(axes, name)) == results.rows("flows")[number]["dropped_packets"]


def test_nothing_lost_is_an_axis_of_whole_packets(trace: Path) -> None:
    # The way of the ACKs.
    (axes,) = ac.trace.read(trace).plot.loss(links=["2->1"]).axes
    assert not axes.patches and axes.get_ylim() == (0, 1)
    with pytest.raises(PlotError, match=r"`\$tcp trace cwnd_`"):
        ac.trace.read(trace).plot.cwnd()


def test_sequence_counts_are_the_engines(results: ac.Results) -> None:
    for number, axes in enumerate(panels(results.plot.sequence(flows=["long", "late"]))):
        row = results.rows("flows")[number]
        sent, again, acked, lost = (len(points(axes, n)[0]) for n in ("sent", "retransmitted", "acknowledged", "lost"))
        assert sent + again == row["sent_packets"] and lost == row["dropped_packets"]
        assert again == row["retransmitted_packets"] > 0 and acked == row["replies_received_packets"]
        assert np.all(np.diff(points(axes, "acknowledged")[1]) >= 0)


def test_fairness_counts_who_is_there(results: ac.Results) -> None:
    index, shares = panels(results.plot.fairness(interval_s=0.5))
    x, y = (np.asarray(values, dtype=float) for values in index.lines[0].get_data())
    # In the half second before 3.0 nothing came at all: both waited for their timers.
    assert np.isnan(y[x < 2 + 1e-9]).all() and np.isnan(y[x > 2 + 1e-9]).tolist() == [False, True] + 10 * [False]
    at = {name: dict(zip(np.round(x, 6), points(shares, name)[1], strict=True)) for name in results.names["flows"]}
    for time in (3.5, 5.0, 7.5):
        present = [at[name][time] for name in at if not np.isnan(at[name][time])]
        assert len(present) == (3 if time == 5 else 2) and sum(present) == pytest.approx(100)
        expected = sum(present) ** 2 / (len(present) * sum(share**2 for share in present))
        assert y[np.isclose(x, time)] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("topology", "ends"),
    [
        (SCENARIO.topology, ("left1", "right2")),
        (ac.ParkingLot(bottlenecks=3, bottleneck=ac.Link(rate="3 Mb/s", delay="7 ms")), ("source0", "sink2")),
        (ac.Star(hosts=5, link=ac.Link(rate="3 Mb/s", delay="7 ms")), ("host1", "host5")),
        (ac.Chain(nodes=4, link=ac.Link(rate="3 Mb/s", delay="7 ms")), ("node1", "node4")),
        (
            ac.Graph(
                nodes=list("abcd"), links=[ac.Link(ends=[a, b], rate="1 Gb/s", delay="1 ms") for a, b in ("ab", "bc")]
            ),
            ("a", "c"),
        ),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_the_network_is_drawn_whole(topology: Any, ends: tuple[str, str]) -> None:
    flows = [ac.Flow(source=ends[0], destination=ends[1], tcp="reno", name="one")]
    results = ac.run(ac.Scenario(topology=topology, flows=flows, duration="1 s"))
    (axes,) = panels(results.plot.topology())
    texts = [text.get_text() for text in axes.texts]
    assert set(results.nodes) <= set(texts)
    assert "sends one" in texts and "receives one" in texts
    rate, delay = {"dumbbell": ("2 Mb/s", "10 ms"), "graph": ("1 Gb/s", "1 ms")}.get(topology.kind, ("3 Mb/s", "7 ms"))
    assert any(text.startswith(f"{rate}, {delay}\ndrop_tail\n") for text in texts), texts
    if topology is SCENARIO.topology:
        assert "2 Mb/s, 10 ms\ndrop_tail\n20 packets\nlosses: periodic" in texts
    places = np.array(next(one.get_xydata() for one in axes.lines if one.get_marker() == "o"))
    assert len({tuple(place) for place in np.round(places, 3)}) == len(results.nodes), "no two at one place"


# --- many points ---


def test_names_and_labels_of_a_network_in_a_column_stand_apart() -> None:
    link = ac.Link(rate="10 Mb/s", delay="10 ms", queue=ac.Queue(limit="1 BDP"))
    flows = [ac.Flow(pair=0, tcp="sack")]
    topology = ac.Dumbbell(pairs=2, bottleneck=link, delays=["5 ms", "20 ms"])
    figure = ac.run(ac.Scenario(topology=topology, flows=flows, duration="1 s")).plot.topology(size="column")
    figure.draw_without_rendering()
    boxes = [(text.get_text(), text.get_window_extent()) for text in figure.axes[0].texts if text.get_text()]
    over = [(one, other) for n, (one, box) in enumerate(boxes) for other, two in boxes[:n] if box.overlaps(two)]
    assert len(boxes) == 15 and not over


def test_what_is_left_out_would_not_be_seen() -> None:
    random = np.random.default_rng(1)
    x = np.sort(random.uniform(0, 50, 200_000))
    y = random.normal(size=len(x)).cumsum()
    y[random.integers(0, len(y), 50)] = np.nan
    kept = reduce.curve(x, y, columns=300)
    assert len(kept) <= 4 * 300 and (np.diff(kept) > 0).all()
    column = np.minimum((x - x[0]) * (300 / (x[-1] - x[0])), 299).astype(int)
    for number in range(300):
        every, drawn = y[column == number], y[kept][column[kept] == number]
        assert np.nanmin(every) == np.nanmin(drawn) and np.nanmax(every) == np.nanmax(drawn)
        assert drawn[0] == every[0] or np.isnan(every[0])


def test_a_spike_among_a_million_is_drawn() -> None:
    x, y = np.linspace(0, 100, 1_000_000), np.full(1_000_000, 5.0)
    y[777_777] = 91.0
    kept = reduce.curve(x, y)
    assert len(kept) < 10_000 and (x[777_777], 91.0) in set(zip(x[kept], y[kept], strict=True))
    single = reduce.marks(x, y)
    assert 91.0 in y[single] and len(single) < 10_000


def test_a_busy_queues_peak_is_drawn() -> None:
    scenario = replace(SCENARIO, duration="60 s", flows=SCENARIO.flows[:2], record=ac.Record(changes=True))
    results = ac.run(scenario)
    link = results.names["links"].index("router1->router2")
    assert len(rows(results, "queue_changes", link=link)) > 4 * reduce.COLUMNS
    x, y = points(panels(results.plot.queue())[0], "router1->router2")
    assert len(x) <= 4 * reduce.COLUMNS and y.max() == results.rows("links")[link]["queue_max_packets"]


def test_a_part_is_shown_with_all_its_points(results: ac.Results) -> None:
    (axes,) = panels(results.plot.cwnd(start_s=3, end_s=3.5))
    assert axes.get_xlim() == (3, 3.5)
    x, _ = points(axes, "long")
    inside = [row["time_s"] for row in rows(results, "window_changes", flow=1) if 3 <= row["time_s"] <= 3.5]
    assert [time for time in x if 3 <= time <= 3.5] == inside
    assert x[0] < 3 and x[-1] > 3.5, "the curve reaches both edges"


def test_intervals_are_round() -> None:
    # At most 60 in a picture: 20 s / 60 is 0.33 s, the next round number is 0.5 s.
    assert [fitting_interval_s(duration, 0.1) for duration in (1, 20, 60, 400)] == pytest.approx([0.1, 0.5, 1, 10])


# --- files ---


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_the_same_picture_is_the_same_file(results: ac.Results, form: str, tmp_path: Path) -> None:
    folder = results.save(tmp_path / "run")
    for number, seed in enumerate(("1", "2")):
        what = ",".join(PLOTS)
        done = command("plot", folder, "--what", what, "--out", f"{number}.{form}", cwd=tmp_path, PYTHONHASHSEED=seed)
        assert done.returncode == 0, done.stderr
    data = (tmp_path / f"0.{form}").read_bytes()
    assert data == (tmp_path / f"1.{form}").read_bytes() and len(data) > 10_000
    assert b"Matplotlib" not in data and b"CreationDate" not in data and b"dc:date" not in data
    if form == "svg":
        assert ET.fromstring(data).tag == "{http://www.w3.org/2000/svg}svg"
    assert not list(tmp_path.glob(".*"))


def test_a_file_that_cannot_be_written_leaves_nothing(results: ac.Results, tmp_path: Path) -> None:
    (tmp_path / "taken.svg").mkdir()
    with pytest.raises(OSError, match="taken"):
        results.plot.cwnd().save(tmp_path / "taken.svg")
    with pytest.raises(PlotError, match=r"x\.jpg: expected a name that ends in \.png, \.svg, \.pdf"):
        results.plot.cwnd().save(tmp_path / "x.jpg")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.svg"]


def test_notebooks_show_it(results: ac.Results) -> None:
    assert results.plot.queue()._repr_png_().startswith(b"\x89PNG")
    assert "cwnd" in repr(results.plot)


# --- several runs ---


def test_runs_side_by_side_share_their_axes(results: ac.Results) -> None:
    other = ac.run(replace(SCENARIO, duration="4 s", name="shorter"))
    figure = compare([results, other], ["cwnd", "queue"])
    cwnd, its_cwnd, queue, its_queue = panels(figure)
    assert [axes.get_title(loc="left") for axes in (cwnd, its_cwnd)] == ["three flows", "shorter"]
    assert cwnd.get_ylim() == its_cwnd.get_ylim() and queue.get_ylim() == its_queue.get_ylim()
    assert {axes.get_xlim() for axes in panels(figure)} == {(0, 8)}
    assert points(its_cwnd, "long")[0][-1] == 4.0
    assert len(panels(compare([results] * 4, "cwnd", labels=list("abcd")))) == 4


def test_runs_laid_over_each_other(results: ac.Results) -> None:
    (axes,) = panels(compare([results, results], "cwnd", labels=["a", "b"], overlay=True))
    first, second = curve(axes, "a: late"), curve(axes, "b: late")
    assert first.get_color() == second.get_color() and first.get_linestyle() != second.get_linestyle()
    (axes,) = panels(compare([results, results], "cwnd", labels=["a", "b"], overlay=True, flows=["late"]))
    assert curve(axes, "a").get_color() != curve(axes, "b").get_color()
    with pytest.raises(PlotError, match="not laid over"):
        compare([results, results], "topology", overlay=True)


# --- trace files ---


def test_a_trace_is_drawn_from_its_lines(trace: Path) -> None:
    lines = [line.split() for line in trace.read_text().splitlines()]
    sent = [words for words in lines if words[0] == "+" and words[2] == "0" and words[4] == "tcp"]
    numbers = [words[10] for words in sent]
    acked = [w for w in lines if w[0] == "r" and w[3] == "0" and w[4] == "ack"]
    lost = [w for w in lines if w[0] == "d" and w[4] == "tcp"]
    plot = ac.trace.read(trace).plot
    found = TraceFile(ac.trace.read(trace)).segments(0)
    assert len(found.sent[0]) == len(set(numbers)) and len(found.lost[0]) == len(lost) > 0
    assert len(found.again[0]) == len(numbers) - len(set(numbers)) > 0
    assert found.acked[1].tolist() == [float(words[10]) for words in acked]
    (axes,) = panels(plot.sequence(start_s=2, end_s=5))
    shown = [float(words[1]) for words in sent if 2 <= float(words[1]) <= 5]
    assert sorted([*points(axes, "sent")[0], *points(axes, "retransmitted")[0]]) == pytest.approx(shown)
    (axes,) = panels(plot.throughput(interval_s=1))
    x, y = (np.asarray(values, dtype=float)[1:] for values in axes.lines[0].get_data())
    for end, rate in zip(x, y, strict=True):
        came = [
            w for w in lines if w[0] == "r" and w[3] == "2" and w[4] == "tcp" and int(float(w[1])) == round(end) - 1
        ]
        assert rate == pytest.approx(sum(int(w[5]) for w in came) * 8 / 1e6)
    (axes,) = panels(plot.loss(interval_s=1))
    (name,) = [str(one.get_label()) for one in axes.containers]
    assert sum(bars(axes, name)) == len(lost)
    assert len(panels(plot("queue", "fairness"))) == 3


# --- what is wrong ---


@pytest.mark.parametrize(
    ("draw", "says"),
    [
        (lambda plot: plot("cwmd"), "unknown plot cwmd; .*nearest known: cwnd"),
        (
            lambda plot: plot.cwnd(flows=["lang"]),
            "unknown flow lang; expected one of long, late, datagrams; nearest known: long",
        ),
        (lambda plot: plot.cwnd(flows=[4]), "unknown flow 4; expected 1 to 3"),
        (lambda plot: plot.cwnd(flows=["datagrams"]), "datagrams is not a TCP flow"),
        (lambda plot: plot.cwnd(flows="long"), r'flows is a list, such as \["long"\]'),
        (lambda plot: plot.queue(links=["router1-router2"]), "nearest known: router1->router2"),
        (lambda plot: plot.queue(link="a"), "plots take no link; nearest known: links"),
        (lambda plot: plot.rtt(start_s=5, end_s=2), "nothing lies between start_s = 5 and end_s = 2"),
        (lambda plot: plot.throughput(interval_s=0.25), "sampled every 0.1 s.*such as 0.2"),
        (lambda plot: plot.throughput(interval_s=-1), "a positive number of seconds, not -1"),
        (lambda plot: plot(), "expected at least one run and one plot"),
    ],
)
def test_what_cannot_be_drawn_is_said(results: ac.Results, draw: Any, says: str) -> None:
    with pytest.raises(PlotError, match=says):
        draw(results.plot)


@pytest.mark.parametrize(
    ("name", "options", "key"),
    [
        ("sequence", {}, "`packets = true`"),
        ("loss", {"flows": ["long"]}, "`packets = true`"),
        ("throughput", {}, '`sample = "0.1 s"`'),
        ("cwnd", {}, '`sample = "0.1 s"`'),
        ("queue", {}, '`sample = "0.1 s"`'),
        ("rtt", {}, '`sample = "0.1 s"`'),
        ("fairness", {}, '`sample = "0.1 s"`'),
    ],
)
def test_what_was_not_kept_names_its_key(name: str, options: Any, key: str) -> None:
    bare = ac.run(replace(SCENARIO, duration="1 s", record=ac.Record(sample="0 s")))
    with pytest.raises(PlotError, match=rf"{key} under \[record\]"):
        getattr(bare.plot, name)(**options)
    assert bare.plot.topology()


def test_commands(results: ac.Results, trace: Path, tmp_path: Path) -> None:
    folder = results.save(tmp_path / "run")
    done = command("plot", "run", "run", "--label", "a", "--label", "b", "--what", "cwnd", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "plot.svg\n", "")
    done = command("plot", trace, "--what", "sequence,loss", "--out", "trace.pdf", "--end", "5", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "trace.pdf").read_bytes().startswith(b"%PDF")
    (folder / "run.json").unlink()
    (tmp_path / "cut.tr").write_text(trace.read_text()[:5000])
    for words, says in (
        (("run",), "not a complete folder of results"),
        (("nowhere",), "no such folder"),
        (("cut.tr",), "cut.tr: line"),
        ((trace, "--what", "rtt"), "drawn from a run"),
        ((trace, "--what", "sequense"), "--what sequense: expected .*nearest known: sequence"),
        ((trace, "--flow", "9"), "no packets of flow id 9"),
        ((trace, "--out", "there/is/none.svg"), "none.svg"),
    ):
        done = command("plot", *words, cwd=tmp_path)
        assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
        assert done.stderr.startswith("ackclock: ")
        assert re.search(says, done.stderr), done.stderr
    assert "Jain" in command("list", "plots", cwd=tmp_path).stdout
    told = command("plot", "--help", cwd=tmp_path).stdout
    assert all(f"  {name} " in told and kind.about in told for name, kind in PLOTS.items())


def test_other_commands_do_not_wait_for_matplotlib() -> None:
    code = "import sys; from ackclock.cli import main; main(['list', 'plots']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stderr.split()) & {"matplotlib", "numpy", "jinja2"}
    assert "time-sequence" in done.stdout


def test_two_way_tcp_numbers_bytes(program: list[str], tmp_path: Path) -> None:
    text = (
        SCRIPT.read_text()
        .replace("Agent/TCP/Sack1", "Agent/TCP/FullTcp")
        .replace("$ns at 0.1", "$sink listen; $ns at 0.1")
    )
    (tmp_path / "full.tcl").write_text(
        text.replace("Agent/TCPSink/Sack1", "Agent/TCP/FullTcp").replace("show_tcphdr_ 1", "show_tcphdr_ 0")
    )
    subprocess.run([*program, "full.tcl", "out.tr", "out.pcapng"], cwd=tmp_path, check=True, capture_output=True)
    lines = [line.split() for line in (tmp_path / "out.tr").read_text().splitlines()]
    sent = [(w[10], w[5]) for w in lines if w[0] == "+" and w[2] == "0" and w[4] == "tcp"]
    found = TraceFile(ac.trace.read(tmp_path / "out.tr")).segments(0)
    assert found.unit == "bytes" and len(found.acked[0]) == 0
    assert len(found.again[0]) == len(sent) - len(set(sent)) > 0
