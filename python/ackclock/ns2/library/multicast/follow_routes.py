"""What a protocol does when routes have changed, and how it writes its trees."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError
from ackclock.ns2.otcl.tcl_bridge import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.multicast.protocol import MulticastProtocol


def follow_routes(protocol: MulticastProtocol) -> None:
    """Give every replicator of the node the interface and the links that its source's routes have now."""
    interp, node, simulator = protocol.interp, protocol.node, protocol.simulator
    replicators = interp.split(node.call("getReps", "*", "*"))
    # The order is that of a Tcl array.
    sources = interp.array_order(interp.call(replicator, "set", "srcID_") for replicator in replicators)
    heads: list[str] = []
    for source_id in sources:
        source = simulator.call("get-node-by-id", source_id)
        if source != node.handle:
            _follow_source(protocol, source_id, source)
        for near in interp.split(node.call("neighbors")):
            if interp.call(near, "rpf-nbr", source) == node.handle:
                # As in ns-2, links of one source are kept for the next.
                heads.append(node.call("link2oif", simulator.call("link", node.handle, near)))
        _follow_links(protocol, source_id, interp.array_order(heads))


def _follow_source(protocol: MulticastProtocol, source_id: str, source: str) -> None:
    interp, node, simulator = protocol.interp, protocol.node, protocol.simulator
    upstream = node.call("rpf-nbr", source)
    if not upstream:
        return
    label = node.call("link2iif", simulator.call("link", upstream, node.handle))
    for replicator in interp.split(node.call("getReps", source_id, "*")):
        group = interp.call(replicator, "set", "grp_")
        old = node.call("lookup-iface", source_id, group)
        if old != label:
            node.call("change-iface", source_id, group, old, label)


def _follow_links(protocol: MulticastProtocol, source_id: str, wanted: list[str]) -> None:
    interp, node = protocol.interp, protocol.node
    replicators = interp.split(node.call("getReps", source_id, "*"))
    for replicator in replicators:
        group = interp.call(replicator, "set", "grp_")
        fresh = list(wanted)
        for old in interp.split(interp.call(replicator, "dump-oifs")):
            if not _is_head(protocol, old):
                continue
            if old in fresh:
                fresh.remove(old)
                continue
            interp.call(replicator, "disable", old)
            timer = protocol.vars.pop(f"PruneTimer_({source_id}:{group}:{old})")
            if timer is not None:
                interp.call("delete", timer)
        for head in fresh:
            for each in replicators:
                interp.call(each, "insert", head)


def _is_head(protocol: MulticastProtocol, target: str) -> bool:
    """Whether what is behind a replicator is a link's head, not an agent."""
    peer = protocol.interp.find_peer(target)
    return peer is not None and "link_" in peer.vars


def dump_routes(protocol: MulticastProtocol, channel: str, group: str, source: str) -> None:
    """Write the node's replicators to a channel."""
    interp, node = protocol.interp, protocol.node
    words = interp.split(node.call("getReps-raw", source if group and source else "*", group or "*"))
    replicators = dict(zip(words[::2], words[1::2], strict=True))
    now = float(interp.call(protocol.vars["ns_"], "now"))
    interp.call("puts", channel, f"Node:\t{node.handle}({node.number})\tat t = {now:4.2f}")
    interp.call("puts", channel, "\trepTag\tActive\t\tsrc\tgroup\tiifNode\t\tdest_nodes")
    for key in sorted(replicators):
        here, _, there = key.partition(":")
        replicator = replicators[key]
        is_active = interp.call(replicator, "is-active") not in ("0", "")
        heads = [head for head in interp.split(interp.call(replicator, "dump-oifs")) if _is_head(protocol, head)]
        ends = [_name(protocol, interp.call(node.call("oif2link", head), "dst")) for head in heads]
        label = node.call("lookup-iface", here, there)
        if not here.lstrip("-").isdigit():
            raise NsError(f'expected integer but got "{here}"')
        head = f"\t{replicator:>5}\t  {'Y' if is_active else 'N'}\t\t{here}\t0x{int(there):x}"
        interp.call("puts", channel, f"{head}\t{_upstream(protocol, label)}\t\t{' '.join(ends)}")


def _upstream(protocol: MulticastProtocol, label: str) -> str:
    """The node that an interface's link comes from; the label itself where there is none."""
    try:
        return _name(protocol, protocol.interp.call(protocol.node.call("iif2link", label), "src"))
    except (NsError, ScriptError):
        return label


def _name(protocol: MulticastProtocol, node: str) -> str:
    number = protocol.interp.call(node, "id")
    return f"{number}(L)" if protocol.interp.call(node, "is-lan?") not in ("0", "") else number
