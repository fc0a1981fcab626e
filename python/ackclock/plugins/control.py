"""The congestion control that users' own are made from."""

from __future__ import annotations

from ackclock._native import Ack, SenderState
from ackclock.plugins.code import PluginCode


class CongestionControl(PluginCode):
    """How much a TCP sender may have in flight. As it stands it is Reno's window rule; a class made from it overrides
    what it does otherwise.

    There is an object for each flow, made without arguments before the run. What to retransmit is the sender's, which
    the flow's `tcp` names: `reno`, `new_reno` or `sack`, or today's, `modern`. The methods are told what has happened
    and set `state.cwnd_packets` and `state.ssthresh_packets`; they return nothing. During fast recovery the sender adds
    duplicate ACKs to the window by itself and asks nothing. `modern` goes down to a smaller window by PRR (RFC 9937)
    and goes by `state.pacing_packets_per_s`. The initial window, an idle sender's and the receiver's window (the flow's
    `window`, 20 packets unless given) are the sender's business too.

    A class attribute that is a number or a flag is a parameter with its default: a scenario's `parameters` may give
    another, with a unit if that helps (`"5 ms"` is 0.005). With `Record(changes=True)` each change of an attribute that
    `traced` names is a row of the table `own_changes`.

    An exception ends the run: `SimulationError` with the flow's name and the simulated time, and the exception as its
    cause.
    """

    def on_start(self, state: SenderState) -> None:
        """The connection starts: everything is at its beginning."""

    def on_ack(self, state: SenderState, ack: Ack) -> None:
        """New data was acknowledged, outside recovery. Not called for the SYN, whose ACK brings the initial window."""
        if ack.marked or not state.is_limited:
            return
        if state.cwnd_packets < state.ssthresh_packets:
            state.cwnd_packets += 1
        else:
            state.cwnd_packets += 1 / state.cwnd_packets

    def on_loss(self, state: SenderState) -> None:
        """Duplicate ACKs tell of a loss: once for each fast retransmission, before the packet is sent again."""
        half = max(1.0, state.window_packets / 2)
        state.ssthresh_packets = half
        state.cwnd_packets = half

    def on_mark(self, state: SenderState) -> None:
        """A congestion mark was echoed, the first in a round trip. Needs `parameters={"ecn": True}`."""
        self.on_loss(state)

    def on_timeout(self, state: SenderState) -> None:
        """The retransmission timer has come up; sending goes on from the first packet that is not acknowledged."""
        state.ssthresh_packets = state.window_packets / 2
        state.cwnd_packets = 1

    def on_undo(self, state: SenderState) -> None:
        """The last loss or timeout proved to be none (RFC 3522, 3708, 5682): window and threshold are as before it.

        Only the sender `modern` finds that out.
        """
