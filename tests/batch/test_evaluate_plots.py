"""A suite's plots: what is run for them, what they show, and what goes wrong."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pytest

import ackclock as ac
from ackclock.analysis.report.evaluation import text
from ackclock.batch.evaluate import Evaluation, evaluate, evaluate_all, load_suite
from ackclock.batch.sweep import seed_of
from ackclock.scenario import ScenarioError

SUITE = """
id = "small"
document = "a test"
title = "A small suite"
about = "Plots."
evaluates = "variant"
standards = ["reno", "cubic"]
baseline_why = "they are standards"
criterion = []
[replications]
quick = 2
full = 3
why = "enough for an interval"
[scenario]
duration = "5 s"
record = { sample = "0.1 s" }
[scenario.topology]
kind = "dumbbell"
bottleneck = { rate = "3 Mb/s", delay = "20 ms", queue = { limit = "1 BDP" } }
[[condition]]
id = "plain"
title = "plain"
where = "1"
asks = "nothing"
[[condition]]
id = "buffer_{bdp}"
family = "buffers"
title = "{bdp} BDP"
where = "1"
asks = "nothing"
over = [[{ bdp = 0.5 }, { bdp = 1 }, { bdp = 2 }]]
scenario = { topology = { bottleneck = { queue = { limit = "{bdp} BDP" } } } }
[[traffic]]
id = "beside"
title = "beside a standard"
flows = [
    { name = "own", pair = 1, tcp = "{subject}", start_jitter = "5 %" },
    { name = "standard", pair = 1, tcp = "{standard}", start_jitter = "5 %" },
]
[[traffic]]
id = "short"
title = "short transfers"
flows = [{ name = "short", pair = 1, tcp = "{subject}", arrivals = { interval = "0.3 s", size = "10 kB" } }]
[[plot]]
id = "share"
title = "Share by buffer"
where = "1"
kind = "lines"
traffic = "beside"
standard = "cubic"
conditions = ["buffers"]
quick = ["buffer_1"]
measure = { of = "split", flows = "own", beside = "standard" }
beside = ["reno", "bbr"]
x = "bdp"
x_label = "buffer (BDP)"
log = true
[[plot]]
id = "times"
title = "Completion times"
where = "2"
kind = "distribution"
traffic = "short"
conditions = ["plain"]
measure = { of = "times", flows = "short" }
[[plot]]
id = "course"
title = "How it went"
where = "3"
kind = "course"
traffic = "beside"
conditions = ["plain"]
measure = { of = "course", flows = "own standard" }
[[plot]]
id = "pairs"
title = "Pairs"
where = "4"
kind = "matrix"
traffic = "beside"
conditions = ["plain"]
measure = { of = "rtt", flows = "own" }
beside = ["reno", "cubic"]
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(SUITE)
    return file


def figure(found: Evaluation, name: str, condition: str, key: str, rival: str | None = None) -> list[float]:
    (arm,) = (
        arm
        for arm in found.figured
        if arm.condition == condition
        and arm.subject is not None
        and arm.subject.name == name
        and (rival is None or arm.standard.name == rival)
        and any(key in run for run in found.figured[arm].values())
    )
    return [run[key] for run in found.figured[arm].values()]


def test_plots_show_the_figures_of_the_runs(small: Path, tmp_path: Path) -> None:
    found = evaluate("tcp/vegas", str(small), store=tmp_path / "store", replications=3)
    assert found.failures == [] and found.rows == []
    for replication in range(3):
        # Six scenarios of the first plot have a cubic flow beside the subject's; this is one of them.
        scenario = found.scenario("buffer_2", "beside", standard=found.baselines[1])
        assert [(flow.tcp, flow.control) for flow in scenario.flows] == [("tcp", "vegas"), ("tcp", "cubic")]
        results = ac.run(scenario, seed=seed_of(1, replication))
        series = [row for row in results.rows("flow_series") if row["time_s"] > 1.05]
        means = [np.mean([row["throughput_bps"] for row in series if row["flow"] == number]) for number in (1, 2)]
        rows = results.rows("flows")
        own, other = (
            mean * row["delivered_bytes"] / row["received_bytes"] for mean, row in zip(means, rows, strict=True)
        )
        assert figure(found, "tcp/vegas", "buffer_2", "plot share")[replication] == pytest.approx(own / (own + other))
    page = html.unescape(text(found))
    for title in ("Share by buffer", "Completion times", "How it went", "Pairs"):
        assert f">{title}</h3>" in page
    assert page.count("<svg") == 4
    # Each cell of the matrix has the mean over replications, ms.
    shown = set(re.findall(r">(\d+)</text>", page))
    for name in ("tcp/vegas", "tcp/reno", "tcp/cubic"):
        for rival in ("tcp/vegas", "tcp/reno", "tcp/cubic"):
            mean_s = np.mean(figure(found, name, "plain", "plot pairs", rival))
            assert f"{mean_s * 1e3:.0f}" in shown
    transfers = sum(
        row["completion_s"] is not None and row["start_s"] >= 1
        for replication in range(3)
        for row in ac.run(found.scenario("plain", "short"), seed=seed_of(1, replication)).rows("flows")
    )
    assert f">tcp/vegas (n = {transfers})</text>" in page


def test_quick_plots_have_fewer_conditions_and_subjects_share_them(small: Path, tmp_path: Path) -> None:
    found = evaluate_all(["tcp/vegas", "tcp/reno"], str(small), quick=True, only=["share"], store=tmp_path / "s")
    conditions = {arm.condition for one in found for arm in one.arms}
    assert conditions == {"buffer_1"}
    page = text(found[:2])
    assert page.count("<svg") == 1
    # tcp/reno is a subject, and beside vegas as a standard: one line of the two.
    assert page.count(">tcp/reno</text>") == 1 and page.count(">bbr</text>") == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "matrix"', 'kind = "matrx"', "nearest known: matrix"),
        ('of = "times"', 'of = "goodput"', "expected a measure: times, course"),
        ('of = "split", flows', 'of = "split", flow', "the measure does not take this"),
        ('conditions = ["buffers"]', 'conditions = ["bufers"]', "nearest known: buffers"),
        ('standard = "cubic"', 'standard = "cubc"', "nearest known: cubic"),
        ('standards = ["reno", "cubic"]', 'standards = ["reno", "cubi"]', "nearest known: cubic"),
        ('standards = ["reno", "cubic"]', "", "expected a baseline, or for variants standards"),
        ('id = "times"', 'id = "share"', "duplicate name"),
    ],
)  # fmt: skip
def test_a_wrong_plot_is_named(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in SUITE
    file = tmp_path / "small.toml"
    file.write_text(SUITE.replace(old, new, 1))
    with pytest.raises(ScenarioError) as raised:
        load_suite(str(file))
    assert said in str(raised.value)
