"""A congestion control of one's own on today's sender: the engine's rule in Python, pacing, rates, mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ackclock as ac


class Reno(ac.CongestionControl):
    """RFC 5681, 3.1 with bytes counted: the rule of the engine's `reno`."""

    def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> None:
        left = float(ack.packets) if state.is_limited else 0.0
        if state.cwnd_packets < state.ssthresh_packets:
            taken = min(left, state.ssthresh_packets - state.cwnd_packets)
            state.cwnd_packets += taken
            left -= taken
        state.cwnd_packets += left / state.cwnd_packets

    def on_loss(self, state: ac.SenderState) -> None:
        state.cwnd_packets = state.ssthresh_packets = max(2, int(state.cwnd_packets / 2))

    def on_timeout(self, state: ac.SenderState) -> None:
        state.ssthresh_packets = max(2, int(state.cwnd_packets / 2))


class Rate(ac.CongestionControl):
    """Paces at the greatest delivery rate of late, and keeps two windows of it in flight: half of BBR."""

    traced = ("rate",)

    def on_start(self, state: ac.SenderState) -> None:
        self.rate = 0.0

    def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> None:
        if ack.delivery_packets_per_s is not None and not ack.is_app_limited:
            self.rate = max(self.rate, ack.delivery_packets_per_s)
        if self.rate and state.min_rtt_s:
            grown = self.rate * (2.0 if state.now_s < 1 else 1.0)
            state.pacing_packets_per_s = grown
            state.cwnd_packets = max(4.0, 2 * self.rate * state.min_rtt_s)

    def on_loss(self, state: ac.SenderState) -> None:
        """Losses say nothing to it."""


def scenario(control: Any, losses: list[ac.Loss], **more: Any) -> ac.Scenario:
    bottleneck = ac.Link(
        rate="10 Mb/s", delay="16 ms", queue=ac.Queue(limit="2 BDP"), loss=losses, reverse=ac.Reverse(loss=[])
    )
    flow: dict[str, Any] = {"tcp": "tcp", "control": control, "window": "1000 packets", **more}
    return ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=bottleneck, delays=["2 ms"]),
        flows=[ac.Flow(pair=1, **flow)],
        duration="30 s",
        defaults="linux",
        record=ac.Record(changes=True, sample="0.1 s"),
    )


def test_reno_in_python_is_the_engines() -> None:
    lost = [ac.Loss(kind="periodic", period=400)]
    (native,) = ac.run(scenario("reno", lost)).rows("flows")
    (own,) = ac.run(scenario(Reno, lost)).rows("flows")
    assert native["retransmitted_packets"] > 20 and own["timeouts"] == native["timeouts"]
    # The engine's keeps parts of packets in its threshold, a class whole ones.
    assert own["received_packets"] == pytest.approx(native["received_packets"], rel=0.03)
    assert own["retransmitted_packets"] == pytest.approx(native["retransmitted_packets"], rel=0.03)


def test_it_paces_by_the_rates_that_it_is_told() -> None:
    results = ac.run(scenario(Rate, [ac.Loss(kind="uniform", rate=0.01)]))
    (flow,) = results.rows("flows")
    # 10 Mb/s are 833 packets a second; a hundredth of the packets is lost, which slows it by no more than that.
    rates = [row["value"] for row in results.rows("own_changes")]
    assert rates[-1] == pytest.approx(10e6 / 12000, rel=0.02)
    assert flow["goodput_bps"] > 0.95 * 10e6 * 1448 / 1500
    late = [row["queue_packets"] for row in results.rows("link_series") if row["time_s"] > 5 and row["link"] == 2]
    assert sum(late) / len(late) < 34, "less than a window waits"


def test_marks_and_accurate_feedback_reach_it() -> None:
    class Marked(ac.CongestionControl):
        def on_start(self, state: ac.SenderState) -> None:
            self.marks = 0

        def on_mark(self, state: ac.SenderState) -> None:
            self.marks += 1
            super().on_mark(state)
            if self.marks == 3:
                raise ValueError("the third mark")

    marks = [ac.Loss(kind="periodic", period=100, mark=True)]
    with pytest.raises(ac.SimulationError, match=r"Marked.on_mark: ValueError: the third mark"):
        ac.run(scenario(Marked, marks, parameters={"ecn": True, "acc_ecn": True}))


def test_a_false_sign_is_told() -> None:
    seen: list[tuple[str, float]] = []

    class Watch(Reno):
        def on_loss(self, state: ac.SenderState) -> None:
            seen.append(("loss", state.cwnd_packets))
            super().on_loss(state)

        def on_undo(self, state: ac.SenderState) -> None:
            seen.append(("undo", state.cwnd_packets))

    ac.run(scenario(Watch, [ac.Loss(kind="list", packets=[60], delay="20 ms")], app=ac.Ftp(size="150 packets")))
    assert [what for what, _ in seen][:2] == ["loss", "undo"]
    assert seen[1][1] >= seen[0][1]


def test_what_is_no_rate_is_an_error() -> None:
    class Wrong(ac.CongestionControl):
        def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> None:
            state.pacing_packets_per_s = -1.0

    with pytest.raises(ac.SimulationError, match="a rate is a positive number"):
        ac.run(scenario(Wrong, []))


def test_a_scenario_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "half.py").write_text(
        "import ackclock as ac\n\n\nclass Half(ac.CongestionControl):\n    part: float = 0.5\n\n"
        "    def on_loss(self, state):\n        state.cwnd_packets *= self.part\n"
    )
    (tmp_path / "net.toml").write_text(
        'duration = "2 s"\ndefaults = "linux"\n[topology]\nkind = "dumbbell"\npairs = 1\n'
        'bottleneck = { rate = "5 Mb/s", delay = "10 ms" }\n'
        '[[flows]]\npair = 1\ntcp = "tcp"\ncontrol = "half:Half"\nparameters = { part = 0.8, pacing = true }\n'
    )
    results = ac.run(ac.load(tmp_path / "net.toml"))
    assert results.names["flows"] == ["Half-1"] and results.rows("flows")[0]["goodput_bps"] > 3e6
