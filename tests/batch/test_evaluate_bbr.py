"""The suite `bbr`: its cases against the draft's section, its measures and times worked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.evaluate import begin, evaluate, load_suite
from ackclock.batch.evaluate import measure_model as of_model
from ackclock.batch.evaluate.timeline import resolved, spans

#: draft-ietf-ccwg-bbr, 4ce5e87: the headings of "BBR Example Test Cases", in its order.
CASES = [
    "Exiting STARTUP on Bandwidth Plateau",
    "Exiting STARTUP on Loss When Application-Limited",
    "Exiting DRAIN Based on Inflight",
    "Exiting DRAIN Based on Time",
    "Exiting PROBE_UP on Bandwidth Plateau",
    "Exiting PROBE_UP on Loss When Application-Limited",
    "Never Exiting PROBE_UP (or STARTUP) When Application-Limited With No Loss",
    "Exiting PROBE_DOWN on Inflight",
    "Exiting PROBE_DOWN After Max Time",
    "Entering and Exiting PROBE_RTT",
    "Skipping PROBE_RTT Due to Application-Limited Sending",
    "Achieving Expected STARTUP Bandwidth on a Link With Aggregation",
    "Achieving Expected Cruise Bandwidth on a Link With Aggregation",
    "Correctly Managing Sub-Packet BDPs",
    "Increasing Bandwidth 10x and Ensuring Full Bandwidth is Reached",
    "Decreasing Bandwidth 10x and Ensuring Max Bandwidth Adapts Down",
    "Handling Token Bucket Policers",
    "Handling Spurious Fast Recovery",
    "Handling Spurious RTO Recovery",
    "Entering and Exiting PROBE_RTT During STARTUP",
    "Handling Loss During PROBE_UP After inflight_longterm is Set",
    "Handling Application-Limited Sending During PROBE_REFILL",
]


def test_every_case_of_the_draft_has_its_rows() -> None:
    suite = load_suite("bbr")
    assert list(dict.fromkeys(one.where for one in suite.criterion)) == CASES
    for one in suite.criterion:
        number = CASES.index(one.where) + 1
        assert one.title.startswith(f"{number}. "), one.id
        assert one.rule != "reported" and one.why, one.id


def test_bounds_are_the_drafts_numbers() -> None:
    """2.5, 2.6, 2.8, 2.13, 2.16: the gains, the floor of the window, three rounds, 200 ms; "within 2%" of case 1."""
    bounds = {one.id: one.bounds() for one in load_suite("bbr").criterion}
    expected = {
        "startup_bw": (0.98, 1.02),
        "startup_rounds": (3.0, 3.0),
        "up_rounds": (3.0, 3.0),
        "drain_gain": (0.5, 0.5),
        "down_gain": (0.9, 0.9),
        "probe_rtt_gain": (0.5, 0.5),
    }
    assert {name: bounds[name] for name in expected} == expected
    least = {"probe_rtt_time": 0.2, "sub_cwnd": 4.0, "aggregated_cwnd": 2.0}
    assert {name: bounds[name][0] for name in least} == least


def test_the_paths_are_between_the_drafts_ends() -> None:
    """From 64 kbit/s to 10 Gbit/s, from less than 1 ms to 1 s. The round trip is the condition's `rtt`."""
    from ackclock.scenario.units import rate_bps, time_s

    suite = load_suite("bbr")
    rates = {rate_bps(one.values["rate"]) for one in suite.condition}
    rtts = {time_s(one.values["rtt"]) for one in suite.condition}
    assert (min(rates), max(rates)) == (64e3, 10e9)
    assert min(rtts) < 1e-3
    assert max(rtts) == 1.0
    for one in suite.condition:
        # Two links of 5 us beside the bottleneck, in both directions.
        delay = time_s(one.scenario["topology"]["bottleneck"]["delay"])
        assert 2 * (delay + 2 * 5e-6) == pytest.approx(time_s(one.values["rtt"]), rel=1e-9)


def test_times_and_rates_are_resolved() -> None:
    values = {"rtt": "40 ms", "rate": "10 Mb/s"}
    part = {"changes": [{"at": "T + 2 RTT + 5 ms", "link": "a->b", "rate": "0.9 RATE"}], "name": "T junction"}
    found = resolved(part, values, 1.5)
    # 1.5 + 2 * 0.04 + 0.005 s; 0.9 * 10 Mb/s
    assert float(found["changes"][0]["at"].removesuffix(" s")) == pytest.approx(1.585)
    assert found["changes"][0]["rate"] == "9000000.0 b/s"
    assert (found["changes"][0]["link"], found["name"]) == ("a->b", "T junction")
    with pytest.raises(ValueError, match="no value without a trigger"):
        resolved("T", values)


def test_an_application_pauses_or_has_less() -> None:
    assert spans({}) is None
    assert spans({"paused": ["1 s", "2 s"]}) == [{"start": "0 s", "stop": "1 s"}, {"start": "2 s"}]
    limited = {"start": "1 s", "stop": "2 s", "every": "0.5 s", "share": 0.5}
    times = [(one["start"], one.get("stop")) for one in spans({"limited": limited}) or []]
    assert times == [("0 s", "1.0 s"), ("1.0 s", "1.25 s"), ("1.5 s", "1.75 s"), ("2.0 s", None)]


class _Run:
    """A run with a model whose rows are these."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.tables = {"model_changes": rows}
        self.scenario = ac.Scenario(
            topology=ac.Dumbbell(pairs=1, bottleneck=ac.Link(rate="12 Mb/s", delay="50 ms")),
            flows=[ac.Flow(pair=1, tcp="bbr3")],
            duration="10 s",
            defaults="linux",
        )

    def rows(self, table: str) -> list[dict[str, Any]]:
        if table == "flows":
            return [{"sent_bytes": 40 + 10 * 1500, "sent_packets": 11, "rtt_min_s": 0.1}]
        return self.tables[table]


class _View:
    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.results = _Run(rows)

    def link(self, name: str) -> int:
        return 0

    def rates_bps(self, link: int, times: Any) -> Any:
        return times * 0 + 12e6  # 1000 packets of 1500 bytes a second


def _row(time_s: float, state: str, round: int, **more: float) -> dict[str, Any]:
    return {"flow": 1, "time_s": time_s, "state": state, "round": float(round), **more}


def test_measures_of_a_model_are_those_of_its_visits() -> None:
    inf = float("inf")
    view: Any = _View(
        [
            _row(0.0, "startup", 0, max_bw_packets_per_s=0.0, undos=0.0, inflight_longterm_packets=inf),
            _row(0.1, "startup", 1, max_bw_packets_per_s=500.0, undos=0.0, inflight_longterm_packets=inf),
            _row(0.5, "drain", 4, max_bw_packets_per_s=990.0, undos=0.0, inflight_longterm_packets=50.0),
            _row(0.7, "probe_bw_up", 6, max_bw_packets_per_s=1000.0, undos=0.0, inflight_longterm_packets=100.0),
            _row(0.8, "probe_bw_up", 7, max_bw_packets_per_s=1000.0, undos=0.0, inflight_longterm_packets=101.0),
            _row(0.9, "probe_bw_up", 8, max_bw_packets_per_s=1000.0, undos=0.0, inflight_longterm_packets=103.0),
            _row(1.0, "probe_bw_up", 9, max_bw_packets_per_s=1000.0, undos=0.0, inflight_longterm_packets=107.0),
            _row(1.1, "probe_bw_up", 10, max_bw_packets_per_s=1000.0, undos=0.0, inflight_longterm_packets=115.0),
            _row(1.2, "probe_bw_refill", 11, max_bw_packets_per_s=1000.0, undos=1.0, inflight_longterm_packets=115.0),
        ]
    )
    bw = "max_bw_packets_per_s"
    assert of_model.model(view, bw, "startup", at="exit", over="rate") == pytest.approx(0.99)
    assert of_model.model(view, bw, "probe_bw", 1, "exit", "entry") == 1
    assert of_model.model(view, bw, "probe_rtt") is None
    assert of_model.leads(view, "startup", "drain") == 1
    assert of_model.leads(view, "drain", ["probe_bw_down", "probe_bw_up"]) == 1
    assert of_model.leads(view, "probe_bw_refill", "probe_bw_up") == 0  # the run ends before
    assert of_model.stay(view, "startup") == pytest.approx(0.5)
    assert of_model.stay(view, "startup", unit="rounds") == 4
    assert of_model.stay(view, "drain", unit="rtts") == pytest.approx(2)
    assert of_model.entries(view, "probe_bw", after="drain") == 2
    assert of_model.extreme(view, bw, "min", after="drain", over="rate") == pytest.approx(0.99)
    longterm = "inflight_longterm_packets"
    assert of_model.is_set(view, longterm, "startup") == 0
    assert of_model.is_set(view, longterm, "startup", at="exit") == 1
    assert of_model.ever_set(view, longterm, "startup") == 0
    assert of_model.rises(view, "undos", "drain") == 1
    assert of_model.rises_in(view, "undos", ["probe_bw_refill"], "drain") == 1
    assert of_model.rises_in(view, "undos", ["probe_bw_up"], "drain") == 0
    # 1, 2, 4, 8: each step is twice the one before.
    assert of_model.step_growth(view, "drain") == pytest.approx(2)
    assert of_model.probing_rounds(view, 0.95, "startup") == 0
    assert of_model.entry_s(view, "drain", 1) == 0.5


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


def verdicts(control: str, only: list[str], store: Path) -> dict[str, str]:
    found = evaluate(control, "bbr", quick=True, only=[*only, "path_10m_40ms"], store=store)
    assert not found.failures
    return {row.criterion.id: row.word for row in found.rows}


def test_bbr3_meets_cases_on_its_own_draft(store: Path) -> None:
    only = ["startup_bw", "startup_rounds", "drain_gain", "drain_inflight", "down_gain", "up_rounds", "refill_max"]
    only += ["idle_restart", "idle_skips", "reordering_returns", "spike_returns", "probe_rtt_gain", "probe_rtt_leads"]
    assert set(verdicts("bbr3", only, store).values()) == {"met"}


def test_the_kernels_gains_are_not_the_drafts(store: Path) -> None:
    found = verdicts("linux_bbr3", ["startup_bw", "drain_gain", "down_gain"], store)
    assert found == {"startup_bw": "met", "drain_gain": "not met", "down_gain": "not met"}


def test_a_trigger_changes_the_path_at_its_instant(store: Path) -> None:
    """The second run has the same past: the control enters the state when it did in the first one."""
    found = begin("bbr3", "bbr", quick=True)
    arm = next(one for one in found.arms if one.traffic == "drain_time" and one.condition == "path_10m_40ms")
    first = ac.run(ac.Scenario.of(found.how.table(arm)), seed=1)
    entered = next(row["time_s"] for row in first.rows("model_changes") if row["state"] == "drain")
    table = found.how.table(arm, entered)
    assert table["changes"] == [{"at": f"{entered!r} s", "link": "router1->router2", "rate": "9000000.0 b/s"}]
    again = ac.run(ac.Scenario.of(table), seed=1)
    assert next(row["time_s"] for row in again.rows("model_changes") if row["state"] == "drain") == entered


def test_a_control_without_a_model_gets_no_verdict(store: Path) -> None:
    found = evaluate("cubic", "bbr", quick=True, only=["startup_bw", "path_10m_40ms"], store=store)
    (row,) = found.rows
    assert (row.word, row.says) == ("undetermined", "no run has this metric")
