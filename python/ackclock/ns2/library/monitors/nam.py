"""What the network animator is told: how to draw nodes and links, and remarks.

Each class here is a part of Node, Link, SimpleLink or Simulator. The packets' own lines are the engine's (traces.py).
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ackclock.ns2.library.core.engine import EngineObject
    from ackclock.ns2.library.core.nodes import Node
    from ackclock.ns2.library.core.simulator import Simulator
    from ackclock.ns2.library.links.links import Link, SimpleLink


def tell(peer: EngineObject, line: str) -> None:
    """Write a line where the simulator's nam lines go."""
    simulator = peer.simulator
    if not simulator.nobody_draws:
        simulator.call("puts-nam-config", line)


def _now(peer: EngineObject) -> str:
    return peer.simulator.call("now")


class DrawnNode:
    """How nam draws a node."""

    @method()
    def shape(self: Node, shape: str) -> str:  # type: ignore[misc]
        """circle, box or hexagon."""
        self.vars["attr_(SHAPE)"] = shape
        return shape

    @method()
    def color(self: Node, color: str) -> str:  # type: ignore[misc]
        """A colour by name; once the simulation runs, from now on."""
        simulator = self.simulator
        if simulator.started:
            old = self.vars.get("attr_(COLOR)", "")
            # The one place of these where ns-2 writes 15 digits of the clock, not 17.
            tell(
                self,
                f"n -t {float(_now(self)):.15g} -s {self.number} -S COLOR -c {color} -o {old}"
                f" -i {color} -I {self.vars.get('attr_(LCOLOR)', '')}",
            )
        self.vars["attr_(COLOR)"] = color
        self.vars["attr_(LCOLOR)"] = color
        return color

    @method()
    def label(self: Node, text: str) -> str:  # type: ignore[misc]
        """A word beside the node."""
        return _relabel(self, f"n -t {_now(self)} -s {self.number} -S DLABEL -l", "L", "DLABEL", text)

    @method("label-color")
    def label_color(self: Node, text: str) -> str:  # type: ignore[misc]
        """The colour of the word."""
        return _relabel(self, f"n -t {_now(self)} -s {self.number} -S DCOLOR -e", "E", "DCOLOR", text)

    @method("label-at")
    def label_at(self: Node, text: str) -> str:  # type: ignore[misc]
        """On which side of the node the word stands."""
        return _relabel(self, f"n -t {_now(self)} -s {self.number} -S DIRECTION -p", "P", "DIRECTION", text)

    @method("add-mark")
    def add_mark(self: Node, name: str, color: str, shape: str = "circle") -> str:  # type: ignore[misc]
        """A mark around the node."""
        tell(self, f"m -t {_now(self)} -s {self.number} -n {name} -c {color} -h {shape}")
        self.vars[f"markColor_({name})"] = color
        self.vars[f"shape_({name})"] = shape
        return shape

    @method("delete-mark")
    def delete_mark(self: Node, name: str) -> None:  # type: ignore[misc]
        """Take a mark away."""
        color = self.vars.get(f"markColor_({name})")
        if color is not None:
            shape = self.vars[f"shape_({name})"]
            tell(self, f"m -t {_now(self)} -s {self.number} -n {name} -c {color} -h {shape} -X")

    @method("get-attribute")
    def get_attribute(self: Node, name: str) -> str:  # type: ignore[misc]
        """A drawing attribute, empty if it was not set."""
        return self.vars.get(f"attr_({name})", "")

    @method("dump-namconfig")
    def dump_namconfig(self: Node) -> None:  # type: ignore[misc]
        """The node as nam's file introduces it."""
        self.take_looks()
        if self.simulator.nobody_draws:
            return
        shape, color, label = self.vars["attr_(SHAPE)"], self.vars["attr_(COLOR)"], self.vars.get("attr_(LCOLOR)", "")
        place = ""
        if "X_" in self.vars and "Y_" in self.vars:
            place = f" -x {self.vars['X_']} -y {self.vars['Y_']}"
            if "Z_" in self.vars:
                place += f" -Z {self.vars['Z_']}"
        address = self.vars["address_"]
        tell(self, f"n -t * -a {address} -s {self.number} -S UP -v {shape} -c {color} -i {label}{place}")

    def take_looks(self: Node) -> None:  # type: ignore[misc]
        """What the script has not said of the node's looks is as nam has it."""
        self.vars.setdefault("attr_(SHAPE)", "circle")
        if "attr_(COLOR)" not in self.vars:
            self.vars["attr_(COLOR)"] = "black"
            self.vars["attr_(LCOLOR)"] = "black"
        self.vars.setdefault("attr_(DCOLOR)", "black")


def _relabel(peer: EngineObject, head: str, old_switch: str, attribute: str, text: str) -> str:
    old = peer.vars.get(f"attr_({attribute})", '""')
    tell(peer, f'{head} "{text}" -{old_switch} {old}')
    peer.vars[f"attr_({attribute})"] = quoted = f'"{text}"'
    return quoted


class DrawnLink:
    """How nam draws a link."""

    @method()
    def orient(self: Link, orientation: str) -> str:  # type: ignore[misc]
        """Which way the link points: right, left-up, 30deg."""
        self.vars["attr_(ORIENTATION)"] = orientation
        return self.simulator.call("register-nam-linkconfig", self.handle)

    @method()
    def queuePos(self: Link, position: str) -> str:  # type: ignore[misc]
        """At which angle the queue is drawn, in units of pi."""
        self.vars["attr_(QUEUE_POS)"] = position
        return position

    @method()
    def color(self: Link, color: str) -> str:  # type: ignore[misc]
        """A colour by name; once the simulation runs, from now on."""
        if self.simulator.started:
            old = self.vars.get("attr_(COLOR)", "")
            ends = f"-s {self.source.number} -d {self.target.number}"
            tell(self, f"l -t {_now(self)} {ends} -S COLOR -c {color} -o {old}")
        self.vars["attr_(COLOR)"] = color
        return color

    @method()
    def label(self: Link, text: str) -> str:  # type: ignore[misc]
        """A word beside the link."""
        return _relabel(self, f"{_link_head(self)} -S DLABEL -l", "L", "DLABEL", text)

    @method("label-color")
    def label_color(self: Link, text: str) -> str:  # type: ignore[misc]
        """The colour of the word."""
        return _relabel(self, f"{_link_head(self)} -S DCOLOR -e", "E", "DCOLOR", text)

    @method("label-at")
    def label_at(self: Link, text: str) -> str:  # type: ignore[misc]
        """On which side of the link the word stands."""
        return _relabel(self, f"{_link_head(self)} -S DIRECTION -p", "P", "DIRECTION", text)

    @method("get-attribute")
    def get_attribute(self: Link, name: str) -> str:  # type: ignore[misc]
        """A drawing attribute, empty if it was not set."""
        return self.vars.get(f"attr_({name})", "")

    @method("dump-nam-queueconfig")
    def dump_nam_queueconfig(self: Link) -> None:  # type: ignore[misc]
        """The queue as nam's file introduces it."""
        self.vars.setdefault("attr_(COLOR)", "black")
        if "attr_(QUEUE_POS)" in self.vars:
            ends = f"-s {self.source.number} -d {self.target.number}"
            tell(self, f"q -t * {ends} -a {self.vars['attr_(QUEUE_POS)']}")
        else:
            self.vars["attr_(QUEUE_POS)"] = ""


class DrawnSimpleLink:
    """How nam is told of a link."""

    @method("dump-namconfig")
    def dump_namconfig(self: SimpleLink) -> None:  # type: ignore[misc]
        """The link as nam's file introduces it."""
        color = self.vars.setdefault("attr_(COLOR)", "black")
        if self.simulator.nobody_draws:
            return
        rate = self.interp.call(self.vars["link_"], "set", "bandwidth_")
        delay = self.interp.call(self.vars["link_"], "set", "delay_")
        line = f"l -t * -s {self.source.number} -d {self.target.number} -S UP -r {rate} -D {delay} -c {color}"
        if "attr_(ORIENTATION)" in self.vars:
            line += f" -o {self.vars['attr_(ORIENTATION)']}"
        tell(self, line)


def _link_head(link: Link) -> str:
    return f"l -t {_now(link)} -s {link.source.number} -d {link.target.number}"


def _orientation(simulator: Simulator, link: str) -> str:
    is_promised = simulator.interp.lazy_objects.has(link)
    return "" if is_promised else simulator.interp.call(link, "get-attribute", "ORIENTATION")


#: how many links are named in the result of making one
_MOST_SHOWN = 1000

#: where nam's set-up goes: the first of these that is set
_FILES = ("namConfigFile_", "namtraceAllFile_", "namtraceSomeFile_")


class DrawnSimulator:
    """The set-up that nam's file begins with, colours of flows, and remarks."""

    #: links in the order in which nam is told of them
    drawn_links: dict[str, None]
    #: whether what is told goes nowhere for now
    nobody_draws = False

    @method()
    def color(self: Simulator, flow: str, name: str) -> str:  # type: ignore[misc]
        """The colour of a flow's packets."""
        self.vars[f"color_({flow})"] = name
        return name

    @method("get-color")
    def get_color(self: Simulator, flow: str) -> str:  # type: ignore[misc]
        """The colour of a flow's packets."""
        return self.vars[f"color_({flow})"]

    @method("namtrace-config")
    def namtrace_config(self: Simulator, file: str) -> None:  # type: ignore[misc]
        """Where nam's set-up goes, if not to the trace itself."""
        self.vars["namConfigFile_"] = file

    @method("get-nam-config")
    def get_nam_config(self: Simulator) -> str:  # type: ignore[misc]
        """Where nam's set-up goes, empty if to the trace itself."""
        return self.vars.get("namConfigFile_", "")

    @method("puts-nam-config")
    def puts_nam_config(self: Simulator, line: str) -> None:  # type: ignore[misc]
        """Write a line of nam's set-up."""
        self.write_line(_FILES, line)

    @method("puts-nam-traceall")
    def puts_nam_traceall(self: Simulator, line: str) -> None:  # type: ignore[misc]
        """Write a line into nam's trace."""
        self.write_line(("namtraceAllFile_", "namtraceSomeFile_"), line)

    @method("puts-ns-traceall")
    def puts_ns_traceall(self: Simulator, line: str) -> None:  # type: ignore[misc]
        """Write a line into ns-2's trace."""
        self.write_line(("traceAllFile_",), line)

    @method("register-nam-linkconfig")
    def register_nam_linkconfig(self: Simulator, handle: str) -> str:  # type: ignore[misc]
        """A link is to be drawn: one of each pair, the one that has an orientation if only one has.

        The result is all links that are to be drawn, while they are few."""
        ends = self.interp.lazy_objects.ends(handle)
        if ends is None:
            link: Any = self.interp.peer(handle)
            if not hasattr(getattr(link, "source", None), "number"):
                raise NsError(f"{handle} is not a link: its class is {link.class_name}")
            ends = link.source.number, link.target.number
        # ns-2 looks for the way back once it knows of a link.
        back = self.vars.get(f"link_({ends[1]}:{ends[0]})") if self.drawn_links else None
        if back in self.drawn_links:
            if not _orientation(self, handle) or _orientation(self, back):
                return ""
            del self.drawn_links[back]
        self.drawn_links.pop(handle, None)
        self.drawn_links[handle] = None
        return " ".join(self.drawn_links) if len(self.drawn_links) <= _MOST_SHOWN else ""

    @method("remove-nam-linkconfig")
    def remove_nam_linkconfig(self: Simulator, first: str, last: str) -> None:  # type: ignore[misc]
        """A link is not to be drawn: another one takes its place."""
        for ends in (f"{first}:{last}", f"{last}:{first}"):
            handle = self.vars.get(f"link_({ends})")
            if handle in self.drawn_links:
                del self.drawn_links[handle]
                return

    @method("init-nam")
    def init_nam(self: Simulator) -> None:  # type: ignore[misc]
        """Write nam's set-up, in the order in which nam wants it."""
        self.vars["annotationSeq_"] = "0"
        own = self.interp.answer(self, "puts-nam-config") is None
        self.nobody_draws = not own and not any(variable in self.vars for variable in _FILES)
        for part in ("version 1.0a5", "wireless", "address", "colors", "nodes", "links", "lans", "queues", "agents"):
            self.call(*f"dump-nam{part}".split())
        self.nobody_draws = False

    @method("dump-namversion")
    def dump_namversion(self: Simulator, version: str) -> None:  # type: ignore[misc]
        """The format's version."""
        tell(self, f"V -t * -v {version} -a 0")

    @method("dump-namwireless")
    def dump_namwireless(self: Simulator) -> None:  # type: ignore[misc]
        """The area: the one of `namtrace-all-wireless`, or as far as nodes' coordinates go."""
        needed = self.vars.get("namNeedsW_", "0") not in ("", "0")
        if "namWx_" in self.vars and "namWy_" in self.vars:
            most = [self.vars["namWx_"], self.vars["namWy_"]]
        else:
            places = [[n.vars[axis] for n in self.nodes.made() if axis in n.vars] for axis in ("X_", "Y_")]
            needed = needed or any(places)
            most = [max(["10", *values], key=float) for values in places]  # as the script wrote the number
        if needed:
            tell(self, f"W -t * -x {most[0]} -y {most[1]}")

    @method("dump-namaddress")
    def dump_namaddress(self: Simulator) -> None:  # type: ignore[misc]
        """How wide addresses are."""
        levels = self.interp.levels
        fields = [(2**30 - 1, 0)] if levels is None else levels.fields
        tell(self, f"A -t * -n {len(fields)} -p 0 -o 0x7fffffff -c 30 -a 1")
        for number, (mask, shift) in enumerate(fields, 1):
            tell(self, f"A -t * -h {number} -m {mask} -s {shift}")

    @method("dump-namcolors")
    def dump_namcolors(self: Simulator) -> None:  # type: ignore[misc]
        """The colours of flows, in the order of Tcl's arrays."""
        for flow in self.vars.names("color_"):
            tell(self, f"c -t * -i {flow} -n {self.vars[f'color_({flow})']}")

    @method("dump-namnodes")
    def dump_namnodes(self: Simulator) -> None:  # type: ignore[misc]
        """The nodes, in the order of Tcl's arrays."""
        nodes = self.drawn_nodes()
        if self.nobody_draws:
            nodes = self.interp.lazy_objects.introduce(nodes, "dump-namconfig")
        self.interp.call_each(self._answering(nodes, "0"), "dump-namconfig")

    @method("dump-namlinks")
    def dump_namlinks(self: Simulator) -> None:  # type: ignore[misc]
        """The links."""
        links = list(self.drawn_links)
        if self.nobody_draws:
            links = self.interp.lazy_objects.to_be_asked(links, "dump-namconfig")
        self.interp.call_each(links, "dump-namconfig")
        self.drawn_links.clear()

    @method("dump-namlans")
    def dump_namlans(self: Simulator) -> None:  # type: ignore[misc]
        """The shared media, in the order of Tcl's arrays."""
        nodes = self.interp.lazy_objects.to_be_asked(self.drawn_nodes(), "is-lan?")
        self.interp.call_each(self._answering(nodes, "1"), "dump-namconfig")

    def drawn_nodes(self: Simulator) -> list[str]:  # type: ignore[misc]
        """All nodes in the order of Tcl's arrays."""
        return self.vars.elements("Node_")

    def _answering(self: Simulator, nodes: list[str], is_lan: str) -> list[str]:  # type: ignore[misc]
        """Those of these nodes that are LANs, or those that are none."""
        answers = self.interp.call_each(nodes, "is-lan?")
        return [handle for handle, answer in zip(nodes, answers, strict=True) if answer == is_lan]

    @method("dump-namqueues")
    def dump_namqueues(self: Simulator) -> None:  # type: ignore[misc]
        """The queues, in the order of Tcl's arrays."""
        links = self.vars.elements("link_")
        if self.nobody_draws:
            links = self.interp.lazy_objects.introduce(links, "dump-nam-queueconfig")
        self.interp.call_each(links, "dump-nam-queueconfig")

    @method("add-agent-trace")
    def add_agent_trace(self: Simulator, agent: str, name: str, file: str = "") -> None:  # type: ignore[misc]
        """nam shows this agent's watched variables, under this name."""
        self.vars[f"tracedAgents_({name})"] = agent
        file = file or self.vars.get("namtraceAllFile_", "")
        if file:
            self.interp.call(agent, "attach-trace", file)

    @method("delete-agent-trace")
    def delete_agent_trace(self: Simulator, agent: str) -> None:  # type: ignore[misc]
        """nam shows the agent no longer."""
        self.interp.call(agent, "delete-agent-trace")

    @method("monitor-agent-trace")
    def monitor_agent_trace(self: Simulator, agent: str) -> str:  # type: ignore[misc]
        """nam opens a window on the agent's variables."""
        agents = self.vars["monitoredAgents_"] = f"{self.vars.get('monitoredAgents_', '')} {agent}".strip()
        return agents

    @method("dump-namagents")
    def dump_namagents(self: Simulator) -> None:  # type: ignore[misc]
        """The agents that nam shows, in the order of Tcl's arrays, then those it opens a window on."""
        for name in self.vars.names("tracedAgents_"):
            agent = self.vars[f"tracedAgents_({name})"]
            self.interp.call(agent, "add-agent-trace", name)
            self.interp.call(agent, "dump-namtracedvars")
        self.vars.pop("tracedAgents_")
        for agent in self.interp.split(self.vars.pop("monitoredAgents_") or ""):
            self.interp.call(agent, "show-monitor")

    @method("trace-annotate")
    def trace_annotate(self: Simulator, text: str) -> None:  # type: ignore[misc]
        """Write a remark into both traces."""
        now = self.call("now")
        self.call("puts-ns-traceall", f"v {now} eval {{set sim_annotation {{{text}}}}}")
        sequence = int(self.vars.get("annotationSeq_", "0")) + 1
        self.vars["annotationSeq_"] = sequence
        time = f"{float(now):.15g}"
        tell(self, f"v -t {time} -e sim_annotation {time} {sequence} {text}")

    @method("set-animation-rate")
    def set_animation_rate(self: Simulator, rate: str) -> None:  # type: ignore[misc]
        """How fast nam plays."""
        tell(self, f"v -t {self.call('now')} set_rate_ext {self.interp.call('time_parse', rate)} 1")

    @method("namtrace-all-wireless")
    def namtrace_all_wireless(self: Simulator, file: str, width: str, height: str) -> None:  # type: ignore[misc]
        """`namtrace-all` with the area that nam draws."""
        self.vars["namNeedsW_"] = "1"
        if width and height:
            self.vars["namWx_"], self.vars["namWy_"] = width, height
        self.call("namtrace-all", file)

    @method("nam-end-wireless")
    def nam_end_wireless(self: Simulator, stop: str) -> None:  # type: ignore[misc]
        """When nam's wireless play ends."""
        if self.vars.get("namtraceAllFile_"):
            tell(self, f"W -t {stop}")

    @method()
    def snapshot(self: Simulator) -> None:  # type: ignore[misc]
        """nam takes a picture."""
        tell(self, f"v -t {self.call('now')} take_snapshot")

    @method("rewind-nam")
    def rewind_nam(self: Simulator) -> None:  # type: ignore[misc]
        """nam plays backward."""
        tell(self, f"v  -t {self.call('now')} playing_backward")

    @method("re-rewind-nam")
    def re_rewind_nam(self: Simulator) -> None:  # type: ignore[misc]
        """nam plays forward."""
        tell(self, f"v  -t {self.call('now')} playing_forward")

    @method("terminate-nam")
    def terminate_nam(self: Simulator) -> None:  # type: ignore[misc]
        """nam ends."""
        tell(self, f"v  -t {self.call('now')} terminating_nam")
