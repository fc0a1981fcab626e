"""What nodes and links have of Quick-Start."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method
from ackclock.ns2.library.core.engine import OF_USE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.core.nodes import Node
    from ackclock.ns2.library.links.links import SimpleLink


class QuickStartNode:
    """What a node has of it."""

    @method("qs-agent")
    def qs_agent(self: Node) -> str:  # type: ignore[misc]
        """The node's agent, if the node takes part."""
        agent = self.vars.get("qs_agent_")
        if agent is None:
            raise NsError(f"node {self.number} takes no part in Quick-Start: node-config -QS ON comes before it")
        return agent


def join(node: Node) -> None:
    """The node takes part: `node-config -QS ON` was said before it was made."""
    agent = node.interp.new("Agent/QSAgent")
    node.vars["qs_agent_"] = agent
    node.call("attach", agent)


def put_router(link: SimpleLink) -> None:
    """The link leaves a node with an agent, which may be a router's."""
    router = getattr(link.interp.find_peer(link.source.vars["qs_agent_"]), "router", None)
    if router is not None:
        queue = link.queue_peer
        by = (queue.read_bound(name) for name in OF_USE)
        weight, period_s, periods = by
        queue.is_measured = True
        router.add_link(link.native, weight, period_s, max(0, int(periods)))
