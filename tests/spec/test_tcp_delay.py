"""Controls that go by delay: the queue that their texts say they leave."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac

RATE = 20e6
PER_S = RATE / (1500 * 8)


def run(duration: str, *flows: ac.Flow) -> tuple[ac.Results, list[float]]:
    """Flows over 20 Mb/s and 40 ms with a deep queue; its delays after 20 s, sampled."""
    bottleneck = ac.Link(rate="20 Mb/s", delay="16 ms", queue=ac.Queue(limit="2000 packets"))
    results = ac.run(
        ac.Scenario(
            topology=ac.Dumbbell(pairs=len(flows), bottleneck=bottleneck, delays=["2 ms"] * len(flows)),
            flows=list(flows),
            duration=duration,
            defaults="linux",
            seed=1,
        )
    )
    link = results.names["links"].index("router1->router2")
    rows = results.rows("link_series")
    return results, [row["queue_packets"] / PER_S for row in rows if row["link"] == link and row["time_s"] > 20]


def flow(pair: int, tcp: str, **more: Any) -> ac.Flow:
    return ac.Flow(pair=pair, tcp=tcp, window="10000 packets", **more)


@pytest.mark.parametrize(("target", "delay_s"), [("100 ms", 0.1), ("40 ms", 0.04)])
def test_ledbat_leaves_its_target_in_the_queue(target: str, delay_s: float) -> None:
    # RFC 6817, 2.4.2: the window stands still where the queueing delay is the target.
    results, delays = run("90 s", flow(1, "ledbat", parameters={"target": target}))
    late = delays[-200:]
    assert sum(late) / len(late) == pytest.approx(delay_s, rel=0.1)
    assert results.rows("flows")[0]["retransmitted_packets"] == 0


def test_ledbat_gives_way() -> None:
    # RFC 6817, 2.1: it yields to what fills the queue beyond its target.
    results, _ = run("60 s", flow(1, "ledbat"), flow(2, "cubic", start="10 s"))
    late = [row for row in results.rows("flow_series") if row["time_s"] > 30]
    own, other = (sum(row["throughput_bps"] for row in late if row["flow"] == number) for number in (1, 2))
    assert own < 0.1 * other


def test_ledbat_pp_stays_below_its_target_and_slows_down() -> None:
    # draft-irtf-iccrg-ledbat-plus-plus, 4.5 and 4.4: 60 ms at most, and slowdowns in which the queue is empty.
    results, delays = run("90 s", flow(1, "ledbat_pp"))
    assert 0.02 < sorted(delays)[len(delays) // 2] < 0.066
    assert min(delays) < 0.002
    assert results.rows("flows")[0]["goodput_bps"] > 0.8 * RATE * 1448 / 1500


def test_copa_leaves_few_packets() -> None:
    # Arun and Balakrishnan 2018, 2.1: around 1/delta = 2 packets a flow, with swings of 2.5/delta: far below what
    # fills the queue, at full use of the link.
    results, delays = run("60 s", flow(1, "copa"))
    packets = sum(delays) / len(delays) * PER_S
    assert 1 < packets < 10
    assert results.rows("flows")[0]["goodput_bps"] > 0.9 * RATE * 1448 / 1500


def test_copa_meets_cubic_in_kind() -> None:
    # 2.2: beside a flow that fills the queue its delta follows losses; without that it would starve.
    def own(**more: Any) -> float:
        bottleneck = ac.Link(rate="20 Mb/s", delay="16 ms", queue=ac.Queue(limit="2 BDP"))
        results = ac.run(
            ac.Scenario(
                topology=ac.Dumbbell(pairs=2, bottleneck=bottleneck, delays=["2 ms", "2 ms"]),
                flows=[flow(1, "copa", **more), flow(2, "cubic")],
                duration="60 s",
                defaults="linux",
            )
        )
        first, second = (row["goodput_bps"] for row in results.rows("flows"))
        return float(first / (first + second))

    assert own() > 0.2 > own(parameters={"mode_switching": False})
