"""Routes that a source chooses: `$ns src_rting 1` before the nodes, then `install_connection` at a node's agent.

Source: what ns-2.35 does with both. A conversation (a flow id from one node to another) is given its nodes one by one;
the nodes on its way keep that, where ns-2's packets carry it.
"""

from __future__ import annotations

from itertools import pairwise

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.classifiers import Classifier
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.core.nodes import Node, RoutingModule
from ackclock.ns2.library.tcp.agents import KINDS, Agent

KINDS["Agent/SRAgent"] = "null"


@ns2_class("RtModule/Source")
class SourceModule(RoutingModule):
    """The module of nodes whose agents can choose routes."""

    def furnish(self, node: Node, address: str) -> None:
        node.vars["classifier_"] = node.table("Classifier/SR")
        agent = self.interp.new("Agent/SRAgent")
        node.vars["src_agent_"] = agent
        node.call("attach", agent)


@ns2_class("Classifier/SR")
class SourceClassifier(Classifier):
    """Where packets with a route of their own enter a node."""


@ns2_class("Agent/SRAgent")
class SourceRouter(Agent):
    """Knows the routes of a node's conversations; agents send through it once it is their `target`."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.is_target = False
        self._later: list[tuple[str, ...]] = []

    def take(self, agent: Agent) -> None:
        """An agent sends through this one."""
        self.is_target = True
        for words in self._later:
            self._install(*words)
        self._later.clear()

    @method("install_connection")
    def install_connection(self, fid: str, source: str, target: str, *nodes: str) -> None:
        """Packets of a flow id from one node to another go over these nodes, the first and the last included."""
        if self.is_target:
            self._install(fid, source, target, *nodes)
        else:
            self._later.append((fid, source, target, *nodes))

    def _install(self, fid: str, source: str, target: str, *nodes: str) -> None:
        conversation = whole(source, "a node"), whole(target, "a node"), whole(fid, "a flow id")
        way = [whole(node, "a node") for node in nodes]
        if way[:1] != [conversation[0]] or way[-1:] != [conversation[1]]:
            raise NsError(f"install_connection: the way {' '.join(nodes)} does not lead from {source} to {target}")
        for near, far in pairwise(way):
            handle = self.simulator.vars.get(f"link_({near}:{far})")
            link = getattr(self.interp.find_peer(handle or ""), "native", None)
            if link is None:
                raise NsError(f"install_connection: no link from node {near} to node {far}")
            self.simulator.nodes[near].native.set_flow_route(conversation, link)
