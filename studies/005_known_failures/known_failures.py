"""What study 005 runs, measures and draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import ackclock as ac
from ackclock.analysis.plot import GUIDE, SERIES, panels, save, style
from ackclock.batch.store import Kept
from ackclock.batch.study import Figure, Measured, Runs, Settings
from ackclock.batch.study.load import load_code
from ackclock.scenario.units import rate_bps, time_s

#: The searches stand in a file of their own, which is also a program.
SEARCH = load_code(Path(__file__).with_name("search.py"))
#: Seeds of the searches whose witnesses the study keeps.
SEARCHED = (1, 2, 3)
#: Of the rate of a link, what is left for data beside headers of 40 to 60 bytes.
PAYLOAD = 0.95
#: A witness that is run on, s.
LONGER_S = 60.0
#: The controls whose two flows share the path.
STARVED = ("vegas", "copa", "bbr")


def _without_pulses(scenario: ac.Scenario) -> ac.Scenario:
    return replace(scenario, flows=[flow for flow in scenario.flows if flow.name != "pulses"])


def _without_drops(scenario: ac.Scenario) -> ac.Scenario:
    return replace(scenario, changes=[])


def _with_link(scenario: ac.Scenario, **keys: Any) -> ac.Scenario:
    assert isinstance(scenario.topology, ac.Dumbbell)
    link = replace(scenario.topology.bottleneck, **keys)
    return replace(scenario, topology=replace(scenario.topology, bottleneck=link))


def _without_jitter(scenario: ac.Scenario) -> ac.Scenario:
    return _with_link(scenario, loss=[], reverse={})


def _without_late_start(scenario: ac.Scenario) -> ac.Scenario:
    return replace(scenario, flows=[replace(flow, start="0 s") for flow in scenario.flows])


def _without_marks(scenario: ac.Scenario) -> ac.Scenario:
    assert isinstance(scenario.topology, ac.Dumbbell)
    return _with_link(scenario, queue=replace(scenario.topology.bottleneck.queue, kind="drop_tail", parameters={}))


#: The network without what is said to be the cause.
SPARED: Mapping[str, Callable[[ac.Scenario], ac.Scenario]] = {
    "pulses": _without_pulses,
    "drops": _without_drops,
    "own_jitter": _without_jitter,
    "late": _without_late_start,
    "marks": _without_marks,
}


def network(result: str, search: int, role: str) -> ac.Scenario:
    """A witness (`found`), or it without its cause (`spared`), with CUBIC in the control's place (`beside`; Reno in
    that of CUBIC), or run on (`longer`).
    """
    scenario: ac.Scenario = ac.load(Path(__file__).parent / "witnesses" / f"{result}-{search}.toml")
    searched = SEARCH.SEARCHES[result]
    if role == "spared":
        scenario = SPARED[searched.cause](scenario)
    if role == "beside":
        control = "reno" if searched.control == "cubic" else "cubic"
        flows = [
            replace(flow, tcp="tcp", control=control) if flow.name and flow.name.startswith("subject") else flow
            for flow in scenario.flows
        ]
        scenario = replace(scenario, flows=flows)
    if role == "longer":
        scenario = replace(scenario, duration=f"{LONGER_S:g} s")
    return scenario


def _scenario(id: str) -> ac.Scenario:
    result, search, role = id.partition("#")[0].split("/")
    return network(result, int(search), role)


def _rate_bps(scenario: ac.Scenario) -> float:
    assert isinstance(scenario.topology, ac.Dumbbell)
    rate = scenario.topology.bottleneck.rate
    assert rate is not None
    return rate_bps(rate)


def _pulsing(scenario: ac.Scenario) -> tuple[float, float, int]:
    """The pulses' rate over the bottleneck's, the share of the time in which they last, and how many they are."""
    for flow in scenario.flows:
        if flow.name == "pulses":
            assert isinstance(flow.app, ac.Cbr) and flow.spans is not None
            lasts_s = sum(time_s(span.stop or scenario.duration) - time_s(span.start) for span in flow.spans)
            rate = rate_bps(flow.app.rate) / _rate_bps(scenario)
            return rate, lasts_s / time_s(scenario.duration), len(flow.spans)
    return 0.0, 0.0, 0


def utilisation(kept: Kept, scenario: ac.Scenario) -> float:
    """Share that the first flow fills of what the pulses leave."""
    rate, share, _ = _pulsing(scenario)
    free_bps = PAYLOAD * _rate_bps(scenario) * (1 - min(rate, 1.0) * share)
    delivered: float = kept.results.rows("flows")[0]["delivered_bytes"]
    return 8 * delivered / (free_bps * time_s(scenario.duration))


def _last_bps(kept: Kept, scenario: ac.Scenario) -> list[float]:
    """Rates of the flows in the last quarter of a run."""
    begin_s = 0.75 * time_s(scenario.duration)
    rows = [row for row in kept.results.rows("flow_series") if row["time_s"] > begin_s]
    flows = range(1, len(scenario.flows) + 1)
    return [fmean(row["throughput_bps"] or 0.0 for row in rows if row["flow"] == flow) for flow in flows]


def stall(kept: Kept, scenario: ac.Scenario) -> float:
    """Share of the bottleneck that the flow fills in the last quarter."""
    return _last_bps(kept, scenario)[0] / _rate_bps(scenario)


def latecomer(kept: Kept, scenario: ac.Scenario) -> float:
    """Rate of the first flow over that of the second in the last quarter."""
    first, second = _last_bps(kept, scenario)
    return first / second


def _goodputs_bps(kept: Kept) -> list[float]:
    return [row["goodput_bps"] or 0.0 for row in kept.results.rows("flows")]


def starvation(kept: Kept, scenario: ac.Scenario) -> float:
    """Goodput of the slower flow over that of the faster."""
    del scenario
    goodputs = _goodputs_bps(kept)
    return min(goodputs) / max(goodputs)


def others_share(kept: Kept, scenario: ac.Scenario) -> float:
    """The peer's share of the goodput."""
    del scenario
    subject, peer = _goodputs_bps(kept)
    return peer / (subject + peer)


#: What is measured of each result; the lower, the worse.
FIGURES: Mapping[str, Callable[[Kept, ac.Scenario], float]] = {
    "lowrate": utilisation,
    "stall": stall,
    **dict.fromkeys(STARVED, starvation),
    "early_loss": stall,
    "latecomer": latecomer,
    "coexistence": others_share,
}
#: The bounds of the searches; that of coexistence is the peer's.
BOUNDS = {name: 0.3 if name in ("lowrate", "early_loss") else 0.1 for name in FIGURES}


def _timeouts(kept: Kept, scenario: ac.Scenario) -> float:
    """Timeouts for each pulse."""
    timeouts: float = kept.results.rows("flows")[0]["timeouts"]
    return timeouts / _pulsing(scenario)[2]


def _attackers_rate(kept: Kept, scenario: ac.Scenario) -> float:
    """The pulses' mean rate over the bottleneck's."""
    del kept
    rate, share, _ = _pulsing(scenario)
    return rate * share


def _marked(kept: Kept, scenario: ac.Scenario) -> float:
    """Packets of DCTCP that were marked."""
    del scenario
    marked: float = kept.results.rows("flows")[0]["marked_packets"]
    return marked


def measure(runs: Runs) -> dict[str, Measured]:
    """What was measured for every claim."""

    def of(result: str, role: str, figure: Callable[[Kept, ac.Scenario], float]) -> Settings:
        found = {}
        for search in SEARCHED:
            id = f"{result}/{search}/{role}"
            found[f"seed {search}"] = runs.over(id, partial(_figure, figure, _scenario(id)))
        return Settings(found)

    measured: dict[str, Measured] = {}
    for name, figure in FIGURES.items():
        measured[f"{name}.found"] = of(name, "found", figure)
        measured[f"{name}.spared"] = of(name, "spared", figure)
        measured[f"{name}.beside"] = of(name, "beside", figure)
    measured |= {
        "lowrate.attacker": of("lowrate", "found", _attackers_rate),
        "lowrate.timeouts": of("lowrate", "found", _timeouts),
        "coexistence.marks": of("coexistence", "found", _marked),
    }
    if "stall/1/longer" in runs:
        measured["stall.permanent"] = of("stall", "longer", stall)
        measured["early_loss.returns"] = of("early_loss", "longer", stall)
    return measured


def _figure(figure: Callable[[Kept, ac.Scenario], float], scenario: ac.Scenario, kept: Kept) -> float:
    return figure(kept, scenario)


def figures(runs: Runs, folder: Path) -> list[Figure]:
    """Draw the study's figures into the folder."""
    with style():
        return [_all(runs, folder), _over_time(runs, folder)]


NAMES = {
    "lowrate": "Reno, pulses",
    "stall": "BBR, drops",
    "vegas": "Vegas, jitter",
    "copa": "Copa, jitter",
    "bbr": "BBR, jitter",
    "early_loss": "CUBIC, early loss",
    "latecomer": "LEDBAT, late start",
    "coexistence": "CUBIC beside DCTCP, marks",
}
ROLES = {"found": "the witness", "spared": "without the cause", "beside": "another control"}


def _all(runs: Runs, folder: Path) -> Figure:
    """Each result's figure in its three witnesses, without their causes, and with another control."""
    figure, (axes,) = panels(1, 1, x="figure of the property", y="", size=(7.6, 3.6))
    names = list(FIGURES)
    for number, (role, label) in enumerate(ROLES.items()):
        points = [
            (max(FIGURES[name](runs[id], _scenario(id)), 1e-4), row - 0.22 * (number - 1))
            for row, name in enumerate(reversed(names))
            for id in (f"{name}/{search}/{role}" for search in SEARCHED)
        ]
        axes.plot(
            [value for value, _ in points],
            [row for _, row in points],
            **{**SERIES[number], "linestyle": "none"},
            marker="os^"[number],
            markersize=4,
            label=label,
        )
    for row, name in enumerate(reversed(names)):
        axes.plot([BOUNDS[name]] * 2, [row - 0.4, row + 0.4], **GUIDE)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), [NAMES[name] for name in reversed(names)])
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper right", ncols=3)
    ids = [f"{name}/1/found" for name in names]
    caption = "Each witness fails its bound (the line); without its cause the same network keeps it."
    return Figure(save(figure, folder / "figures.svg"), caption, ids)


def _over_time(runs: Runs, folder: Path) -> Figure:
    """Rates over time in the first witnesses of four results."""
    longer = "longer" if "stall/1/longer" in runs else "found"
    shown = {"lowrate": "found", "stall": longer, "early_loss": longer, "latecomer": "found"}
    figure, grid = panels(2, 2, x="time (s)", y="rate / bottleneck", size=(7.6, 4.2))
    for axes, (name, role) in zip(grid, shown.items(), strict=True):
        id = f"{name}/1/{role}"
        scenario = _scenario(id)
        axes.set_title(NAMES[name])
        subjects = [flow for flow in scenario.flows if flow.name and flow.name.startswith("subject")]
        for number in range(1, len(subjects) + 1):
            rows = [row for row in runs[id].results.rows("flow_series") if row["flow"] == number]
            rates = [(row["throughput_bps"] or 0.0) / _rate_bps(scenario) for row in rows]
            axes.plot([row["time_s"] for row in rows], rates, **SERIES[number - 1])
        axes.set_ylim(0, 1.1)
    ids = [f"{name}/1/{role}" for name, role in shown.items()]
    caption = "Rates of the control's flows in the first witnesses; BBR's and CUBIC's are run on (not with --quick)."
    return Figure(save(figure, folder / "rates.svg"), caption, ids)
