"""Queue disciplines of a Linux host: the default set `linux`, DSCPs, CAKE's tins and ACK filter, `linux_fq`.

What the disciplines do with each packet is compared with the kernel's own C in crates/engine/tests/kernel_queues.rs.
"""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.formats.as_tcl import script
from ackclock.scenario.resolve.network import resolve


def through(queue: ac.Queue, flows: list[ac.Flow], **more: Any) -> ac.Scenario:
    """Flows between pairs of hosts over a link of 100 Mb/s with this queue."""
    topology = ac.Dumbbell(
        pairs=len(flows),
        bottleneck=ac.Link(rate=more.pop("rate", "100 Mb/s"), delay="1 ms", queue=queue),
        access=ac.Link(rate="1 Gb/s", delay="1 ms"),
    )
    return ac.Scenario(topology=topology, flows=flows, duration="10 s", **more)


def rates(scenario: ac.Scenario) -> list[float]:
    """Each flow's rate, Mb/s."""
    return [8 * part / 10 / 1e6 for part in ac.run(scenario).flows.column("received_bytes")]


def streams(*dscps: int | str | None) -> list[ac.Flow]:
    """A stream of 4 Mb/s for each DSCP."""
    return [
        ac.Flow(pair=pair, app=ac.Cbr(rate="4 Mb/s", packet_size="1000 B"), dscp=dscp)
        for pair, dscp in enumerate(dscps, start=1)
    ]


@pytest.mark.parametrize(
    ("diffserv", "dscps", "expected"),
    [
        # tc-cake(8): with besteffort all share; with diffserv4 voice has priority up to a quarter of the rate, video up
        # to a half, bulk a sixteenth. The rest is best effort's. Of 5 Mb/s that is 1.25 for EF, 2.5 for AF41, 0.3125
        # for CS1.
        (0, [None, "EF"], [2.5, 2.5]),
        (4, [None, "EF"], [3.75, 1.25]),
        (4, [None, "AF41"], [2.5, 2.5]),
        (4, [None, "CS1"], [4.0, 1.0]),
        (3, [None, "AF41"], [2.5, 2.5]),
        (3, [None, 46], [3.75, 1.25]),
    ],
)
def test_cakes_tins_share_by_their_thresholds(diffserv: int, dscps: list[Any], expected: list[float]) -> None:
    queue = ac.Queue(kind="cake", limit="100 kB", parameters={"rate": "5 Mb/s", "diffserv": diffserv})
    found = rates(through(queue, streams(*dscps)))
    if dscps == [None, "CS1"]:
        # Best effort wants 4 of 5 Mb/s: what it leaves, more than a sixteenth, is bulk's.
        assert found == pytest.approx(expected, rel=0.05)
    else:
        assert found == pytest.approx(expected, rel=0.03)


def test_tcp_has_a_dscp_too() -> None:
    flows = [ac.Flow(pair=1, tcp="cubic"), ac.Flow(pair=2, tcp="cubic", dscp="CS1")]
    queue = ac.Queue(kind="cake", parameters={"rate": "5 Mb/s", "diffserv": 3})
    first, second = rates(through(queue, flows))
    # Low priority has a sixteenth of the rate while best effort wants all.
    assert second / (first + second) == pytest.approx(1 / 16, abs=0.02)


@pytest.mark.parametrize("wrong", [64, -1, "ef", "AF44"])
def test_what_is_no_dscp_is_said(wrong: int | str) -> None:
    with pytest.raises(ac.ScenarioError, match=r"dscp.*expected a DSCP"):
        ac.Flow(pair=1, tcp="cubic", dscp=wrong)


def test_ns2_has_no_dscp() -> None:
    described = through(ac.Queue(kind="drop_tail"), [ac.Flow(pair=1, tcp="sack", dscp="EF")])
    with pytest.raises(ac.ScenarioError, match=r"flows\.0\.dscp"):
        script(described)


def values(kind: str, **parameters: Any) -> dict[str, Any]:
    """What a queue of the set `linux` is told."""
    queue = ac.Queue(kind=kind, parameters=parameters)
    described = through(queue, [ac.Flow(pair=1, tcp="cubic")], defaults="linux")
    network = resolve(described)
    return dict(next(link for link in network.links if link.queue.name == kind).parameters)


def test_the_linux_set_has_linuxs_queues() -> None:
    # sch_dualpi2.c, dualpi2_reset_default: 16 ms, 41/256, 819/256, a step at 1 ms, min_qlen_step 0.
    dualpi2 = {"tupdate": 0.016, "alpha": 41 / 256, "beta": 819 / 256, "step_min": 0.001, "step_range": 0.0}
    assert values("dualpi2") == dualpi2 | {"step_packets": 0, "as_linux": True}
    # sch_fq_codel.c, fq_codel_init: 32 MB.
    assert values("fq_codel") == {"as_linux": True, "memory_limit": 32 << 20}
    assert values("pie") == values("fq_pie") == values("codel") == {"as_linux": True}
    assert values("cake") == {"as_linux": True, "memory_limit": 0}
    assert values("drop_tail") == {}
    # What the scenario says counts.
    assert values("pie", as_linux=False, target="20 ms") == {"as_linux": False, "target": 0.02}


def test_a_paced_flow_has_its_rate() -> None:
    queue = ac.Queue(kind="linux_fq", parameters={"maxrate": "2 Mb/s"})
    assert rates(through(queue, streams(None, None))) == pytest.approx([2, 2], rel=0.02)


def test_linux_fq_shares_by_flows() -> None:
    # 4 Mb/s for three streams of 4 Mb/s each.
    queue = ac.Queue(kind="linux_fq")
    assert rates(through(queue, streams(None, None, None), rate="4 Mb/s")) == pytest.approx([4 / 3] * 3, rel=0.02)


@pytest.mark.parametrize("tcp", ["sack", "cubic", "full_sack"])
def test_fewer_acks_pass_the_filter_and_the_transfer_ends_as_soon(tcp: str) -> None:
    # ACKs of 100 Mb/s through 200 kb/s: without a filter they limit the transfer.
    def received(ack_filter: int) -> tuple[float, float]:
        back = ac.Reverse(
            rate="200 kb/s",
            queue=ac.Queue(kind="cake", limit="20 kB", parameters={"diffserv": 0, "ack_filter": ack_filter}),
        )
        line = ac.Link(rate="100 Mb/s", delay="10 ms", reverse=back, queue=ac.Queue(limit="500 packets"))
        flow = ac.Flow(source="node1", destination="node2", tcp=tcp, window="500 packets", packet_size="1000 B")
        topology = ac.Chain(nodes=2, link=line)
        results = ac.run(ac.Scenario(topology=topology, flows=[flow], duration="10 s"))
        link = results.rows("links")[results.names["links"].index("node2->node1")]
        return results.flows.column("received_bytes")[0], link["queueing_delay_mean_s"]

    (plain, waited_s), (filtered, less_s) = received(0), received(1)
    assert filtered > 1.3 * plain
    assert less_s < waited_s / 2
