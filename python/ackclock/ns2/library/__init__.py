"""ns-2's class library: one file per room, each class declared with its ns-2 name.

Importing this package fills the registry of `ackclock.ns2.peers`; what few scripts use is loaded when they name it.
"""

from __future__ import annotations

from ackclock.ns2 import catalogue
from ackclock.ns2.library import (  # noqa: F401  (imported for what they register)
    agents,
    applications,
    classifiers,
    delayers,
    flows,
    lans,
    links,
    monitors,
    nodes,
    queues,
    randomness,
    routes,
    scheduler,
    simulator,
    traces,
)
from ackclock.ns2.peers import LATER, load_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.interp import Interpreter


#: modules that are loaded when a script first names one of the classes that they declare
SELDOM = {
    "class_queues": "CBQClass CBQLink Queue/CBQ Queue/CBQ/WRR",
    "delay_boxes": "Classifier/DelayBox Classifier/Tmix_DelayBox Node/DelayBox Node/Tmix_DelayBox",
    "diffserv": "Queue/dsRED Queue/dsRED/core Queue/dsRED/edge",
    "errors": "ErrorModel ErrorModel/Expo ErrorModel/List ErrorModel/MultiState ErrorModel/Periodic ErrorModel/TwoState"
    " ErrorModel/TwoStateMarkov ErrorModel/Uniform ErrorModule SelectErrorModel",
    "failures": "rtModel rtModel/Deterministic rtModel/Exponential rtModel/Manual rtModel/Trace rtQueue",
    "full_tcp": "Agent/TCP/FullTcp Agent/TCP/FullTcp/Newreno Agent/TCP/FullTcp/Sack Agent/TCP/FullTcp/Tahoe",
    "hierarchy": "AddrParams Classifier/Addr Classifier/Hier RtModule/Hier",
    "int_serv": "ADC ADC/ACTO ADC/ACTP ADC/HB ADC/MS ADC/Param Agent/SA Agent/SAack Est Est/ExpAvg Est/Null"
    " Est/PointSample Est/TimeWindow IntServLink MeasureMod Queue/SimpleIntServ SALink",
    "link_state": "Agent/rtProto/LS",
    "linux": "Agent/TCP/Linux",
    "manual": "RtModule/Manual",
    "messages": "Agent/CBR Agent/CBR/UDP Agent/Message Agent/MessagePassing TBF",
    "pack_mime": "Application/PackMimeHTTP Application/PackMimeHTTP/Client Application/PackMimeHTTP/Server PackMimeHTTP"
    " RandomVariable/PackMimeHTTPFileSize RandomVariable/PackMimeHTTPFlowArrive RandomVariable/PackMimeHTTPNumPages"
    " RandomVariable/PackMimeHTTPObjsPerPage RandomVariable/PackMimeHTTPPersistRspSize"
    " RandomVariable/PackMimeHTTPPersistent RandomVariable/PackMimeHTTPServerDelay RandomVariable/PackMimeHTTPSingleObj"
    " RandomVariable/PackMimeHTTPTimeBtwnObjs RandomVariable/PackMimeHTTPTimeBtwnPages RandomVariable/PackMimeHTTPXmit",
    "patched": "Queue/CoDel Queue/PIE Queue/sfqCoDel",
    "protocols": "Agent/rtProto Agent/rtProto/DV Agent/rtProto/Direct rtObject rtPeer",
    "quick_start": "Agent/QSAgent",
    "rap": "Agent/RAP",
    "recorded": "Application/Traffic/Trace Traffic/Trace Tracefile",
    "red_pd": "Queue/RED/PD QueueMonitor/ED/Flow/RedPD",
    "smoothed_round_robin": "Queue/SRR",
    "taggers": "QueueMonitor/ED/Flow/TB QueueMonitor/ED/Tagger SnoopQueue/Tagger",
    "source_routes": "Agent/SRAgent Classifier/SR RtModule/Source",
    "tfrc": "Agent/TFRC Agent/TFRCSink",
    "timers": "ConnTimer Timer",
    "tmix": "Tmix",
    "tmix_ends": "Application/Tmix",
    "web_traffic": "PagePool/WebTraf",
    "xcp": "Agent/TCP/FullTcp/Newreno/XCP Agent/TCP/Reno/XCP Agent/TCPSink/XCPSink Queue/DropTail/XCPQ Queue/XCP",
}
LATER.update({name: f"{__name__}.{module}" for module, classes in SELDOM.items() for name in classes.split()})


def load_all() -> None:
    """Load what few scripts use, for who wants to know every class."""
    for name in list(LATER):
        load_class(name)


def start(interp: Interpreter) -> None:
    """Make the objects that every script finds: the default random generator, and the one of routing."""
    interp.agenda = scheduler.Agenda(interp)
    interp.eval(catalogue.beside("library/class_procs.tcl"))
    default = interp.make("RNG")
    default.be_default()
    interp.set_variable("::defaultRNG", default.handle)
    routing = interp.make("RNG")
    interp.call(routing.handle, "seed", "1")
    interp.set_variable("::rtglibRNG", routing.handle)
    interp.command("::ns-random", lambda *seed: _ns_random(interp, *seed))


def _ns_random(interp: Interpreter, *seed: str) -> int | str:
    """The default generator's next whole number; with an argument, seed it."""
    generator = interp.get_variable("::defaultRNG") or ""
    if seed:
        interp.call(generator, "seed", *seed)
        return seed[0]
    return int(interp.call(generator, "next-random"))
