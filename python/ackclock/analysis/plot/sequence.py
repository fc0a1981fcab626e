"""Time-sequence graphs: packets sent, acknowledged, retransmitted, lost.

As in S. Shenker, L. Zhang and D. Clark, "Some observations on the dynamics of a congestion control algorithm", CCR
20(5), 1990, and in every packet analyser since.
"""

from __future__ import annotations

import numpy as np

from ackclock.analysis.plot import palette
from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Course, Curve, Numbers, Panel
from ackclock.analysis.plot.source import Segments, Source

#: How many flows are shown where none is named.
MOST_FLOWS = 4

_SENT = {"color": palette.SERIES[0].light, "marker": ".", "markersize": 3.6, "markeredgewidth": 0}
_ACKED = {"color": palette.SERIES[1].light, "linewidth": 0.9}
_AGAIN = {"color": palette.SERIES[2].light, "marker": "o", "markersize": 4.5, "markerfacecolor": "none"}
_LOST = {"color": palette.LOSS.light, "marker": "x", "markersize": 4.5, "markeredgewidth": 1.1}


def panels(source: Source, view: View) -> list[Panel]:
    """A panel for each flow; the first four where none is named."""
    flows = source.flows(view)
    shown = flows if view.flows is not None else flows[:MOST_FLOWS]
    of = f" ({len(shown)} of {len(flows)} flows are shown)" if len(shown) < len(flows) else ""
    found: list[Panel] = []
    for flow in shown:
        segments, name = source.segments(flow), source.flow_names[flow]
        factor, unit = _unit(segments)

        def scaled(points: tuple[Numbers, Numbers], factor: float = factor) -> tuple[Numbers, Numbers]:
            return points[0], points[1] / factor

        curves = [
            Curve("sent", *scaled(segments.sent), "marks", _SENT),
            Curve("acknowledged", *scaled(segments.acked), "held", _ACKED),
            Curve("retransmitted", *scaled(segments.again), "marks", _AGAIN),
            Curve("lost", *scaled(segments.lost), "marks", _LOST),
        ]
        title = f"Sequence numbers of {name}{'' if found else of}"
        label = f"sequence number\n({unit})"
        curves = [curve for curve in curves if len(curve.x)]
        found.append(Course(title, label, curves, from_zero=False, height=3.0, subject=name))
    # A flow of datagrams has no sequence numbers.
    return [panel for panel in found if isinstance(panel, Course) and panel.curves] or found[:1]


def _unit(segments: Segments) -> tuple[float, str]:
    """What numbers are divided by, and the unit that they then have: many bytes are kilobytes or megabytes."""
    if segments.unit != "bytes":
        return 1.0, segments.unit
    most = float(np.max(segments.sent[1], initial=0.0))
    return next(((factor, unit) for factor, unit in ((1e6, "MB"), (1e3, "kB")) if most >= 5 * factor), (1.0, "bytes"))
