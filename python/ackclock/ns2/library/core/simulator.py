"""`Simulator`: the description of a network, and its run."""

from __future__ import annotations

from ackclock._native import Clock
from ackclock.ns2.bindings.lazy_objects import Kind
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject
from ackclock.ns2.library.core.nodes import Node, Nodes, register_nodes
from ackclock.ns2.library.links.linking import LinkedNetwork
from ackclock.ns2.library.monitors.nam import DrawnSimulator
from ackclock.ns2.library.tcp.agents import Agent
from ackclock.ns2.otcl.calls import CALLS_BEFORE_MATERIALIZED
from ackclock.ns2.otcl.objects import plain_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from ackclock import _native
    from ackclock.ns2.otcl.interp import Interpreter


@ns2_class("Simulator")
class Simulator(DrawnSimulator, LinkedNetwork, EngineObject):
    """The one object that every script begins with."""

    lazy_parts: ClassVar = {
        "queues.admission.AdmittingNetwork": "simplex-intserv-link duplex-intserv-link",
        "core.lookups.Wireless": "llType macType ifqType ifqLen antType propType propInstance phyType channel txPower"
        " channelType energyModel initialEnergy rxPower idlePower sleepPower sleepTime transitionPower transitionTime",
        "core.lookups.NetworkQueries": "all-links-list get-node-id-by-addr get-node-by-addr get-link-head get-link"
        " get-queue delay_parse bw_parse dumpq compute-flat-routes dump-routelogic-nh dump-routelogic-distance"
        " get-nodetype set-address-format src_rting src_rting? put-in-list"
        " create-highspeed-connection detach-lossmodel node-config",
        "links.captures.CapturedNetwork": "pcapng-node pcapng-link",
        "links.dynamics.FailingNetwork": "rtmodel rtmodel-at rtmodel-delete",
        "links.delayers.DelayingNetwork": "insert-delayer DelayBox Tmix_DelayBox",
        "monitors.flow_monitors.FlowMonitored": "makeflowmon attach-fmon maketbtagger attach-tagger",
        "lan.lans.SharedNetwork": "newLan make-lan",
        "tcp.sctp.MultihomedNetwork": "multihome-add-interface multihome-attach-agent multihome-connect",
        "multicast.simulator.MulticastNetwork": "multicast run-mcast clear-mcast mrtproto mrtproto-iifs",
    }
    #: scripts call it often
    calls = CALLS_BEFORE_MATERIALIZED
    started = False
    #: whether RED queues mark as a patch for DCTCP has it
    marks_as_patched = False
    #: how many queues of XCP routers there are
    xcp_routers = 0

    @classmethod
    def declared(cls, interp: Interpreter) -> None:
        now, at = (interp.answer_to_tcl("Simulator", name) for name in ("now", "at"))
        clock = Clock(interp.engine, interp.event_queue.due, now, at)
        interp.answered_by("Simulator", {"now": clock.now, "at": clock.at})
        commands = ("node", "simplex-link", "duplex-link", "link", "queue-limit", "attach-agent", "connect")
        answers = {
            name: interp.lazy_objects.command(name, interp.answer_to_tcl("Simulator", name)) for name in commands
        }
        interp.answered_by("Simulator", answers)
        interp.command("::otcl::py_only_simulator", lambda: _only_simulator(interp))

    def create(self, *args: str) -> None:
        former = self.interp.simulator
        #: a Simulator made before that still exists
        self.rival = None if former is None else self.interp.find_peer(former.handle)
        if former is not None:
            self.engine.restart_clock()
        self.interp.simulator = self
        if self.interp.get_variable("::otcl::flags_header") == "0":
            self.engine.lack_flags()
        if self.interp.get_variable("::otcl::srm_header") == "0":
            self.engine.lack_srm()
        self.nodes = Nodes(self.interp)
        self.drawn_links = {}
        #: LANs by their numbers among the nodes
        self.lan_nodes: dict[int, str] = {}
        #: what has a word to say when the script is complete and `run` is called
        self.at_run: list[Callable[[], None]] = []
        #: captures by the number of their channel
        self.captures: dict[int, _native.Capture] = {}
        self.vars["slinks_(0:0)"] = "0"
        self.vars["nconn_"] = "0"
        self.vars["useasim_"] = "0"
        self.interp.skip_handles(1)
        self.vars["scheduler_"] = self.interp.new("Scheduler/Calendar")
        self.vars["nullAgent_"] = self.interp.new("Agent/Null")
        self.interp.skip_handles(3)
        if "-multicast" in args:
            self.call("multicast", *args[args.index("-multicast") + 1 :][:1])
        let_extension_answer(self)

    # --- time ---

    @method("use-scheduler")
    def use_scheduler(self, kind: str) -> None:
        """Another scheduler; all have the same order of events."""
        if self.interp.call(self.vars["scheduler_"], "info", "class") != f"Scheduler/{kind}":
            self.vars["scheduler_"] = self.interp.new(f"Scheduler/{kind}")

    @method()
    def now(self) -> str:
        """The present instant, s."""
        return self.interp.engine.now_text()

    @method()
    def at(self, *words: str) -> str:
        """Evaluate a command at an instant; the event's number."""
        if len(words) == 2:
            return self.interp.event_queue.at(words[0], words[1])
        return self.interp.call(self.vars["scheduler_"], "at", *words)

    @method("at-now")
    def at_now(self, *command: str) -> str:
        """Evaluate a command at this instant, behind what is already due."""
        return self.interp.call(self.vars["scheduler_"], "at-now", *command)

    @method()
    def after(self, delay: str, *command: str) -> str:
        """Evaluate a command this many seconds from now."""
        time = self.interp.call("expr", f"{self.call('now')} + {delay}")
        return self.call("at", time, *command)

    @method()
    def cancel(self, *words: str) -> None:
        """Forget an event that is still to come."""
        self.interp.call(self.vars["scheduler_"], "cancel", *words)

    @method()
    def run(self) -> None:
        """Set up routes, reset everything, and go on until `halt` or the end."""
        self.call("rtmodel-configure")
        self.interp.call(self.call("get-routelogic"), "configure")
        self.started = True
        self.vars["started_"] = "1"
        self._reset_all()
        self.call("init-nam")
        for check in self.at_run:
            check()
        self.interp.event_queue.run()

    @method("rtmodel-configure")
    def rtmodel_configure(self) -> None:
        """The run begins: models of failures set their first events."""
        if "rtModel_" in self.vars:
            self.vars["rtq_"] = self.interp.new("rtQueue", self.handle)
            for model in self.interp.split(self.vars["rtModel_"]):
                self.interp.call(model, "configure")

    def _reset_all(self) -> None:
        lazy_objects, nodes, links = self.interp.lazy_objects, self.drawn_nodes(), self.vars.elements("link_")
        place = 0
        while (place := lazy_objects.reset_nodes(nodes, place)) < len(nodes):
            self.interp.call(nodes[place], "reset")
            place += 1
        place = 0
        while (place := lazy_objects.reset_queues(links, place)) < len(links):
            self.interp.call(self.interp.call(links[place], "queue"), "reset")
            place += 1

    @method()
    def halt(self) -> None:
        """Stop after the present event; `run` returns."""
        self.interp.event_queue.halt()

    @method("is-started")
    def is_started(self) -> bool:
        """Whether `run` was called."""
        return self.started

    # --- nodes and links ---

    @method()
    def node(self, *address: str) -> str:
        """A new node."""
        if self.rival is not None and self.interp.find_peer(self.rival.handle) is self.rival:
            raise NsError(
                f"there are two Simulators, and ns-2 makes nodes of one only: `delete {self.rival.handle}` first"
            )
        handle = None
        if not address and self.vars.are_kept and register_nodes(self):
            handle = self.interp.lazy_objects.new_node(self.handle)
        return handle or self.make_node(self.interp.class_value("Simulator", "node_factory_"), *address)

    def make_node(self, kind: str, *address: str) -> str:
        """A new node of a class."""
        handle = self.interp.new(kind, *address)
        peer = self.interp.peer_of(handle, Node, "node")
        self.vars[f"Node_({peer.number})"] = handle
        self.nodes.handles[peer.number] = handle
        self.interp.lazy_objects.know_node(handle, peer.number)
        return handle

    def node_at(self, text: str) -> Node:
        """A node given by its handle."""
        return self.interp.peer_of(text, Node, "node")

    @method("drop-trace")
    def drop_trace(self, src: str, dst: str, trace: str) -> None:
        """Where a queue's losses go."""
        self.interp.call(self.link_between(src, dst).call("queue"), "drop-target", trace)

    @method("get-node-by-id")
    def get_node_by_id(self, number: str) -> str:
        """A node by its number."""
        return self.vars[f"Node_({number})"]

    @method("get-number-of-nodes")
    def get_number_of_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.nodes) + len(self.lan_nodes)

    @method("all-nodes-list")
    def all_nodes_list(self) -> list[str]:
        """All nodes, by number."""
        handles = self.nodes.handles | self.lan_nodes
        return [handles[number] for number in sorted(handles)]

    @method("nullagent")
    def null_agent(self) -> str:
        """The agent that throws away."""
        return self.vars["nullAgent_"]

    @method("multicast?")
    def is_multicast(self) -> int:
        """Whether packets may have many receivers."""
        return int(self.vars.setdefault("multiSim_", "0") != "0")

    # --- routes ---

    @method("rtproto")
    def routing_protocol(self, protocol: str, *nodes: str) -> None:
        """How routes are found, at some nodes or at all."""
        if protocol == "Algorithmic":
            self.vars["routingTable_"] = self.interp.new("RouteLogic/Algorithmic")
        self.interp.call(self.call("get-routelogic"), "register", protocol, *nodes)

    @method("compute-routes")
    def compute_routes(self) -> None:
        """Compute and install static routes."""
        self.interp.call(self.call("get-routelogic"), "compute")

    @method("get-routelogic")
    def get_routelogic(self) -> str:
        """What computes routes."""
        if "routingTable_" not in self.vars:
            self.vars["routingTable_"] = self.interp.new("RouteLogic")
        return self.vars["routingTable_"]

    # --- losses ---

    @method()
    def lossmodel(self, model: str, src: str, dst: str) -> None:
        """An error model in front of a link's queue."""
        self.link_between(src, dst).call("errormodule", model)

    @method("link-lossmodel")
    def link_lossmodel(self, model: str, src: str, dst: str) -> None:
        """An error model behind a link's wire."""
        self.link_between(src, dst).call("insert-linkloss", model)

    # --- agents ---

    @method("attach-tbf-agent")
    def attach_tbf_agent(self, node: str, agent: str, bucket: str) -> None:
        """Put an agent at a node, behind a token bucket."""
        self.interp.call(node, "attach", agent)
        self.interp.call(agent, "attach-tbf", bucket)

    @method("attach-agent")
    def attach_agent(self, node: str, agent: str) -> None:
        """Put an agent at a node."""
        if node in self.lan_nodes.values():
            self.interp.call(node, "attach", agent)
        else:
            self.node_at(node).call("attach", agent)
        peer = self.interp.find_peer(agent)
        if isinstance(peer, Agent) and peer.is_sctp():
            from ackclock.ns2.library.tcp.sctp import bind

            bind(self, agent)

    @method("detach-agent")
    def detach_agent(self, node: str, agent: str) -> None:
        """Take an agent off its node; packets for it are thrown away."""
        self.node_at(node).call("detach", agent, self.vars["nullAgent_"])

    @method()
    def connect(self, src: str, dst: str) -> str:
        """Two agents become each other's peer."""
        if self._agent(src).is_sctp():
            self.call("multihome-connect", src, dst)
        self.call("simplex-connect", src, dst)
        self.call("simplex-connect", dst, src)
        return src

    @method("simplex-connect")
    def simplex_connect(self, src: str, dst: str) -> str:
        """The first agent's packets go to the second."""
        source, target = self._agent(src), self._agent(dst)
        if self.interp.answer(source, "set") is plain_set and self.interp.answer(target, "set") is plain_set:
            source.native.aim(target.native)
            return src
        for name, other in (("dst_addr_", "agent_addr_"), ("dst_port_", "agent_port_")):
            source.call("set", name, target.call("set", other))
        return src

    def _agent(self, handle: str) -> Agent:
        return self.interp.peer_of(handle, Agent, "agent")

    def make_pair(self, source_kind: str, source: str, sink_kind: str, sink: str, fid: str) -> tuple[str, str]:
        """Two agents of these kinds at these nodes, with this flow id, not connected."""
        first, last = self.interp.new(f"Agent/{source_kind}"), self.interp.new(f"Agent/{sink_kind}")
        self.interp.call(first, "set", "fid_", fid)
        self.interp.call(last, "set", "fid_", fid)
        self.call("attach-agent", source, first)
        self.call("attach-agent", sink, last)
        return first, last

    @method("create-connection")
    def create_connection(self, source_kind: str, source: str, sink_kind: str, sink: str, fid: str) -> str:
        """Two agents of these kinds at these nodes, connected; the first one."""
        return self.create_connection_list(source_kind, source, sink_kind, sink, fid)[0]

    @method("create-connection-listen")
    def create_connection_listen(self, source_kind: str, source: str, sink_kind: str, sink: str, fid: str) -> str:
        """The same; the second one waits for the first one's SYN."""
        first, last = self.create_connection_list(source_kind, source, sink_kind, sink, fid)
        self.interp.call(last, "listen")
        return first

    @method("create-connection-list")
    def create_connection_list(self, source_kind: str, source: str, sink_kind: str, sink: str, fid: str) -> list[str]:
        """The same; both of them."""
        first, last = self.make_pair(source_kind, source, sink_kind, sink, fid)
        self.call("connect", first, last)
        return [first, last]

    @method("create-tcp-connection")
    def create_tcp_connection(self, source_kind: str, source: str, sink_kind: str, sink: str, fid: str) -> list[str]:
        """Two agents of these kinds at these nodes, not connected."""
        return list(self.make_pair(source_kind, source, sink_kind, sink, fid))

    # --- traces ---

    @method("trace-all")
    def trace_all(self, file: str) -> str:
        """Trace every link made from now on."""
        self.vars["traceAllFile_"] = file
        return file

    @method("namtrace-all")
    def namtrace_all(self, file: str) -> str:
        """Trace every link made from now on, for nam."""
        if file:
            self.vars["namtraceAllFile_"] = file
        else:
            del self.vars["namtraceAllFile_"]
        return file

    @method("namtrace-some")
    def namtrace_some(self, file: str) -> str:
        """Where nam's set-up goes when not every link is traced."""
        self.vars["namtraceSomeFile_"] = file
        return file

    @method("eventtrace-all")
    def eventtrace_all(self, file: str = "") -> None:
        """TCP senders made from now on report in words."""
        self.vars["eventTraceAll_"] = "1"
        self.vars["eventtraceAllFile_"] = file or self.vars["traceAllFile_"]

    @method("create-eventtrace")
    def create_eventtrace(self, kind: str, owner: str) -> None:
        """A trace for an agent's reports, if reports are traced."""
        if self.vars.get("eventTraceAll_") != "1":
            return
        handle = self.interp.new(f"BaseTrace/{kind}")
        self._remember_trace(handle)
        self.interp.call(handle, "attach", self.vars["eventtraceAllFile_"])
        if "namtraceAllFile_" in self.vars:
            self.interp.call(handle, "namattach", self.vars["namtraceAllFile_"])
        self.interp.call(owner, "cmd", "eventtrace", handle)

    def _remember_trace(self, handle: str) -> None:
        self.vars["alltrace_"] = f"{self.vars.get('alltrace_', '')} {handle}".strip()

    @method("use-taggedtrace")
    def use_taggedtrace(self, tag: str = "ON") -> None:
        """ns-2's trace in nam's manner."""
        self.interp.call("Simulator", "set", "TaggedTrace_", tag)

    @method("create-trace")
    def create_trace(self, kind: str, file: str, src: str, dst: str, op: str = "") -> str:
        """A trace object for a place between two nodes."""
        handle = self.interp.new(f"Trace/{kind}")
        self.interp.call(handle, "tagged", self.interp.call("Simulator", "set", "TaggedTrace_"))
        for name, text in (("src_", src), ("dst_", dst)):
            peer = self.interp.find_peer(text)
            number = peer.number if isinstance(peer, Node) else text
            if peer is not None and peer.has("id"):
                number = peer.call("id")
            self.interp.call(handle, "set", name, number)
        self._remember_trace(handle)
        if file:
            self.interp.call(handle, f"{op}attach", file)
        return handle

    @method("trace-queue")
    def trace_queue(self, src: str, dst: str, file: str = "") -> None:
        """Trace a link."""
        file = file or self.vars.get("traceAllFile_", "")
        if file:
            link = self.link_between(src, dst)
            link.call("trace", self.handle, file)
            self.interp.call(link.call("queue"), "attach-traces", src, dst, file)

    @method("namtrace-queue")
    def namtrace_queue(self, src: str, dst: str, file: str = "") -> None:
        """Trace a link for nam."""
        file = file or self.vars.get("namtraceAllFile_", "")
        if file:
            link = self.link_between(src, dst)
            link.call("nam-trace", self.handle, file)
            self.interp.call(link.call("queue"), "attach-nam-traces", src, dst, file)

    @method("monitor-queue")
    def monitor_queue(self, src: str, dst: str, channel: str, interval: str = "0.1") -> str:
        """A monitor of a link's queue."""
        return self.link_between(src, dst).call("init-monitor", self.handle, channel, interval)

    @method("flush-trace")
    def flush_trace(self) -> None:
        """Write out what is buffered."""
        for handle in self.interp.split(self.vars.get("alltrace_", "")):
            self.interp.call(handle, "flush")

    def write_line(self, variables: tuple[str, ...], line: str) -> None:
        """Write a line to the first of these channels that is set."""
        channel = next((self.vars[variable] for variable in variables if variable in self.vars), None)
        if channel is not None:
            self.interp.call("puts", channel, line)

    @method("get-ns-traceall")
    def get_ns_traceall(self) -> str:
        """The channel of `trace-all`, empty if there is none."""
        return self.vars.get("traceAllFile_", "")

    @method("get-nam-traceall")
    def get_nam_traceall(self) -> str:
        """The channel of `namtrace-all`, empty if there is none."""
        return self.vars.get("namtraceAllFile_", "")


class _Answering(Kind):
    """A Simulator, as far as the extension answers for it."""

    def __init__(self, simulator: Simulator) -> None:
        super().__init__(simulator.interp, ())
        self._simulator = simulator

    def answers(self) -> list[str]:
        own: dict[str, Callable[..., Any]] = {
            "create-eventtrace": Simulator.create_eventtrace,
            "register-nam-linkconfig": Simulator.register_nam_linkconfig,
            "simplex-connect": Simulator.simplex_connect,
            "simplex-link": Simulator.simplex_link,
        }
        return self.library_answers(self._simulator.class_name, own) if self._simulator.is_plain else []


def let_extension_answer(simulator: Simulator) -> None:
    """The extension answers for this Simulator from now on, as far as what it says concerns plain objects."""
    interp, variables = simulator.interp, simulator.vars

    def add_neighbor(node: str, neighbor: str) -> None:
        interp.call(node, "add-neighbor", neighbor, "0")

    interp.lazy_objects.serve(
        interp.engine,
        simulator.handle,
        _Answering(simulator),
        variables,
        *variables.shared(),
        simulator.nodes.handles,
        simulator.drawn_links,
        interp.count("Node", "nn_").kept,
        interp.count("Link", "nl_").kept,
        add_neighbor,
    )


def _only_simulator(interp: Interpreter) -> str:
    """The handle of the one Simulator that there is, of whatever class; empty if there are none or several."""
    last = interp.simulator
    if isinstance(last, Simulator) and last.rival is None and interp.find_peer(last.handle) is last:
        return last.handle
    return ""
