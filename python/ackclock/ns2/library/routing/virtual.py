"""Nodes without a table of their own (`Node enable-module VC`): the routing logic knows each packet's next hop."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import ns2_class
from ackclock.ns2.library.core.classifiers import Classifier
from ackclock.ns2.library.core.nodes import Node, RoutingModule


@ns2_class("RtModule/VC")
class VirtualModule(RoutingModule):
    """The module of such nodes. The engine keeps tables all the same, and they say what the routing logic says."""

    def furnish(self, node: Node, address: str) -> None:
        table = node.table("Classifier/Virtual")
        node.vars["classifier_"] = self.vars["classifier_"] = table
        if "reg_module_(Base)" in node.vars:
            del node.vars["reg_module_(Base)"]


@ns2_class("Classifier/Virtual")
class VirtualClassifier(Classifier):
    """What stands for a table there."""
