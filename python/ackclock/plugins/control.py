"""The congestion control that users' own are made from."""

from __future__ import annotations

from ackclock._native import Ack, SenderState
from ackclock.plugins.code import PluginCode


class CongestionControl(PluginCode):
    """How much a TCP sender may have in flight. The base class is Reno's window rule; a subclass overrides what
    differs.

    Each flow has an object, made without arguments before the run. What to retransmit is decided by the sender, the
    flow's `tcp`: `reno`, `new_reno` or `sack`, or today's, `tcp`. The methods get a `state` and set
    `state.cwnd_packets` (packets) and `state.ssthresh_packets` (packets); they return nothing. `ack` is what the ACK
    says. During fast recovery the sender itself adds duplicate ACKs to the window and calls nothing. `tcp` goes down
    to a smaller window by PRR (RFC 9937) and paces at `state.pacing_packets_per_s`. The sender also controls the
    initial window, the restart after idle time and the receiver's window (the flow's `window`, 20 packets by default).

    A class attribute that is a number or a flag is a parameter with its default. A scenario's `parameters` may set
    another, with a unit if that helps (`"5 ms"` is 0.005). With `Record(changes=True)` each change of an attribute that
    `traced` names is a row of the table `own_changes`.

    An exception ends the run: `SimulationError` with the flow's name and the simulated time, and the exception as its
    cause. Source of the base class: RFC 5681, section 3.1, as in ns-2.
    """

    def on_start(self, state: SenderState) -> None:
        """The connection starts: all values are initial."""

    def on_ack(self, state: SenderState, ack: Ack) -> None:
        """New data was acknowledged, outside recovery. Not called for the SYN, whose ACK sets the initial window."""
        if ack.marked or not state.is_limited:
            return
        if state.cwnd_packets < state.ssthresh_packets:
            state.cwnd_packets += 1
        else:
            state.cwnd_packets += 1 / state.cwnd_packets

    def on_loss(self, state: SenderState) -> None:
        """Duplicate ACKs indicate a loss: once for each fast retransmission, before the packet is retransmitted."""
        half = max(1.0, state.window_packets / 2)
        state.ssthresh_packets = half
        state.cwnd_packets = half

    def on_mark(self, state: SenderState) -> None:
        """An ECN mark was echoed, the first in a round trip. Needs `parameters={"ecn": True}`."""
        self.on_loss(state)

    def on_timeout(self, state: SenderState) -> None:
        """The retransmission timer has expired; the sender continues from the first packet that is not acknowledged."""
        state.ssthresh_packets = state.window_packets / 2
        state.cwnd_packets = 1

    def on_undo(self, state: SenderState) -> None:
        """The last loss or timeout was spurious (RFC 3522, 3708, 5682); window and threshold are restored already.

        Only the sender `tcp` detects this.
        """
