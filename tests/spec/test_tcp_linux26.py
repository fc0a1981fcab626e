"""Controls of Linux 2.6.22 on today's sender: the threshold after a loss is the one of their papers."""

from __future__ import annotations

import pytest

import ackclock as ac

#: The receiver's window, packets. It is less than the path of 100 ms and 10 Mb/s holds, so there is no queue.
WINDOW = 40
#: RFC 5681 lets slow start double the window once more after it has reached the receiver's.
SLOW_START = 2 * WINDOW


def threshold_after_two_losses(tcp: str) -> float:
    """The threshold, packets, after two packets were lost, a second or more apart."""
    link = ac.Link(
        rate="10 Mb/s", delay="50 ms", loss=ac.Loss(kind="list", packets=[1000, 2000]), reverse=ac.Reverse(loss=[])
    )
    results = ac.run(
        ac.Scenario(
            topology=ac.Chain(nodes=2, link=link),
            flows=[ac.Flow(source="node1", destination="node2", tcp=tcp, window=f"{WINDOW} packets")],
            duration="8 s",
            defaults="linux",
            record=ac.Record(sample="0.1 s"),
        )
    )
    (flow,) = results.rows("flows")
    assert (flow["dropped_packets"], flow["timeouts"]) == (2, 0)
    return float(results.flow_series.column("ssthresh_packets")[-1])


def test_westwood_returns_to_what_the_measured_rate_fills() -> None:
    # Grieco and Mascolo 2004: window and threshold are BWE * RTTmin after three duplicate ACKs. A window of 40 packets
    # in each round trip of RTTmin is a rate of 40 packets per RTTmin, after the second loss as after the first. A
    # period of measurement is longer than a round trip by up to an ACK, and the round trip of the loss has less.
    assert threshold_after_two_losses("westwood") == pytest.approx(WINDOW, rel=0.1)


def test_illinois_gives_up_an_eighth_where_there_is_no_queue() -> None:
    # Liu, Basar and Srikant 2006: W becomes (1 - beta) W, with beta_min = 1/8 where the queueing delay is short.
    assert threshold_after_two_losses("illinois") == pytest.approx(SLOW_START * (7 / 8) ** 2, abs=2)


def test_reno_gives_up_half_there() -> None:
    # RFC 5681, equation 4, from 80 and from 40 packets: the same network tells the controls apart.
    assert threshold_after_two_losses("reno") == pytest.approx(SLOW_START / 4, abs=2)
