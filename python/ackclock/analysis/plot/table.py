"""Every plot, one line each: its name, what it shows, and whether it can be made from a trace file's packets.

The plot `x` is drawn by the module `x` of this room. Commands take their help from here; nothing is imported for it.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of plot."""

    about: str
    of_traces: bool


PLOTS = {
    "cwnd": Kind("congestion window of each flow", of_traces=False),
    "throughput": Kind("throughput of each flow, or of links", of_traces=True),
    "queue": Kind("queue length of the links that queue packets", of_traces=True),
    "rtt": Kind("round-trip time that each flow measures", of_traces=False),
    "loss": Kind("packets lost, of links or of each flow", of_traces=True),
    "sequence": Kind("time-sequence graph: packets sent, acknowledged, retransmitted, dropped", of_traces=True),
    "fairness": Kind("Jain's fairness index over time, and each flow's share", of_traces=True),
    "topology": Kind("the network, links with rate, delay and queue", of_traces=False),
}
