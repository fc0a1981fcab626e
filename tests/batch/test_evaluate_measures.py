"""Figures after the warm-up against the run's own packets, counted one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ackclock as ac
from ackclock.batch.evaluate import evaluate, load_suite
from ackclock.batch.evaluate.measure import flow_delay
from ackclock.batch.evaluate.view import View
from ackclock.batch.sweep import seed_of

SUITE = """
id = "small"
document = "a test"
title = "A small suite"
about = "What flows count."
evaluates = "variant"
standards = ["reno"]
baseline_why = "it is old"
replications = { quick = 2, full = 2, why = "enough for an interval" }
[scenario]
defaults = "rfc"
duration = "10 s"
record = { sample = "0.1 s" }
[scenario.topology]
kind = "dumbbell"
bottleneck = { rate = "3 Mb/s", delay = "20 ms", queue = { limit = "10 packets" } }
[[condition]]
id = "plain"
title = "plain"
where = "1"
asks = "nothing"
[[traffic]]
id = "beside"
title = "beside a standard"
warm_up = "40 %"
flows = [
    { name = "own", pair = 1, tcp = "{subject}", start_jitter = "5 %" },
    { name = "standard", pair = 1, tcp = "{standard}", start_jitter = "5 %" },
    { name = "short", pair = 1, tcp = "{standard}", stop = "90 %", arrivals = { interval = "0.5 s", size = "20 kB" } },
]
"""

CRITERION = """
[[criterion]]
id = "{of}"
title = "{of}"
where = "1"
strength = "SHOULD"
asks = "nothing"
traffic = "beside"
conditions = ["plain"]
measure = {{ of = "{of}", flows = "{flows}"{more} }}
"""

MEASURES = {
    "flow_loss": ("standard", ""),
    "dropped": ("standard", ""),
    "delay": ("standard", ""),
    "completion": ("short", ""),
    "rtt": ("standard", ", percentile = 90"),
}


def test_what_is_counted_leaves_the_warm_up_out(tmp_path: Path) -> None:
    """The warm-up ends at 4 s: losses, delays and transfers are those of the packets after it."""
    file = tmp_path / "small.toml"
    file.write_text(
        SUITE + "".join(CRITERION.format(of=of, flows=flows, more=more) for of, (flows, more) in MEASURES.items())
    )
    found = evaluate("sack", str(file), store=tmp_path / "store", seed=1)
    assert found.failures == []
    cells = {row.criterion.id: row.cells[0] for row in found.rows}
    scenario = found.scenario("plain", "beside")
    for replication in range(2):
        record = replace(scenario.record, packets=True, changes=True)
        results = ac.run(replace(scenario, record=record), seed=seed_of(1, replication))
        number = results.names["flows"].index("standard1") + 1
        flow_id = results.rows("flows")[number - 1]["flow_id"]
        packets = [
            row
            for row in results.rows("packets")
            if row["flow"] == flow_id and row["kind"] == "tcp" and row["time_s"] > 4
        ]
        left, right = results.nodes.index("left1"), results.nodes.index("right1")
        events = Counter(row["event"] for row in packets if row["from_node"] == left)
        dropped = sum(row["event"] == "drop" for row in packets)
        assert dropped > 0, "nothing to count"
        assert cells["dropped"].subject[replication] == dropped
        assert cells["flow_loss"].subject[replication] == pytest.approx(dropped / events["enqueue"])
        sent = {
            row["packet"]: row["time_s"]
            for row in results.rows("packets")
            if row["event"] == "enqueue" and row["from_node"] == left
        }
        delays = [
            row["time_s"] - sent[row["packet"]]
            for row in packets
            if row["event"] == "receive" and row["to_node"] == right
        ]
        assert cells["delay"].subject[replication] == pytest.approx(np.mean(delays), rel=1e-3)
        rows = zip(results.names["flows"], results.rows("flows"), strict=True)
        took = [row["completion_s"] for name, row in rows if name.startswith("short") and (row["start_s"] or 0) >= 4]
        assert cells["completion"].subject[replication] == pytest.approx(np.mean([one for one in took if one]))
        series = [row for row in results.rows("flow_series") if row["flow"] == number and row["time_s"] > 4.05]
        rtts = [row["rtt_s"] for row in series]
        assert cells["rtt"].subject[replication] == pytest.approx(np.percentile(rtts, 90))


def test_percentiles_of_several_flows_are_refused() -> None:
    flows = [ac.Flow(name=f"long{number}", pair=1, tcp="sack", start="1 s") for number in (1, 2)]
    link = ac.Link(rate="3 Mb/s", delay="20 ms")
    results = ac.run(ac.Scenario(topology=ac.Dumbbell(pairs=1, bottleneck=link), flows=flows, duration="3 s"))
    with pytest.raises(ValueError, match="expected one flow that begins after the warm-up"):
        flow_delay(View(results, 0.5, "router1->router2"), "long", 95)


def test_no_suite_asks_for_such_a_percentile() -> None:
    for criterion in load_suite("rfc9743").criterion:
        if criterion.measure.get("of") == "flow_delay":
            (traffic,) = (load_suite("rfc9743").named_traffic(name) for name in criterion.traffics)
            (flow,) = (one for one in traffic.flows if one["name"] == criterion.measure["flows"])
            assert flow["start"] == traffic.warm_up and "count" not in flow and "arrivals" not in flow
