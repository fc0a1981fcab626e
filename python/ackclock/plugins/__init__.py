"""Congestion controls and queue disciplines of your own, written in Python.

    class Gentle(ac.CongestionControl):
        def on_loss(self, state):
            state.ssthresh_packets = state.cwnd_packets = 0.8 * state.window_packets

    ac.Flow(pair=1, tcp="sack", control=Gentle)

Slow: each call takes about a microsecond, more than the engine needs for a whole packet. docs/guide/own.md has more,
and how to write the same in Rust.
"""

from ackclock._native import Ack, Packet, SenderState
from ackclock.plugins.control import CongestionControl
from ackclock.plugins.queue import QueueDiscipline

__all__ = ["Ack", "CongestionControl", "Packet", "QueueDiscipline", "SenderState"]
