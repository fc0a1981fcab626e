"""ns-2's class library: one file per room, each class declared with its ns-2 name.

A file is loaded when a script first names one of its classes; importing this package says which file that is.
"""

from __future__ import annotations

from ackclock.ns2 import catalogue
from ackclock.ns2.peers import LATER, load_class
from ackclock.ns2.promises import Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ackclock._native import Simulation
    from ackclock.ns2.interp import Interpreter


#: modules, and the classes that they declare
MODULES = {
    "agents": "Agent Agent/Null Agent/TCP Agent/TCP/Fack Agent/TCP/Newreno Agent/TCP/RFC793edu Agent/TCP/Reno"
    " Agent/TCP/Reno/RBP Agent/TCP/Sack1 Agent/TCP/SackRH Agent/TCP/Vegas Agent/TCP/Vegas/RBP Agent/TCPSink"
    " Agent/TCPSink/DelAck Agent/TCPSink/Sack1 Agent/TCPSink/Sack1/DelAck",
    "applications": "Application Application/FTP",
    "classifiers": "Classifier Classifier/Hash Classifier/Hash/Dest Classifier/Hash/Fid Classifier/Hash/SrcDest"
    " Classifier/Hash/SrcDestFid Classifier/Port",
    "class_queues": "CBQClass CBQLink Queue/CBQ Queue/CBQ/WRR",
    "datagrams": "Agent/LossMonitor Agent/Ping Agent/UDP",
    "delay_boxes": "Classifier/DelayBox Classifier/Tmix_DelayBox Node/DelayBox Node/Tmix_DelayBox",
    "delayers": "Delayer",
    "diffserv": "Queue/dsRED Queue/dsRED/core Queue/dsRED/edge",
    "dynamics": "DynamicLink",
    "errors": "ErrorModel",
    "failures": "rtModel rtModel/Deterministic rtModel/Exponential rtModel/Manual rtModel/Trace rtQueue",
    "flows": "QueueMonitor/ED QueueMonitor/ED/Flow QueueMonitor/ED/Flowmon Samples SnoopQueue/EDrop",
    "full_tcp": "Agent/TCP/FullTcp Agent/TCP/FullTcp/Newreno Agent/TCP/FullTcp/Sack Agent/TCP/FullTcp/Tahoe",
    "hierarchy": "AddrParams Classifier/Addr Classifier/Hier RtModule/Hier",
    "int_serv": "ADC ADC/ACTO ADC/ACTP ADC/HB ADC/MS ADC/Param Agent/SA Agent/SAack Est Est/ExpAvg Est/Null"
    " Est/PointSample Est/TimeWindow IntServLink MeasureMod Queue/SimpleIntServ SALink",
    "lans": "Channel LL LanIface LanNode LanRouter Mac Mac/802_3 NetworkInterface Phy Phy/WiredPhy VARPTable Vlink",
    "links": "DelayLink Link SimpleLink",
    "link_state": "Agent/rtProto/LS",
    "linux": "Agent/TCP/Linux",
    "manual": "RtModule/Manual",
    "messages": "Agent/CBR Agent/CBR/UDP Agent/Message Agent/MessagePassing TBF",
    "monitors": "Integrator QueueMonitor SnoopQueue SnoopQueue/Drop SnoopQueue/In SnoopQueue/Out",
    "node_routes": "Classifier/MultiPath",
    "nodes": "Connector Node RtModule RtModule/Base TTLChecker",
    "other_errors": "ErrorModel/Expo ErrorModel/List ErrorModel/MultiState ErrorModel/Periodic ErrorModel/TwoState"
    " ErrorModel/TwoStateMarkov ErrorModel/Uniform ErrorModule SelectErrorModel",
    "other_queues": "Queue/DRR Queue/FQ Queue/GK Queue/Management Queue/PI Queue/RED/RIO Queue/REM Queue/SFQ Queue/Vq",
    "pack_mime": "Application/PackMimeHTTP Application/PackMimeHTTP/Client Application/PackMimeHTTP/Server PackMimeHTTP"
    " RandomVariable/PackMimeHTTPFileSize RandomVariable/PackMimeHTTPFlowArrive RandomVariable/PackMimeHTTPNumPages"
    " RandomVariable/PackMimeHTTPObjsPerPage RandomVariable/PackMimeHTTPPersistRspSize"
    " RandomVariable/PackMimeHTTPPersistent RandomVariable/PackMimeHTTPServerDelay RandomVariable/PackMimeHTTPSingleObj"
    " RandomVariable/PackMimeHTTPTimeBtwnObjs RandomVariable/PackMimeHTTPTimeBtwnPages RandomVariable/PackMimeHTTPXmit",
    "patched": "Queue/CoDel Queue/PIE Queue/sfqCoDel",
    "protocols": "Agent/rtProto Agent/rtProto/DV Agent/rtProto/Direct rtObject rtPeer",
    "queues": "Queue Queue/DropTail",
    "quick_start": "Agent/QSAgent",
    "randomness": "RNG RandomVariable RandomVariable/Constant RandomVariable/Empirical RandomVariable/Erlang"
    " RandomVariable/Exponential RandomVariable/Gamma RandomVariable/HyperExponential RandomVariable/LogNormal"
    " RandomVariable/Normal RandomVariable/Pareto RandomVariable/ParetoII RandomVariable/Uniform"
    " RandomVariable/Weibull",
    "rap": "Agent/RAP",
    "recorded": "Application/Traffic/Trace Traffic/Trace Tracefile",
    "red": "Queue/RED",
    "red_pd": "Queue/RED/PD QueueMonitor/ED/Flow/RedPD",
    "routes": "RouteLogic",
    "scheduler": "Scheduler Scheduler/Calendar Scheduler/Heap Scheduler/List Scheduler/Map Scheduler/Splay",
    "simulator": "Simulator",
    "smoothed_round_robin": "Queue/SRR",
    "taggers": "QueueMonitor/ED/Flow/TB QueueMonitor/ED/Tagger SnoopQueue/Tagger",
    "source_routes": "Agent/SRAgent Classifier/SR RtModule/Source",
    "tfrc": "Agent/TFRC Agent/TFRCSink",
    "timers": "ConnTimer Timer",
    "tmix": "Tmix",
    "tmix_ends": "Application/Tmix",
    "traces": "BaseTrace BaseTrace/Event Trace Trace/Collision Trace/Deque Trace/Drop Trace/EDrop Trace/Enque"
    " Trace/Generic Trace/Hop Trace/MEDrop Trace/Recv Trace/Var",
    "traffic": "Application/Telnet Application/Traffic Application/Traffic/CBR Application/Traffic/Exponential"
    " Application/Traffic/Pareto Source/FTP Source/Telnet Traffic/Expoo Traffic/Pareto",
    "web_traffic": "PagePool/WebTraf",
    "xcp": "Agent/TCP/FullTcp/Newreno/XCP Agent/TCP/Reno/XCP Agent/TCPSink/XCPSink Queue/DropTail/XCPQ Queue/XCP",
}


def _put_off(module: str, classes: str) -> None:
    LATER.update(dict.fromkeys(classes.split(), lambda: __import__(f"{__name__}.{module}")))


for _module, _classes in MODULES.items():
    _put_off(_module, _classes)


def load_all() -> None:
    """Declare every class, for who wants to know them all."""
    while LATER:
        load_class(next(iter(LATER)))


class _Generators:
    """The two generators that every script finds and few ask for: the default one, and that of routing."""

    def __init__(self, engine: Simulation) -> None:
        # In ns-2 the default one has a stream of its own, too, before it becomes the default.
        engine.add_stream()
        routing = engine.add_stream()
        engine.seed_stream(routing, 1)
        self._streams = 0, routing

    def finish(self, peer: Any, place: int) -> None:
        """A script has asked for one."""
        peer.stand_for(self._streams[place])


def start(interp: Interpreter) -> None:
    """Make what every script finds."""
    from ackclock.ns2.library.scheduler import Agenda

    interp.agenda = Agenda(interp)
    interp.eval(catalogue.beside("library/class_procs.tcl"))
    plan = Plan("RNG", None, None, {})
    default, routing = interp.promises.promise((plan, plan), _Generators(interp.engine))
    interp.set_variable("::defaultRNG", default)
    interp.set_variable("::rtglibRNG", routing)
    interp.command("::ns-random", lambda *seed: _ns_random(interp, *seed))


def _ns_random(interp: Interpreter, *seed: str) -> int | str:
    """The default generator's next whole number; with an argument, seed it."""
    generator = interp.get_variable("::defaultRNG") or ""
    if seed:
        interp.call(generator, "seed", *seed)
        return seed[0]
    return int(interp.call(generator, "next-random"))
