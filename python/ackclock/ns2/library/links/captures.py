"""Captures for Wireshark: commands that ns-2 does not have."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method
from ackclock.ns2.library.links.links import SimpleLink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.simulator import Simulator


class CapturedNetwork:
    """What a Simulator writes as pcapng, to a channel that is used for nothing else."""

    @method("pcapng-node")
    def pcapng_node(self: Simulator, node: str, channel: str) -> None:  # type: ignore[misc]
        """What is seen at a node on the links that it has by now."""
        here = self.node_at(node).number
        ends = [(link, name.split(":")) for link, name in _links(self)]
        leaving = [link for link, (source, _) in ends if int(source) == here]
        entering = [link for link, (_, target) in ends if int(target) == here]
        if not leaving and not entering:
            raise NsError(f"node {here} has no link yet: pcapng-node comes after the links")
        _capture(self, channel, f"node {here}", leaving, entering)

    @method("pcapng-link")
    def pcapng_link(self: Simulator, source: str, target: str, channel: str) -> None:  # type: ignore[misc]
        """What is seen at the near end of a link: what comes to its queue, and what the reverse direction delivers."""
        here, there = self.node_at(source).number, self.node_at(target).number
        links = {name: link for link, name in _links(self)}
        if f"{here}:{there}" not in links:
            raise NsError(f"no link from node {here} to node {there}")
        back = [links[name] for name in [f"{there}:{here}"] if name in links]
        _capture(self, channel, f"link {here}-{there}", [links[f"{here}:{there}"]], back)


def _links(simulator: Simulator) -> list[tuple[_native.Link, str]]:
    """The engine's links, each with its ends, in the order of their numbers."""
    found = []
    for name in simulator.vars.names("link_"):
        peer = simulator.interp.peer(simulator.vars[f"link_({name})"])
        if isinstance(peer, SimpleLink):
            found.append((peer.native, name))
    return sorted(found, key=lambda link: link[0].number)


def _capture(
    simulator: Simulator, channel: str, name: str, leaving: list[_native.Link], entering: list[_native.Link]
) -> None:
    native = simulator.interp.channels.attach(channel)
    capture = simulator.captures.get(native.number)
    if capture is None:
        capture = simulator.captures[native.number] = simulator.engine.add_capture(native)
    capture.add_interface(name, leaving, entering)
