"""ns-2's class library: one file per room, each class declared with its ns-2 name.

A file is loaded when a script first names one of its classes; importing this package says which file that is.
"""

from __future__ import annotations

from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.lazy_objects import Plan
from ackclock.ns2.bindings.tcl_object import DEFERRED, load_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ackclock._native import Simulation
    from ackclock.ns2.otcl.interp import Interpreter


#: modules, and the classes that they declare
MODULES = {
    "tcp.agents": "Agent Agent/Null Agent/TCP Agent/TCP/Fack Agent/TCP/Newreno Agent/TCP/RFC793edu Agent/TCP/Reno"
    " Agent/TCP/Reno/RBP Agent/TCP/Sack1 Agent/TCP/SackRH Agent/TCP/Vegas Agent/TCP/Vegas/RBP Agent/TCPSink"
    " Agent/TCPSink/DelAck Agent/TCPSink/Sack1 Agent/TCPSink/Sack1/DelAck",
    "traffic.applications": "Application Application/FTP",
    "core.classifiers": "Classifier Classifier/Hash Classifier/Hash/Dest Classifier/Hash/Fid Classifier/Hash/SrcDest"
    " Classifier/Hash/SrcDestFid Classifier/Port",
    "queues.cbq": "CBQClass CBQLink Queue/CBQ Queue/CBQ/WRR",
    "traffic.datagrams": "Agent/LossMonitor Agent/Ping Agent/UDP",
    "links.delay_boxes": "Classifier/DelayBox Classifier/Tmix_DelayBox Node/DelayBox Node/Tmix_DelayBox",
    "links.delayers": "Delayer",
    "queues.diffserv": "Queue/dsRED Queue/dsRED/core Queue/dsRED/edge",
    "links.dynamics": "DynamicLink",
    "links.error_model": "ErrorModel",
    "links.fair_links": "FQLink",
    "links.failures": "rtModel rtModel/Deterministic rtModel/Exponential rtModel/Manual rtModel/Trace rtQueue",
    "monitors.flow_monitors": "QueueMonitor/ED QueueMonitor/ED/Flow QueueMonitor/ED/Flowmon SnoopQueue/EDrop",
    "multicast.bidirectional": "BST",
    "multicast.bidirectional_tables": "Classifier/Multicast/BST Classifier/Multicast/Replicator/BST",
    "multicast.centralized": "CtrMcast",
    "multicast.centralized_trees": "CtrMcastComp CtrRPComp",
    "multicast.classifiers": "Classifier/Multicast Classifier/Multicast/Replicator Classifier/Replicator"
    " Classifier/Replicator/Demuxer",
    "multicast.control": "Agent/Decapsulator Agent/Encapsulator Agent/Mcast Agent/Mcast/Control",
    "multicast.dense_mode": "DM Timer/Iface Timer/Iface/Prune",
    "multicast.nodes": "RtModule/Mcast",
    "multicast.protocol": "McastProtocol mrtObject",
    "multicast.simulator": "MultiSim",
    "monitors.samples": "Samples",
    "tcp.sctp": "Agent/SCTP Agent/SCTP/CMT Agent/SCTP/HbAfterRto Agent/SCTP/MfrHbAfterRto Agent/SCTP/MfrTimestamp"
    " Agent/SCTP/MultipleFastRtx Agent/SCTP/Timestamp",
    "tcp.full_tcp": "Agent/TCP/FullTcp Agent/TCP/FullTcp/Newreno Agent/TCP/FullTcp/Sack Agent/TCP/FullTcp/Tahoe",
    "routing.hierarchy": "AddrParams Classifier/Addr Classifier/Hier RtModule/Hier",
    "queues.int_serv": "ADC ADC/ACTO ADC/ACTP ADC/HB ADC/MS ADC/Param Agent/SA Agent/SAack Est Est/ExpAvg Est/Null"
    " Est/PointSample Est/TimeWindow IntServLink MeasureMod Queue/SimpleIntServ SALink",
    "lan.lans": "Channel LL LanIface LanNode LanRouter Mac Mac/802_3 Phy Phy/WiredPhy VARPTable Vlink",
    "lan.network_interface": "NetworkInterface",
    "links.links": "DelayLink Link SimpleLink",
    "routing.link_state": "Agent/rtProto/LS",
    "tcp.linux": "Agent/TCP/Linux",
    "routing.manual": "RtModule/Manual",
    "traffic.messages": "Agent/CBR Agent/CBR/UDP Agent/Message Agent/MessagePassing TBF",
    "monitors.monitors": "Integrator QueueMonitor SnoopQueue SnoopQueue/Drop SnoopQueue/In SnoopQueue/Out",
    "routing.node_routes": "Classifier/MultiPath",
    "core.nodes": "Connector Node RtModule RtModule/Base TTLChecker",
    "links.error_models": "ErrorModel/Expo ErrorModel/List ErrorModel/MultiState ErrorModel/Periodic"
    " ErrorModel/TwoState ErrorModel/TwoStateMarkov ErrorModel/Uniform ErrorModule SelectErrorModel",
    "queues.fair_queues": "Queue/DRR Queue/FQ Queue/GK Queue/Management Queue/PI Queue/RED/RIO Queue/REM Queue/SFQ"
    " Queue/Vq",
    "web.pack_mime": "PackMimeHTTP",
    "web.pack_mime_ends": "Application/PackMimeHTTP Application/PackMimeHTTP/Client Application/PackMimeHTTP/Server",
    "web.pack_mime_variables": "RandomVariable/PackMimeHTTPFileSize RandomVariable/PackMimeHTTPFlowArrive"
    " RandomVariable/PackMimeHTTPNumPages RandomVariable/PackMimeHTTPObjsPerPage"
    " RandomVariable/PackMimeHTTPPersistRspSize RandomVariable/PackMimeHTTPPersistent"
    " RandomVariable/PackMimeHTTPServerDelay RandomVariable/PackMimeHTTPSingleObj"
    " RandomVariable/PackMimeHTTPTimeBtwnObjs RandomVariable/PackMimeHTTPTimeBtwnPages"
    " RandomVariable/PackMimeHTTPXmit",
    "queues.nonstandard_queues": "Queue/CoDel Queue/PIE Queue/sfqCoDel",
    "routing.protocols": "Agent/rtProto Agent/rtProto/DV Agent/rtProto/Direct rtObject rtPeer",
    "queues.queues": "Queue Queue/DropTail",
    "tcp.quick_start": "Agent/QSAgent",
    "core.randomness": "RNG RandomVariable RandomVariable/Constant RandomVariable/Empirical RandomVariable/Erlang"
    " RandomVariable/Exponential RandomVariable/Gamma RandomVariable/HyperExponential RandomVariable/LogNormal"
    " RandomVariable/Normal RandomVariable/Pareto RandomVariable/ParetoII RandomVariable/Uniform"
    " RandomVariable/Weibull",
    "tcp.rap": "Agent/RAP",
    "traffic.traffic_trace": "Application/Traffic/Trace Traffic/Trace Tracefile",
    "queues.red": "Queue/RED",
    "queues.red_pd": "Queue/RED/PD QueueMonitor/ED/Flow/RedPD",
    "routing.algorithmic": "RouteLogic/Algorithmic",
    "routing.routes": "RouteLogic",
    "routing.virtual": "Classifier/Virtual RtModule/VC",
    "core.scheduler": "Scheduler Scheduler/Calendar Scheduler/Heap Scheduler/List Scheduler/Map Scheduler/Splay",
    "core.simulator": "Simulator",
    "queues.smoothed_round_robin": "Queue/SRR",
    "monitors.taggers": "QueueMonitor/ED/Flow/TB QueueMonitor/ED/Tagger SnoopQueue/Tagger",
    "routing.source_routes": "Agent/SRAgent Classifier/SR RtModule/Source",
    "tcp.tfrc": "Agent/TFRC Agent/TFRCSink",
    "core.timers": "ConnTimer Timer",
    "traffic.tmix": "Tmix",
    "traffic.tmix_ends": "Application/Tmix",
    "monitors.traces": "BaseTrace BaseTrace/Event Trace Trace/Collision Trace/Deque Trace/Drop Trace/EDrop Trace/Enque"
    " Trace/Generic Trace/Hop Trace/MEDrop Trace/Recv Trace/Var",
    "traffic.traffic": "Application/Telnet Application/Traffic Application/Traffic/CBR Application/Traffic/Exponential"
    " Application/Traffic/Pareto Source/FTP Source/Telnet Traffic/Expoo Traffic/Pareto",
    "web.tcp_app": "Application/TcpApp",
    "tcp.simple_tcp": "Agent/TCP/SimpleTcp",
    "web.http": "Http",
    "web.http_cache": "Http/Cache Http/Cache/TTL Http/Cache/TTL/Omniscient Http/Cache/TTL/Plain",
    "web.http_client": "Http/Client",
    "web.http_server": "Http/Server",
    "web.page_pools": "PagePool/Client PagePool/Math",
    "web.web_traffic": "PagePool/WebTraf",
    "tcp.xcp": "Agent/TCP/FullTcp/Newreno/XCP Agent/TCP/Reno/XCP Agent/TCPSink/XCPSink Queue/DropTail/XCPQ Queue/XCP",
}


def _put_off(module: str, classes: str) -> None:
    DEFERRED.update(dict.fromkeys(classes.split(), lambda: __import__(f"{__name__}.{module}")))


for _module, _classes in MODULES.items():
    _put_off(_module, _classes)


def load_all() -> None:
    """Declare every class, for who wants to know them all."""
    while DEFERRED:
        load_class(next(iter(DEFERRED)))


class _Generators:
    """The two generators that every script finds and few ask for: the default one, and that of routing."""

    def __init__(self, engine: Simulation) -> None:
        # In ns-2 the default one has a stream of its own, too, before it becomes the default.
        engine.add_stream()
        routing = engine.add_stream()
        routing.seed(1)
        self._streams = engine.default_stream, routing

    def finish(self, peer: Any, place: int) -> None:
        """A script has asked for one."""
        peer.stand_for(self._streams[place])


def start(interp: Interpreter) -> None:
    """Make what every script finds."""
    from ackclock.ns2.library.core.scheduler import EventQueue

    interp.event_queue = EventQueue(interp)
    interp.eval(catalogue.beside("library/core/class_procs.tcl"))
    plan = Plan("RNG", None, None, {})
    default, routing = interp.lazy_objects.defer((plan, plan), _Generators(interp.engine))
    interp.set_variable("::defaultRNG", default)
    interp.set_variable("::rtglibRNG", routing)
    interp.command("::ns-random", lambda *seed: _ns_random(interp, *seed))
    interp.command("::otcl::enable_module", interp.enable_module)


def _ns_random(interp: Interpreter, *seed: str) -> int | str:
    """The default generator's next whole number; with an argument, seed it."""
    generator = interp.get_variable("::defaultRNG") or ""
    if seed:
        interp.call(generator, "seed", *seed)
        return seed[0]
    return int(interp.call(generator, "next-random"))
