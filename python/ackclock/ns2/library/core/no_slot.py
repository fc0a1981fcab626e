"""What ns-2 prints of a classifier that has nothing in the slot of a packet, before it ends."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.core.nodes import Node
    from ackclock.ns2.library.core.simulator import Simulator

_ERROR = re.compile(r"node (\d+) has no (route to node|agent at port) -?\d+")
#: routing whose next hops are in no slot of a node's own classifier
_WITHOUT_SLOTS = {"Static", "Session"}
#: which bits of an address choose the slot: those of nodes, those of ports
_NODES, _PORTS = 0x3FFFFFFF, -1


def account(simulator: Simulator, error: str) -> str:
    """The classifier of a node that has no route for a packet, or no agent at its port; "" where it is not known."""
    found = _ERROR.fullmatch(error)
    if found is None or simulator.interp.levels is not None or int(found[1]) not in simulator.nodes.handles:
        return ""
    node = simulator.nodes[int(found[1])]
    if found[2] == "agent at port" and node.vars["dmux_"]:
        return _told(simulator, node.vars["dmux_"], _PORTS, _ports(simulator, node))
    logic = simulator.interp.peer(simulator.call("get-routelogic"))
    if not set(logic.vars.names("rtprotos_")) <= _WITHOUT_SLOTS:
        return ""
    slots = {node.number: node.vars["dmux_"]} if node.vars["dmux_"] else {}
    return _told(simulator, node.vars["classifier_"], _NODES, slots) + "\t-1 default\n"


def _ports(simulator: Simulator, node: Node) -> dict[int, str]:
    ports = dict.fromkeys(node.left_ports, simulator.vars["nullAgent_"])
    for agent in node.agents:
        ports[int(simulator.interp.call(agent, "set", "agent_port_"))] = agent
    return ports


def _told(simulator: Simulator, classifier: str, mask: int, slots: dict[int, str]) -> str:
    lines = [f"classifier {classifier}", "\t0 offset", "\t0 shift", f"\t{mask} mask", f"\t{len(slots)} slots"]
    for slot, handle in sorted(slots.items()):
        lines.append(f"\t\tslot {slot}: {handle} ({simulator.interp.call(handle, 'info', 'class')})")
    return "\n".join(lines) + "\n"
