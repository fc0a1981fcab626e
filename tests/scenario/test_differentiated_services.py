"""Differentiated services in descriptions: mistakes, and the words of ns-2 for them."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.resolve.network import resolve

RED: dict[str, Any] = {"thresh": "5 packets", "maxthresh": "15 packets", "max_p": 0.1}
QUEUE = ac.PhysicalQueue(precedences=[ac.Precedence(code_points=[10], **RED), ac.Precedence(code_points=[11], **RED)])
POLICY: dict[str, Any] = {"meter": "token_bucket", "code_point": 10, "rate": "1 Mb/s", "burst": "5 kB", "yellow": 11}


def served(queues: list[ac.PhysicalQueue], *policies: dict[str, Any], kind: str = "ds_red_edge") -> ac.Scenario:
    diffserv = ac.DiffServ(queues=queues, policies=[ac.Policy(**policy) for policy in policies])
    queue = ac.Queue(kind=kind, diffserv=diffserv)
    line = ac.Link(rate="1 Mb/s", delay="1 ms", queue=queue, reverse=ac.Reverse(queue=ac.Queue()))
    flows = [ac.Flow(pair=1, tcp="sack")]
    return ac.Scenario(topology=ac.Dumbbell(bottleneck=line, pairs=1), flows=flows, duration="1 s")


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: ac.Policy(**{**POLICY, "meter": "token_bukket"}), "meter"),
        (lambda: ac.Policy(**{**POLICY, "peak_burst": "9 kB"}), "peak_burst"),
        (lambda: ac.Policy(meter="two_rates", code_point=10, rate="1 Mb/s"), "burst"),
        (lambda: ac.Policy(meter="none", code_point=40), "code_point"),
        (lambda: served([QUEUE], {**POLICY, "yellow": 12}), "policies.0.yellow"),
        (lambda: served([QUEUE, QUEUE], POLICY), "queues.1.precedences.0.code_points"),
        (lambda: served([QUEUE] * 9, POLICY), "queues"),
        (lambda: served([QUEUE], POLICY, {**POLICY, "source": "left1", "yellow": 10}), "policies.1.yellow"),
        (lambda: ac.Precedence(code_points=[1], **{**RED, "maxthresh": "4 packets"}), "maxthresh"),
        (lambda: ac.run(served([QUEUE], POLICY, kind="ds_red_core")), "topology.bottleneck.queue.diffserv.policies"),
        (lambda: ac.run(served([QUEUE])), "topology.bottleneck.queue.diffserv.policies"),
        (
            lambda: ac.run(served([QUEUE], {**POLICY, "source": "left9"})),
            "topology.bottleneck.queue.diffserv.policies.0.source",
        ),
        (lambda: ac.run(served([QUEUE], POLICY, kind="red")), "topology.bottleneck.queue.diffserv"),
    ],
)
def test_mistakes_about_differentiated_services(make: Any, key: str) -> None:
    with pytest.raises(ac.ScenarioError) as raised:
        make()
    assert raised.value.key == key, str(raised.value)


def test_differentiated_services_in_ns2s_words() -> None:
    # The order of a policy's numbers is that of the ns-2 manual's chapter on differentiated services:
    # TSW2CM CIR, TSW3CM CIR PIR, TokenBucket CIR CBS, srTCM CIR CBS EBS, trTCM CIR CBS PIR PBS.
    best = ac.PhysicalQueue(
        precedences=[ac.Precedence(code_points=[point], **RED) for point in (10, 11, 12)], average="decoupled", weight=3
    )
    numbers = {"rate": "1 Mb/s", "burst": "5 kB", "peak_rate": "2 Mb/s", "peak_burst": "8 kB"}
    scenario = served(
        [best],
        {"meter": "two_rates", "source": "left1", "code_point": 10, "yellow": 11, "red": 12, **numbers},
        {"meter": "single_rate", "code_point": 10, "rate": "1 Mb/s", "burst": "5 kB", "excess_burst": "6 kB",
         "yellow": 11, "red": 12},
        {"meter": "sliding_window_3", "code_point": 10, "rate": "1 Mb/s", "peak_rate": "2 Mb/s",
         "yellow": 11, "red": 12},
    )  # fmt: skip
    assert resolve(scenario).links[2].commands == [
        "setNumPrec 3",
        "setSchedularMode RR",
        "setMREDMode RIO-D 0",
        "addQueueWeights 0 3",
        "addPHBEntry 10 0 0",
        "configQ 0 0 5 15 0.1 0.002",
        "addPHBEntry 11 0 1",
        "configQ 0 1 5 15 0.1 0.002",
        "addPHBEntry 12 0 2",
        "configQ 0 2 5 15 0.1 0.002",
        "addPolicyEntry 0 -1 trTCM 10 1000000.0 5000 2000000.0 8000",
        "addPolicyEntry -1 -1 srTCM 10 1000000.0 5000 6000",
        "addPolicyEntry -1 -1 TSW3CM 10 1000000.0 2000000.0",
        "addPolicerEntry trTCM 10 11 12",
        "addPolicerEntry srTCM 10 11 12",
        "addPolicerEntry TSW3CM 10 11 12",
    ]
