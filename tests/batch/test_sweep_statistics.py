"""Sweeps that replicate until the interval is narrow, and sweeps without their warm-up."""

from __future__ import annotations

from pathlib import Path

import pytest
import scipy.stats  # type: ignore[import-untyped]

import ackclock as ac
from ackclock.batch.sweep import Sweep, seed_of
from ackclock.batch.sweep.compare import compare_with, text
from ackclock.batch.sweep.grid import grid_of
from ackclock.batch.sweep.outcome import Metrics
from test_sweeps import BASE, content

NUMBERS = {seed_of(1, number): number for number in range(400)}


def sawtooth(results: ac.Results) -> dict[str, float]:
    """9 or 11, whichever replication it is; what sends with vegas has no spread."""
    seed = results.scenario.seed
    assert isinstance(seed, int)
    spread = 0 if results.scenario.flows[0].tcp == "vegas" else 1 - 2 * (NUMBERS[seed] % 2)
    return {"x": 10.0 - spread}


def test_replications_come_until_the_interval_is_narrow(tmp_path: Path) -> None:
    # Ten: s = 1.054, t = 2.262, half-width 0.754, of 10: more than 5 %, by 1.508, whose square is above 2. Twenty:
    # s = 1.026, t = 2.093, half-width 0.480, by the look penalty sqrt(1 + 3/20) 0.515: 20 x 1.03^2 = 21.2. Twenty-two:
    # s = 1.024, t = 2.080, half-width 0.454, by sqrt(1 + 3/22) 0.484: less.
    vary = {"flows.0.tcp": ["reno", "vegas"]}
    until = {"metric": "x", "half_width": 0.05}
    done = ac.sweep(BASE, vary=vary, replications=10, until=until, measure=sawtooth, store=tmp_path / "one")
    assert [cell.n for cell in done.cells] == [22, 10] and done.done == done.total == 32
    assert str(done).endswith("replicated until x is within 0.05 of its mean")
    reno, vegas = (cell.interval("x") for cell in done.cells)
    assert reno is not None and reno.half_width == pytest.approx(0.4838, abs=5e-5)
    assert vegas is None and [row["half_width"] for row in done.rows()] == [reno.half_width, None]
    assert "without ±: one value, or all are identical, which is one run" in str(done)
    # 2 %: four times as many as for 4 %; the limit comes first.
    until = {"metric": "x", "half_width": 0.02, "at_most": 50}
    done = ac.sweep(BASE, vary=vary, replications=10, until=until, measure=sawtooth, store=tmp_path / "two")
    assert [cell.n for cell in done.cells] == [50, 10]
    assert str(done).endswith("within 0.02 of its mean; 1 of 2 points are not, at 50 at most")


def test_fewer_than_ten_replications_end_nothing(tmp_path: Path) -> None:
    """Two may be narrow by chance, and two may be identical though their process is random."""

    def late(results: ac.Results) -> dict[str, float]:
        assert results.scenario.seed is not None
        return {"x": 10.0 + (NUMBERS[int(results.scenario.seed)] >= 8)}

    until = {"metric": "x", "half_width": 0.05}
    done = ac.sweep(BASE, replications=2, until=until, measure=late, store=tmp_path / "store")
    assert [cell.n for cell in done.cells] == [10]
    assert done.cells[0].values("x") == [10.0] * 8 + [11.0] * 2


def table_of(columns: dict[str, list[list[float]]]) -> Sweep:
    """A sweep over the variants of one key, with these metrics: a list for each variant."""
    first = next(iter(columns.values()))
    vary = {"flows.0.tcp": ["reno", "sack", "vegas", "tahoe"][: len(first)]}
    grid = grid_of(BASE, vary=vary, replications=len(first[0]))
    metrics = Metrics(len(first), len(first[0]))
    for point in range(len(first)):
        for replication in range(len(first[0])):
            metrics.put(point, replication, {name: rows[point][replication] for name, rows in columns.items()})
    return Sweep(grid, metrics, [], metrics.there.size)


def test_stars_are_for_what_is_significant_among_all() -> None:
    # SciPy gives p = 0.038: below 5 % alone, not among two.
    reno = [0.0, 0.0, 0.0, 0.0, 0.0]
    up = [1.0, 2.0, 0.2, 1.4, 0.4]
    p = scipy.stats.ttest_rel(up, reno).pvalue
    assert 0.025 < p < 0.05
    alone = table_of({"x": [reno, up]})
    assert (
        compare_with(alone, "flows.0.tcp", "reno")[0].significant("x")
        and "*" in text(alone, "flows.0.tcp", "reno")[:-60]
    )
    both = table_of({"x": [reno, up, up]})
    found = compare_with(both, "flows.0.tcp", "reno")
    assert [one.p_values["x"] for one in found] == pytest.approx([2 * p, 2 * p])
    assert not any(one.significant("x") for one in found)
    rows = text(both, "flows.0.tcp", "reno").splitlines()
    assert not any("*" in row for row in rows[:-1]) and rows[-1].endswith("significant at 5 % among all 2 (Holm)")
    # The family is what the table shows: another figure belongs to it only where it is asked for.
    more = table_of({"x": [reno, up], "y": [reno, up]})
    assert compare_with(more, "flows.0.tcp", "reno", metrics=["x"])[0].significant("x")
    assert not compare_with(more, "flows.0.tcp", "reno")[0].significant("x")


def test_identical_variants_have_no_difference_and_no_star() -> None:
    noise = [3.0, 1.0, 4.0, 1.5, 5.0]
    told = table_of({"x": [noise, noise, [value + 2 for value in noise], noise[::-1]]})
    same, shifted, other, foot = text(told, "flows.0.tcp", "reno").splitlines()[1:]
    assert same.endswith("no difference") and shifted.endswith("+2 in all 5 pairs") and "*" not in same + shifted
    assert "d_z" in other and ", g " in other and "nan" not in other and foot.endswith("among all 1 (Holm)")


class Stop(Exception):
    """Somebody presses Ctrl-C."""


def test_how_many_there_are_is_not_a_matter_of_interruptions(tmp_path: Path) -> None:
    def sweep(store: str, stop_at: int) -> ac.sweeps.Sweep:
        def progress(done: int, failed: int, total: int) -> None:
            if done >= stop_at:
                raise Stop

        until = {"metric": "loss_ratio", "half_width": 0.1, "at_most": 60}
        vary = {"flows.0.tcp": ["reno", "sack"]}
        return ac.sweep(BASE, vary=vary, replications=5, until=until, store=tmp_path / store, progress=progress)

    whole = sweep("whole", 1000)
    assert max(cell.n for cell in whole.cells) > 5, "nothing to replicate"
    for stop_at in (3, 8, 12):
        with pytest.raises(Stop):
            sweep("broken", stop_at)
    assert sweep("broken", 1000).rows() == whole.rows()
    assert content(tmp_path / "broken") == content(tmp_path / "whole")


def test_a_warm_up_is_left_out(tmp_path: Path) -> None:
    """What comes between 1 s and the last sample, at 1.9 s: what a run to then has, less one to 1 s."""
    scenario = ac.Scenario(topology=BASE.topology, flows=BASE.flows, duration="2 s", record=ac.Record(sample="0.1 s"))
    done = ac.sweep(scenario, replications=2, warm_up="1 s", store=tmp_path / "store")
    ends = [ac.Scenario(topology=BASE.topology, flows=BASE.flows, duration=end) for end in ("1.9 s", "1 s")]
    for number, found in done.cells[0].runs.items():
        seed = seed_of(1, number)
        late, early = (ac.run(end, seed=seed).flows.column("received_bytes") for end in ends)
        later = [(a - b) * 8 / 0.9 for a, b in zip(late, early, strict=True)]
        assert [found["throughput_bps.1"], found["throughput_bps.2"]] == pytest.approx(later)
        assert found["throughput_bps"] == pytest.approx(sum(later))
        assert found["jain"] == pytest.approx(ac.stats.jain(later))
        assert found["warm_up_s"] == pytest.approx(1.0)
    assert "settled" not in done.metrics()


def test_a_warm_up_is_found(tmp_path: Path) -> None:
    scenario = ac.Scenario(topology=BASE.topology, flows=BASE.flows, duration="20 s", record=ac.Record(sample="0.1 s"))
    done = ac.sweep(scenario, replications=3, warm_up="mser5", store=tmp_path / "store")
    series = ac.run(scenario, seed=seed_of(1, 0)).flow_series.column("throughput_bps")
    total = [sum(both) for both in zip(series[2::2], series[3::2], strict=True)]  # without the sample at 0 s
    told = ac.stats.mser5(total)
    found = done.cells[0].runs[0]
    assert found["warm_up_s"] == pytest.approx(told.length * 0.1) and found["settled"] == float(told.ended)
    rest = total[told.length :]
    assert found["throughput_bps"] == pytest.approx(sum(rest) / len(rest))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"warm_up": "soon"}, 'warm_up = "soon": expected a time such as 5 ms, or mser5'),
        ({"until": {"metrik": "x"}}, "until.metrik: unknown key; expected one of .* nearest known: metric"),
        ({"until": {"half_width": 0.1}}, "until.metric: expected the name of a metric"),
        ({"until": {"metric": "x", "half_width": 5}}, "until.half_width = 5: expected a share of the mean"),
        ({"until": {"metric": "x", "at_most": 1}}, "until.at_most = 1: expected a whole number, at least 10"),
        (
            {"until": {"metric": "x"}, "replications": 1},
            "replications = 1: expected at least 2: one replication has no",
        ),
        ({"until": {"metric": "goodputs"}}, 'until.metric = "goodputs": expected a metric .* known: goodput_bps'),
        ({"warm_up": "9 s"}, None),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, object], message: str | None, tmp_path: Path) -> None:
    scenario = ac.Scenario(topology=BASE.topology, flows=BASE.flows, duration="1 s")
    options = {"replications": 2, "store": tmp_path / "store", **given}
    if message is None:
        done = ac.sweep(scenario, **options)  # type: ignore[arg-type]
        assert [failure.error for failure in done.failures] == [
            "measure: ValueError: the run is over before its warm-up, 9 s"
        ] * 2
        return
    with pytest.raises(ac.ScenarioError, match=message):
        ac.sweep(scenario, **options)  # type: ignore[arg-type]


def test_a_warm_up_needs_samples(tmp_path: Path) -> None:
    with pytest.raises(ac.ScenarioError, match=r'warm_up = "1 s": expected samples.*record.sample is 0 s'):
        ac.sweep(BASE, warm_up="1 s", store=tmp_path / "store")
