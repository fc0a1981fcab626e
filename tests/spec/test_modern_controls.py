"""What texts say of whole runs of today's congestion controls: slow start, the set `linux`, tail losses, marks."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario import defaults


def outage(tcp: str, **parameters: Any) -> dict[str, Any]:
    """One flow at 50 Mb/s and 52 ms with a queue of 2 BDP; the link to the receiver is down from 6 to 6.5 s."""
    bottleneck = ac.Link(rate="50 Mb/s", delay="25 ms", queue=ac.Queue(limit="2 BDP"))
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=bottleneck),
        flows=[ac.Flow(pair=1, tcp=tcp, parameters=parameters)],
        duration="20 s",
        defaults="linux",
        changes=[
            ac.Change(at="6 s", link="router1->router2", up=False),
            ac.Change(at="6.5 s", link="router1->router2", up=True),
        ],
    )
    (flow,) = ac.run(scenario).rows("flows")
    assert flow["timeouts"] >= 1
    return flow


def test_hystart_is_for_the_initial_slow_start() -> None:
    # RFC 9406, 4.3: only for the initial slow start. The slow start after a timeout is the standard one, so HyStart++
    # costs a long flow nothing then.
    with_it, without = (outage("cubic", hystart=hystart)["goodput_bps"] for hystart in (True, False))
    assert with_it >= 0.95 * without


def test_a_window_of_linux_fills_a_long_fast_path() -> None:
    # Linux 6.16 and later: tcp_rmem[2] is 32 MB, of which the scaling ratio of 128/256 leaves 16 MB of window: 11,586
    # segments of 1448 bytes. The path holds 1 Gb/s * 80 ms = 10 MB.
    set_linux = defaults.data()["linux"]
    assert set_linux["tcp"]["window"]["value"] == 33554432 * 128 // 256 // 1448 == 11586
    bottleneck = ac.Link(rate="1 Gb/s", delay="38 ms", queue=ac.Queue(limit="1 BDP"))
    access = ac.Link(rate="10 Gb/s", delay="1 ms")
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=bottleneck, access=access),
        flows=[ac.Flow(pair=1, tcp="cubic")],
        duration="8 s",
        defaults="linux",
    )
    # 1448 of 1500 bytes are data: 965 Mb/s. Slow start and the loss that ends it cost about the first second of eight.
    assert ac.run(scenario).rows("flows")[0]["goodput_bps"] > 0.875 * 1e9 * 1448 / 1500
