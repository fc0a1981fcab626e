"""Every plot, one line each: its name, what it shows, and whether it can be made from a trace file's packets.

The plot `x` is drawn by the module `x` of this room. Commands take their help from here; nothing is imported for it.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of plot."""

    about: str
    of_traces: bool


#: kind of a sweep's plot -> what it shows
SWEEPS = {
    "intervals": "mean and 95 % confidence interval over the replications",
    "ecdf": "cumulative distribution of the replications' values",
    "box": "quartiles of the replications' values; whiskers reach 1.5 times their distance",
    "heat": "map of the means, x by hue",
}

#: size -> what it is for
SIZES = {
    "screen": "7.6 inches wide, as in reports",
    "column": "a column of a paper, 3.33 inches",
    "page": "both columns of a paper, 7 inches",
    "slide": "10 inches, large text",
}

PLOTS = {
    "cwnd": Kind("congestion window of each flow", of_traces=False),
    "throughput": Kind("throughput of each flow, or of links", of_traces=True),
    "queue": Kind("queue length of the links that queue packets", of_traces=True),
    "rtt": Kind("round-trip time that each flow measures", of_traces=False),
    "delay": Kind("one-way delay of each packet, of datagrams too", of_traces=True),
    "loss": Kind("packets lost, of links or of each flow", of_traces=True),
    "sequence": Kind("time-sequence graph: packets sent, acknowledged, retransmitted, dropped", of_traces=True),
    "fairness": Kind("Jain's fairness index over time, and each flow's share", of_traces=True),
    "topology": Kind("the network, links with rate, delay and queue", of_traces=False),
}
