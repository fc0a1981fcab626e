"""Lost packets: dropped by a queue or lost by an error model. Of links; with `flows` given, of those flows."""

from __future__ import annotations

from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Course, Curve, Panel
from ackclock.analysis.plot.source import Source, listed


def panels(source: Source, view: View) -> list[Panel]:
    """One panel with the number of packets lost in each interval."""
    of_flows = view.flows is not None
    found = source.flow_losses(view.interval_s) if of_flows else source.link_losses(view.interval_s)
    shown = source.flows(view) if of_flows else source.links(view)
    names = source.flow_names if of_flows else source.link_names
    look = source.flow_look if of_flows else source.link_look
    if not of_flows and view.links is None:
        shown = [link for link, (_, lost) in found.of.items() if lost.any()]
    shown = shown or source.links(view)
    curves = [Curve(names[number], *found.of[number], "bars", look(number), found.interval_s) for number in shown]
    title = f"Packets lost {'of' if of_flows else 'by'} {listed('flow' if of_flows else 'link', shown, names)}"
    # Where nothing was lost an axis of fractions of a packet would say less.
    top = None if any(curve.y.any() for curve in curves) else 1.0
    return [Course(title, f"lost (packets)\nin each {found.interval_s:g} s", curves, top=top)]
