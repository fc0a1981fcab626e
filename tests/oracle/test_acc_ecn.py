"""AccECN on the wire: the three flags, the count that wraps and the option, as tshark reads them (RFC 9768)."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from test_pcapng import fields

#: what a sender with AccECN is
VALUES: dict[str, bool | int | float | str] = {"ecn": True, "acc_ecn": True}


@pytest.fixture(scope="module")
def tshark() -> str:
    found = shutil.which("tshark")
    if found is None:
        pytest.skip("tshark is not installed (Debian: apt-get install tshark)")
    return found


def scenario(losses: list[ac.Loss], back: list[ac.Loss] | None = None, **flow: Any) -> ac.Scenario:
    """One sender over a line of 50 Mb/s and 20 ms, there and back; the SYN is number 0, the first data number 2."""
    flow = {"tcp": "reno", "parameters": VALUES, "app": ac.Ftp(size="300 packets"), **flow}
    line = ac.Link(
        rate="50 Mb/s",
        delay="10 ms",
        queue=ac.Queue(limit="1000 packets"),
        loss=losses,
        reverse=ac.Reverse(loss=back or []),
    )
    return ac.Scenario(
        topology=ac.Chain(nodes=2, link=line),
        flows=[ac.Flow(source="node1", destination="node2", **flow)],
        duration="20 s",
        defaults="linux",
        record=ac.Record(changes=True, capture=["node1->node2", "node2->node1"]),
    )


def mark(*numbers: int) -> list[ac.Loss]:
    return [ac.Loss(kind="list", packets=list(numbers), mark=True)]


def captured(tshark: str, described: ac.Scenario, folder: Path, keep: str, *names: str) -> list[list[str]]:
    ac.run(described, pcapng=folder / "out.pcapng")
    return fields(tshark, folder / "out.pcapng", keep, *names)


FLAGS = ("tcp.flags.ae", "tcp.flags.cwr", "tcp.flags.ece")


# RFC 9768, table 2: (AE, CWR, ECE) of the SYN and of its answer; RFC 3168, 6.1.1 for ordinary ECN. As in Linux, SYNs
# are not ECN-capable (RFC 3168, 6.1.1), except DCTCP's.
@pytest.mark.parametrize(
    ("tcp", "values", "asked", "answered"),
    [
        ("reno", VALUES, "111", "010"),
        ("prague", {}, "111", "010"),
        ("dctcp", {"acc_ecn": True}, "111", "100"),
        ("reno", {"ecn": True}, "011", "001"),
        ("reno", {}, "000", "000"),
    ],
)
def test_the_handshake_of_the_table(
    tshark: str, tmp_path: Path, tcp: str, values: dict[str, Any], asked: str, answered: str
) -> None:
    described = scenario([], tcp=tcp, parameters=values)
    found = captured(tshark, described, tmp_path, "tcp.flags.syn == 1", "ip.src", *FLAGS)
    assert ["".join(flags) for _, *flags in found] == [asked, answered]
    # RFC 6928, 2: the first window.
    times = fields(tshark, tmp_path / "out.pcapng", "tcp.len > 0", "frame.time_epoch")
    first = sum(float(time) < 0.035 for (time,) in times)
    assert first == 10


def test_the_count_goes_on_behind_seven(tshark: str, tmp_path: Path) -> None:
    # 3.2.1: it begins with 5. Marked are 12 packets, so that it wraps twice; data carry the sender's own count, ever 5.
    # 3.2.2.1: the ACK of the handshake says which ECN field the SYN-ACK had, 2 for Not-ECT.
    marked = [30, 31, 40, 41, 42, 60, 80, 81, 82, 83, 100, 120]
    found = captured(tshark, scenario(mark(*marked)), tmp_path, "tcp.flags.syn == 0", "ip.src", "tcp.flags.ace")
    own = [ace for source, ace in found if source == "10.0.0.0"]
    assert own[0] == "2" and set(own[1:]) == {"5"}
    told = [int(ace) for source, ace in found if source == "10.0.0.1"]
    # Each count but for some of those amid a run of marks is told, and the last is 5 + 12.
    steps = [(later - earlier) % 8 for earlier, later in pairwise(told)]
    assert told[0] == 5 and sum(steps) == 12 and max(steps) <= 2 and told[-1] == (5 + 12) % 8


def test_the_option_tells_bytes(tshark: str, tmp_path: Path) -> None:
    # 3.2.1: the counters of ECT(0) and ECT(1) begin with 1, CE's with 0. The option takes 12 bytes of a packet's 1448.
    names = ("ip.src", "tcp.options.acc_ecn.ee0b", "tcp.options.acc_ecn.eceb", "tcp.options.acc_ecn.ee1b")
    found = captured(tshark, scenario(mark(30, 31, 50)), tmp_path, "tcp.options.acc_ecn", *names)
    assert found[0] == ["10.0.0.1", "1", "0", "1"]  # the answer to the SYN
    told = [ce for source, _, ce, _ in found if source == "10.0.0.1" and ce]
    assert sorted(set(told), key=int) == [str(1436 * marked) for marked in range(4)]
    assert found[-1][:3] == ["10.0.0.1", str(1 + 1448 * 300 - 1436 * 3), str(1436 * 3)]
    # ECT(1) goes first where it is what comes: order 1, kind 174.
    described = scenario([], tcp="prague", parameters={})
    found = captured(tshark, described, tmp_path, "tcp.options.acc_ecn && tcp.len == 0", *names)
    assert found[-1][3] == str(1 + 1448 * 300)
    assert (
        fields(tshark, tmp_path / "out.pcapng", "_ws.malformed || _ws.expert.severity == error", "frame.number") == []
    )


@pytest.mark.parametrize("option", [True, False])
def test_a_count_may_wrap_while_acks_are_lost(option: bool) -> None:
    # Appendix A.2: three packets are marked, and the ACKs of more than ten packets are lost. By three bits alone eight
    # more marks, or sixteen, might be hidden, so they are assumed; the bytes of the option say that there were none.
    told: list[int] = []

    class Watch(ac.CongestionControl):
        def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> None:
            told.append(ack.marked_packets)
            super().on_ack(state, ack)

        def on_mark(self, state: ac.SenderState) -> None:
            """The window stays, so that every ACK is told."""

    acks_lost = [ac.Loss(kind="list", packets=list(range(22, 31)))]
    described = scenario(
        mark(31, 32, 33), acks_lost, tcp="tcp", control=Watch, receiver_parameters={"acc_ecn_option": option}
    )
    (flow,) = ac.run(described).rows("flows")
    assert flow["marked_packets"] == 3
    assert sum(told) == 3 if option else sum(told) in (11, 19)


def test_without_an_answer_the_third_syn_asks_for_nothing(tshark: str, tmp_path: Path) -> None:
    # 3.1.4.1: the first SYN that is sent again still asks, the next does not; then no packet may be marked (3.1.5).
    lost = [ac.Loss(kind="list", packets=[0, 1])]
    found = captured(tshark, scenario(lost), tmp_path, "tcp.flags.syn == 1 && ip.src == 10.0.0.0", *FLAGS)
    assert ["".join(flags) for flags in found[-1:]] == ["000"]
    assert {ecn for (ecn,) in fields(tshark, tmp_path / "out.pcapng", "tcp.len > 0", "ip.dsfield.ecn")} == {"0"}


def test_a_receiver_of_ordinary_ecn_is_believed(tshark: str, tmp_path: Path) -> None:
    # Table 2: (0, 0, 1) sets both ends to RFC 3168's feedback: ECE until CWR.
    described = scenario(mark(101), receiver_parameters={"acc_ecn": False, "ecn": True})
    found = captured(tshark, described, tmp_path, "tcp", "ip.src", *FLAGS)
    assert found[0][1:] == ["1", "1", "1"] and found[1][1:] == ["0", "0", "1"]
    assert sum(flags == ["0", "1", "0"] for source, *flags in found if source == "10.0.0.0") == 1
