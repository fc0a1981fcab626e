"""Figures of a sweep: rates are bytes over time, Jain's index is of flows that last, columns are the tables'."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.batch.sweep import grid_of, load_grid, seed_of
from ackclock.batch.sweep.metrics import FLOW_COLUMNS

LINK = ac.Link(rate="5 Mb/s", delay="10 ms")
#: two flows without end, and some 20 short transfers
MIXED = ac.Scenario(
    topology=ac.Dumbbell(pairs=3, bottleneck=LINK),
    flows=[
        ac.Flow(name="long1", pair=1, tcp="reno"),
        ac.Flow(name="long2", pair=2, tcp="vegas"),
        ac.Flow(name="short", pair=3, tcp="sack", arrivals=ac.Arrivals(interval="0.5 s", size="30 kB")),
    ],
    duration="10 s",
    record=ac.Record(sample="0.1 s"),
)


def test_the_goodput_of_all_flows_is_bytes_over_time(tmp_path: Path) -> None:
    """Each short transfer is fast while it lasts; together the flows have no more than the link."""
    done = ac.sweep(MIXED, replications=3, store=tmp_path)
    for replication, found in done.cells[0].runs.items():
        results = ac.run(MIXED, seed=seed_of(1, replication))
        assert len(results.flows) > 10
        delivered = sum(results.flows.column("delivered_bytes"))
        assert found["goodput_bps"] == pytest.approx(8 * delivered / 10)
        # What the link carried is data, headers and retransmissions.
        link = results.rows("links")[results.names["links"].index("router1->router2")]
        assert 0.9 * link["throughput_bps"] < found["goodput_bps"] < link["throughput_bps"] <= 5e6


def test_jains_index_is_of_the_flows_that_last(tmp_path: Path) -> None:
    """R. Jain's index of two rates, worked by hand; transfers of `arrivals` and those that end are not in it."""
    ended = ac.Flow(name="file", pair=3, tcp="sack", app=ac.Ftp(size="20 packets"))
    scenario = replace(MIXED, flows=[*MIXED.flows, ended])
    for warm_up in (None, "1 s"):
        done = ac.sweep(scenario, replications=2, store=tmp_path, warm_up=warm_up)
        for replication, found in done.cells[0].runs.items():
            results = ac.run(scenario, seed=seed_of(1, replication))
            if warm_up is None:
                a, b = results.flows.column("goodput_bps")[:2]
            else:
                series = results.rows("flow_series")
                a, b = (
                    sum(row["throughput_bps"] for row in series if row["flow"] == flow and row["time_s"] > 1.05)
                    for flow in (1, 2)
                )
            assert found["jain"] == pytest.approx((a + b) ** 2 / (2 * (a**2 + b**2)))


def test_columns_of_groups_and_of_flows(tmp_path: Path) -> None:
    measure = {"flows": ["delay_p95_s", "completion_s", "retransmitted_packets"]}
    done = ac.sweep(grid_of(MIXED, replications=2, measure=measure), store=tmp_path)
    each = ac.sweep(grid_of(MIXED, replications=2, measure={**measure, "each": "flow"}), store=tmp_path)
    for replication, found in done.cells[0].runs.items():
        results = ac.run(MIXED, seed=seed_of(1, replication))
        names = results.names["flows"]
        delays = dict(zip(names, results.flows.column("delay_p95_s"), strict=True))
        assert found["delay_p95_s.long"] == pytest.approx((delays["long1"] + delays["long2"]) / 2)
        took = [took_s for took_s in results.flows.column("completion_s") if took_s is not None]
        assert found["completion_s.short"] == pytest.approx(np.mean(took))
        for part in (5, 50, 95, 99):
            assert found[f"completion_s.short.p{part}"] == pytest.approx(np.percentile(took, part))
        assert (found["completion_s.short.min"], found["completion_s.short.max"]) == (min(took), max(took))
        assert "completion_s.long" not in found, "flows without end have no completion"
        by_flow = each.cells[0].runs[replication]
        assert by_flow["delay_p95_s.long2"] == delays["long2"] and "delay_p95_s.long" not in by_flow
    head = str(done).splitlines()[0]
    assert "delay_p95_s.long, ms" in head and "completion_s.short, ms" in head and ".p99" not in head


def test_the_known_columns_are_the_tables() -> None:
    table = ac.run(replace(MIXED, duration="1 s")).flows
    assert set(FLOW_COLUMNS) == set(table.column_names()) - {"flow", "flow_id"}


GRID = """\
scenario = "net.toml"
replications = 2
"""
NET = """\
duration = "2 s"
topology = { kind = "dumbbell", bottleneck = { rate = "2 Mb/s", delay = "10 ms" } }
flows = [{ name = "long", pair = 1, tcp = "reno" }]
"""


def test_a_grid_file_names_columns(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(NET)
    (tmp_path / "grid.toml").write_text(GRID + '[measure]\nflows = ["rtt_p99_s"]\neach = "flow"\n')
    grid = load_grid(tmp_path / "grid.toml")
    assert grid.measure is not None and (grid.measure.flows, grid.measure.each) == (("rtt_p99_s",), "flow")
    line = [sys.executable, "-m", "ackclock", "sweep", "grid.toml"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert "rtt_p99_s.long, ms" in done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[measure]\nflows = ["delay_p96_s"]', "grid.toml:4: measure.flows.0 = \"delay_p96_s\": expected a numeric"),
        ('[measure]\nflows = ["delay_p96_s"]', "nearest known: delay_p9"),
        ('[measure]\nflows = "delay_p95_s"', "expected a list of columns"),
        ("[measure]\nflows = []", "expected columns of the table flows"),
        ('[measure]\nflow = ["delay_p95_s"]', "nearest known: flows"),
        ('[measure]\nflows = ["delay_p95_s"]\neach = "flows"', "nearest known: flow"),
        ('keep = ["links"]\n[measure]\nflows = ["delay_p95_s"]', 'expected "flows" among the tables'),
        ('warm_up = "1 s"\n[measure]\nflows = ["delay_p95_s"]', "expected none with warm_up"),
    ],
)  # fmt: skip
def test_wrong_columns_are_named(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(NET)
    (tmp_path / "grid.toml").write_text(GRID + text + "\n")
    with pytest.raises(ac.ScenarioError) as raised:
        load_grid(tmp_path / "grid.toml")
    assert said in str(raised.value)


def test_variants_that_name_the_flows_are_told_of_it(tmp_path: Path) -> None:
    # Flows without a name are called reno-1 and vegas-1, so no column is of all points.
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=ac.Link(rate="2 Mb/s", delay="10 ms")),
        flows=[ac.Flow(pair=1, tcp="reno")],
        duration="1 s",
    )
    asked: dict[str, Any] = {"vary": {"flows.0.tcp": ["reno", "vegas"]}, "measure": {"flows": ["delay_p95_s"]}}
    done = ac.sweep(grid_of(scenario, **asked), store=tmp_path)
    assert done.text().splitlines()[-1].startswith("delay_p95_s has a column for each name")
    named = replace(scenario, flows=[ac.Flow(pair=1, tcp="reno", name="f")])
    done = ac.sweep(grid_of(named, **asked), store=tmp_path)
    assert "column" not in done.text() and all(cell.values("delay_p95_s.f") for cell in done)


def test_the_table_for_latex_has_the_numbers_of_the_text(tmp_path: Path) -> None:
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=ac.Link(rate="2 Mb/s", delay="10 ms", loss=ac.Loss(rate=0.01))),
        flows=[ac.Flow(pair=1, tcp="reno")],
        duration="1 s",
    )
    done = ac.sweep(scenario, vary={"flows.0.tcp": ["new_reno", "sack"]}, replications=3, store=tmp_path)
    rows = done.latex(["goodput_bps", "loss_ratio"]).splitlines()
    assert rows[1:5] == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"flows.0.tcp & n & goodput\_bps, Mb/s & loss\_ratio, \% \\",
        r"\midrule",
    ]
    assert rows[-2:] == [r"\bottomrule", r"\end{tabular}"] and rows[5].startswith(r"new\_reno & 3 & ")
    shown = done.text(["goodput_bps", "loss_ratio"]).splitlines()[1].split()
    assert rows[5].replace("&", "").replace(r"\\", "").replace(r"\_", "_").replace(r"$\pm$", "±").split() == shown
