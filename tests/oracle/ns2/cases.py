"""Which of our own ns-2 scripts are held against ns-2, with which arguments.

Each case covers one agent, sink or option by itself as far as can be; what a script does is said
at its top.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from other_senders import FULL, LINUX, NO_WINDOWS, PACED, QUICK_START, RAP, SCTP, SCTP_HOMES, TFRC, XCP

SCRIPTS = Path(__file__).parent / "scripts"


@dataclass(frozen=True)
class Case:
    """One run: a script and its arguments."""

    script: str
    args: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """A name for reports and for the record."""
        return " ".join((self.script.removesuffix(".tcl"), *self.args))

    @property
    def path(self) -> Path:
        return SCRIPTS / self.script


TAHOE, RENO, NEWRENO = "Agent/TCP", "Agent/TCP/Reno", "Agent/TCP/Newreno"
SACK, FACK, VEGAS = "Agent/TCP/Sack1", "Agent/TCP/Fack", "Agent/TCP/Vegas"
SINK, DELAYED = "Agent/TCPSink", "Agent/TCPSink/DelAck"
SACK_SINK, SACK_DELAYED = "Agent/TCPSink/Sack1", "Agent/TCPSink/Sack1/DelAck"

#: Every sender with every sink that answers it.
FLOWS = [
    *((sender, sink) for sender in (TAHOE, RENO, NEWRENO, VEGAS) for sink in (SINK, DELAYED)),
    *((sender, sink) for sender in (SACK, FACK) for sink in (SACK_SINK, SACK_DELAYED)),
    (SACK, SINK),
    (RENO, SACK_SINK),
    ("Agent/TCP/RFC793edu", SINK),
    *(("Agent/TCP/SackRH", sink) for sink in (SACK_SINK, SACK_DELAYED, SINK)),
]

PAIRS = [
    (TAHOE, TAHOE),
    (RENO, VEGAS),
    (NEWRENO, NEWRENO),
    (SACK, RENO),
    (FACK, SACK),
    (VEGAS, VEGAS),
]

#: A sender, its sink, and one bound variable away from its default (or two that go together).
OPTIONS = [
    (TAHOE, SINK, "window_", "5"),
    (TAHOE, SINK, "window_", "100"),
    (RENO, SINK, "maxcwnd_", "8"),
    (RENO, SINK, "windowInit_", "4"),
    (RENO, SINK, "windowInitOption_", "2"),
    (TAHOE, SINK, "packetSize_", "512"),
    (TAHOE, SINK, "tcpip_base_hdr_size_", "20"),
    (TAHOE, SINK, "useHeaders_", "false"),
    (TAHOE, SINK, "syn_", "false"),
    (TAHOE, SINK, "tcpTick_", "0.1"),
    (TAHOE, SINK, "tcpTick_", "0.001"),
    (RENO, SINK, "overhead_", "0.001"),
    (RENO, SINK, "maxburst_", "1"),
    (RENO, SINK, "bugFix_", "false"),
    (TAHOE, SINK, "bugFix_", "false"),
    (RENO, SINK, "singledup_", "0"),
    (NEWRENO, SINK, "newreno_changes_", "1"),
    (NEWRENO, SINK, "partial_window_deflation_", "0"),
    (NEWRENO, SINK, "exit_recovery_fix_", "1"),
    (RENO, SINK, "precisionReduce_", "false"),
    (SACK, SACK_SINK, "precisionReduce_", "false"),
    (RENO, SINK, "minrto_", "2.0"),
    (RENO, SINK, "numdupacks_", "2"),
    (TAHOE, SINK, "noFastRetrans_", "true"),
    (RENO, SINK, "windowOption_", "0"),
    (RENO, SINK, "increase_num_", "0.5"),
    (RENO, SINK, "decrease_num_", "0.8"),
    (VEGAS, SINK, "v_alpha_", "4", "v_beta_", "6"),
    (VEGAS, SINK, "v_gamma_", "0.1"),
    (SACK, SACK_SINK, "window_", "64"),
    (FACK, SACK_SINK, "window_", "64"),
    (FACK, SACK_SINK, "rampdown_", "true"),
    (FACK, SACK_SINK, "ss-div4_", "true"),
    (RENO, DELAYED, "sink:interval_", "0.005"),
    (RENO, SINK, "sink:packetSize_", "52"),
    (SACK, SACK_SINK, "sink:maxSackBlocks_", "1"),
]

#: RED with preferential dropping: types of traces, what tells flows apart, and one setting away from its default.
RED_PD = (
    ("", "SrcDestFid"),
    ("MEDrop,EDrop", "Fid"),
    ("MEDrop", "SrcDestFid"),
    ("", "Fid", "queue:global_target_", "true", "queue:targetBW_", "0.8"),
    ("", "Fid", "queue:noidle_", "true", "queue:unresponsive_penalty_", "0.5"),
    ("", "Fid", "queue:unresponsive_penalty_", "3"),
    ("", "Fid", "queue:P_testFRp_", "0.02"),
    ("", "Fid", "queue:P_testFRp_", "0.02", "queue:bytes_", "false", "queue:queue_in_bytes_", "false"),
    ("", "Fid", "queue:auto_", "true", "flow:auto_", "true"),
    ("", "Fid", "flow:auto_", "true", "flow:estimate_rate_", "1", "flow:k_", "0.5"),
)

#: A queue discipline with its defaults, then one setting away from them.
QUEUES: list[tuple[str, ...]] = [
    ("DropTail",),
    ("DropTail", "drop_front_", "true"),
    ("RED",),
    ("RED", "thresh_", "4", "maxthresh_", "12"),
    ("RED", "thresh_", "2", "maxthresh_", "5", "gentle_", "false"),
    ("RED", "bytes_", "false", "queue_in_bytes_", "false"),
    ("RED", "q_weight_", "0.01"),
    ("RED", "linterm_", "50"),
    ("RED", "adaptive_", "1"),
    ("RED", "wait_", "false"),
    ("RED", "setbit_", "true", "tcp:ecn_", "1"),
    ("SFQ",),
    ("SFQ", "buckets_", "4", "maxqueue_", "10"),
    ("DRR",),
    ("DRR", "quantum_", "500", "buckets_", "3"),
    ("FQ",),
    ("PI",),
    ("PI", "a_", "0.01", "b_", "0.009", "qref_", "5", "w_", "50"),
    ("PI", "a_", "0.01", "b_", "0.009", "qref_", "5", "bytes_", "true", "queue_in_bytes_", "true"),
    ("PI", "a_", "0.01", "b_", "0.009", "qref_", "5", "setbit_", "true", "tcp:ecn_", "1"),
    ("REM",),
    ("REM", "gamma_", "0.1", "phi_", "1.01", "inw_", "0.2", "pbo_", "5", "pupdtime_", "0.01"),
    ("REM", "qib_", "true", "gamma_", "0.1", "mean_pktsize_", "500"),
    ("REM", "markpkts_", "true", "gamma_", "0.1", "tcp:ecn_", "1"),
    ("Vq",),
    ("Vq", "queue_in_bytes_", "false", "ecnlim_", "0.5", "gamma_", "0.9", "buflim_", "0.5"),
    ("Vq", "drop_front_", "true", "mean_pktsize_", "500"),
    ("Vq", "markpkts_", "true", "markfront_", "true", "tcp:ecn_", "1"),
    ("RED/RIO",),
    ("RED/RIO", "queue_in_bytes_", "true", "bytes_", "true", "priority_method_", "1"),
    ("RED/RIO", "in_gentle_", "true", "out_gentle_", "true", "in_linterm_", "5", "priority_method_", "1"),
    ("RED/RIO", "setbit_", "true", "tcp:ecn_", "1", "priority_method_", "1"),
    ("GK",),
    ("GK", "tcp:ecn_", "1"),
    ("GK", "ecnlim_", "0.5", "mean_pktsize_", "500", "drop_front_", "true", "tcp:ecn_", "1"),
]

#: A queue discipline and those of its variables whose changes it writes to a file.
WATCHED = [
    ("PI", "curq_", "prob_"),
    ("REM", "curq_", "prob_"),
    ("Vq", "curq_"),
    ("RED/RIO", "curq_", "ave_"),
    ("GK", "curq_"),
]

ERRORS = ("uniform", "byte", "periodic", "list", "two-state", "link-lossmodel")

#: Links that fail: how routes follow, and when the links fail.
FAILURES = [
    ("none", "Exponential"),
    ("none", "Manual"),
    ("Session", "Deterministic"),
    ("Session", "Manual"),
    ("DV", "Exponential"),
    ("DV", "Deterministic"),
    ("DV", "Manual"),
    ("DV", "Trace"),
    ("DV", "Manual", "1"),
    ("DV", "Deterministic", "1"),
]

#: What tells flows apart, and whether early drops count by themselves.
FLOW_MONITORS = [("Fid", "0"), ("Fid", "1"), ("SrcDestFid", "1"), ("SrcDest", "0"), ("Dest", "0")]

#: Admission controls of a link, what they measure by, and variables away from their defaults.
ADMISSION = [
    ("Param", "Null"),
    ("MS", "TimeWindow", "Est/TimeWindow", "T_", "5"),
    ("HB", "ExpAvg"),
    ("HB", "ExpAvg", "Est/ExpAvg", "w_", "0.5", "ADC/HB", "epsilon_", "0.99", "ADC", "backoff_", "false"),
    ("ACTP", "PointSample"),
    ("ACTO", "PointSample"),
    ("ACTO", "ExpAvg", "ADC", "backoff_", "false"),
]

#: How classes of a priority take turns, who lends, and whether a class borrows and how much longer it waits.
CBQ = [
    *((kind, lends) for kind in ("CBQ", "CBQ/WRR") for lends in ("ancestor-only", "top-level", "formal")),
    ("CBQ", "top-level", "0", "0.02"),
    ("CBQ/WRR", "formal", "0", "0.02"),
]

#: The kind, and what the first queue is told, of classes whose queues are RED.
CBQ_RED = (
    "CBQ", "CBQ/WRR", "CBQ link", "CBQ/WRR link q_weight_ 0.01", "CBQ gentle_ false q_weight_ 0.1 thresh_ 5",
    "CBQ setbit_ true q_weight_ 0.02 thresh_ 3", "CBQ queue_in_bytes_ false bytes_ false", "CBQ drop_front_ true",
    "CBQ drop_rand_ true", "CBQ/WRR adaptive_ 1",
)  # fmt: skip

#: Policy, schedule and average of differentiated services.
DIFFSERV = [
    ("TSW2CM", "RR", "RIO-C"),
    ("TSW3CM", "WRR", "WRED"),
    ("TokenBucket", "WIRR", "RIO-D"),
    ("srTCM", "PRI", "DROP"),
    ("trTCM", "RR", "RIO-C", "ecn"),
    ("Dumb", "WRR", "RIO-D", "ecn"),
    ("SFD", "PRI", "RIO-C"),
]

#: How a LAN is made.
LANS = [
    ("newLan",),
    ("newLan", "LL", "Queue/DropTail", "MAC/Csma/Cd", "Channel"),
    ("newLan", "LL", "Queue/DropTail", "MAC/-802_3"),
    ("newLan", "-llType", "LL", "-ifqType", "Queue/DropTail", "-macType", "Mac/802_3", "-chanType", "Channel"),
    ("make-lan", "LL", "Queue/DropTail", "Mac/802_3"),
    ("make-lan", "-trace", "on", "LL", "Queue/DropTail", "Mac/802_3", "Channel", "Phy/WiredPhy", "5"),
    ("make-lan", "-trace", "on", "LL", "Queue/DropTail", "Mac"),
    ("make-lan", "LL", "Queue/DropTail", "Mac/Csma/Cd"),
]

#: What web_traffic.tcl does out of the ordinary.
WEB_TRAFFIC = (
    "plain", "sack", "full", "parts", "limited", "fids", "same-fid", "fresh", "own", "fcfs", "server", "overlap",
    "timer",
)  # fmt: skip

#: Formats of connection vectors, and what Tmix is told.
TMIX = (
    "original",
    "alternate",
    "alternate lossless set-TCP Sack",
    "original one-way set-TCP Newreno set-sink DelAck set-pkt-size 500",
    "alternate one-way set-TCP Tahoe lossless",
    "original set-scale 0.5 set-TCP Newreno",
    "alternate set-prefill-t 2 set-prefill-si 0.5",
    "original set-end 3",
    "alternate one-way set-end 2.5",
    "original set-fin-time 5000",
)

#: How variables come to be written.
TRACED_BY = (
    "two-files", "back", "later", "in-line", "names", "window", "object", "object-then-file", "file-then-object",
    "no-object", "queue", "queue-later", "queue-names", "queue-object", "queue-set",
)  # fmt: skip

#: Procedures that scripts write for themselves, and commands of newer Tcl have the names of.
OWN_PROCEDURES = ("flush", "dict", "lassign", "lreverse", "chan", "apply", "trace")

#: How link_parts.tcl takes a link apart.
LINK_PARTS = (
    "connector", "behind-queue", "old-place", "behind-wire", "no-drop-target", "own-drop-target", "trace", "monitor",
    "no-hop-limit", "to-agent", "nowhere", "fails", "chain", "model-without-target", "marking-without-target",
    "hop-limit-behind-queue", "closed-gate", "to-other-link", "wrong-once",
)  # fmt: skip

#: Names that queues may trace or not.
TRACED_NAMES = ("curq_", "ave_", "curq", "prob_", "cur_max_p", "foo_", "limit_", "v_prob", "prob")

#: A protocol of multicast routing, a topology, a seed, and perhaps unicast routing and a link that fails.
MULTICAST = [
    *(
        f"{protocol} {topology} 2"
        for protocol in ("DM", "DVMRP", "CtrMcast", "BST")
        for topology in ("tree", "ring", "mesh")
    ),
    *(f"{protocol} mesh 3 {routing} fail" for protocol in ("DM", "DVMRP") for routing in ("Session", "DV")),
    "CtrMcast mesh 2 DV",
    "DM ring 5 LS fail",
]

#: How a script's event fails.
EVENT_ERRORS = (
    "command",
    "procedure",
    "variable",
    "method",
    "lines",
    "unknown",
    "unknown_within",
    "unknown_caught",
    "program",
)

CASES: list[Case] = [
    *(Case("flow.tcl", flow) for flow in FLOWS),
    *(Case("flow.tcl", option) for option in OPTIONS),
    *(Case("two_flows.tcl", pair) for pair in PAIRS),
    *(Case("dynamics.tcl", failure) for failure in FAILURES),
    *(Case("flow_monitor.tcl", flows) for flows in FLOW_MONITORS),
    *(Case("lan.tcl", lan) for lan in LANS),
    *(
        Case(script)
        for script in (
            "queue_in_bytes.tcl",
            "cbr_null.tcl",
            "cbr_loss_monitor.tcl",
            "ftp.tcl",
            "simplex.tcl",
            "nam.tcl",
            "trace_queue.tcl",
            "monitor_queue.tcl",
            "traced_variables.tcl",
            "cancel.tcl",
            "routing.tcl",
            "two_simulators.tcl",
            "otcl.tcl",
            "random.tcl",
            "red_trace.tcl",
            "event_trace.tcl",
            "rtmodel.tcl",
            "sources.tcl",
            "numbers.tcl",
            "messages.tcl",
            "message_passing.tcl",
            "run_in_proc.tcl",
            "recorded_traffic.tcl",
            "lookups.tcl",
            "unnamed.tcl",
            "timer.tcl",
        )
    ),
    *(Case("int_serv.tcl", by) for by in ADMISSION),
    *(Case("routes_by_hand.tcl", chosen) for chosen in ((), ("by_source",))),
    *(Case("hierarchy.tcl", bits) for bits in ((), ("8", "10", "13"))),
    *(Case("link_state.tcl", (several,)) for several in ("0", "1")),
    *(Case("queue.tcl", queue) for queue in QUEUES),
    *(Case("drr.tcl", (mask,)) for mask in ("0", "1")),
    # Limits below 0, and beyond 2^31 and 2^32 bytes.
    *(Case("queue_in_bytes.tcl", (limit,)) for limit in ("-1", "-5", "7158279", "14316558")),
    *(Case("queue_in_bytes.tcl", limits) for limits in (("9", "-1"), ("-1", "9"), ("7158279", "7158278"))),
    *(Case("queue_watched.tcl", watched) for watched in WATCHED),
    *(Case("errors.tcl", (kind,)) for kind in ERRORS),
    *(Case("full.tcl", full) for full in FULL),
    *(Case("tfrc.tcl", tfrc) for tfrc in TFRC),
    *(Case("quick_start.tcl", begins) for begins in QUICK_START),
    *(Case("cbq.tcl", shares) for shares in CBQ),
    Case("cbq_handles.tcl"),
    *(Case("cbq_red.tcl", tuple(told.split())) for told in CBQ_RED),
    *(Case("rap.tcl", rap) for rap in RAP),
    *(Case("sctp.tcl", tuple(sctp.split())) for sctp in SCTP),
    *(Case("sctp_multihomed.tcl", tuple(homes.split())) for homes in SCTP_HOMES),
    *(
        Case("sctp_traced.tcl", (variant, on_a_line))
        for variant in ("MultipleFastRtx", "MfrHbAfterRto", "Timestamp", "MfrTimestamp")
        for on_a_line in "01"
    ),
    Case("sctp_words.tcl"),
    *(Case("rtproto_nodes.tcl", (name, count)) for name in ("DV", "LS", "Session", "Static") for count in ("1", "2")),
    *(Case("sctp_sources.tcl", (what,)) for what in ("plain", "cbr", "telnet", "messages", "reset", "close")),
    *(Case("paced.tcl", paced) for paced in PACED),
    *(Case("diffserv.tcl", services) for services in DIFFSERV),
    *(Case("pack_mime.tcl", web) for web in ((), ("Sack",), ("Newreno", "no-flags"))),
    *(Case("marked_syn_ack.tcl", tuple(marked.split())) for marked in ("0 0.2", "1 0.2", "1 0", "2 0.2")),
    *(Case("without_flags.tcl", (sender,)) for sender in ("TCP", "TCP/Reno", "TCP/Sack1")),
    *(Case("delay_box.tcl", box) for box in ((), ("asymmetric",))),
    Case("named_late.tcl"),
    Case("known_ends.tcl"),
    Case("changed_between.tcl"),
    Case("first_values.tcl"),
    Case("classes_asleep.tcl"),
    Case("generators_asked_late.tcl"),
    Case("nam_while_it_runs.tcl"),
    *(Case("many_links.tcl", (count,)) for count in ("5", "6", "23", "24", "95")),
    *(Case("web_traffic.tcl", (web,)) for web in WEB_TRAFFIC),
    *(Case("tmix.tcl", tuple(vectors.split())) for vectors in TMIX),
    *(Case("srr.tcl", tuple(set_to.split())) for set_to in ("", "limit_ 12", "mtu_ 600", "granularity_ 2500")),
    *(Case("red_pd.tcl", policed) for policed in RED_PD),
    *(Case("xcp.tcl", tuple(flows.split())) for flows in XCP),
    *(Case("tagger.tcl", kind) for kind in ((), ("SrcDest",))),
    *(Case("linux.tcl", law) for law in LINUX),
    Case("linux_tunables.tcl"),
    Case("quiet.tcl", ("out.tr",)),
    *(Case("traced_by.tcl", (how,)) for how in TRACED_BY),
    *(Case("queue_names.tcl", (queue, *TRACED_NAMES)) for queue in ("DropTail", "PI", "REM", "Vq", "GK", "RED/RIO")),
    *(
        Case("own_procedures.tcl", (name,))
        for name in ("flush", "dict", "lassign", "lreverse", "chan", "apply", "trace")
    ),
    *(Case("event_error.tcl", (kind,)) for kind in EVENT_ERRORS),
    *(
        Case("sources_over_tcp.tcl", (f"Traffic/{kind}", *ends))
        for kind in ("Exponential", "Pareto", "CBR")
        for ends in (("TCP/Reno", "TCPSink"), ("TCP/FullTcp", "TCP/FullTcp"))
    ),
    *(Case("empty_packets.tcl", empty) for empty in (("DropTail", "40"), ("DRR", "40"), ("SFQ", "40"), ("DRR", "0"))),
    *(Case("headers.tcl", (which,)) for which in "abcdefg"),
    *(Case("fair_link.tcl", takes) for takes in ((), ("0",), ("0.001",))),
    *(Case("lan_routing.tcl", (protocol,)) for protocol in ("Static", "Session", "DV", "LS", "Simple")),
    *(Case("timed_errors.tcl", (means,)) for means in ("2 0.3", "0.5 0.02")),
    *(Case("link_words.tcl", words) for words in ((), ("time_parse", "10MS"), ("bw_parse", "1Kb"))),
    *(Case("recorded_start.tcl", (seed,)) for seed in ("1", "3", "4")),
    *(Case("flow_kinds.tcl", tuple(routes.split())) for routes in ("", "DV", "LS")),
    *(Case("multicast.tcl", tuple(words.split())) for words in MULTICAST),
    *(Case("multicast_answers.tcl", words) for words in (("DM", "400"), ("DM", "1200"), ("CtrMcast", "1200"))),
    *(Case("link_parts.tcl", (how, when)) for how in LINK_PARTS for when in ("before", "after", "later")),
    *(Case("own_links.tcl", (how, queue)) for how in ("class", "init", "bare") for queue in ("DropTail", "RED")),
    *(Case("area.tcl", (how,)) for how in ("told", "open", "found")),
    *(Case("fed.tcl", (f"Application/{app}", "0.1")) for app in ("Traffic/CBR", "Traffic/Pareto", "FTP", "Telnet")),
    *(Case("fed.tcl", ("Application/Traffic/CBR", at)) for at in ("1.0", "2.0")),
    Case("odd_arguments.tcl"),
    Case("no_links.tcl"),
    Case("rare_calls.tcl"),
    *(Case("remarks.tcl", traced) for traced in ((), ("tr",), ("nam",), ("tr", "nam"))),
    *(Case("tcp_app.tcl", (variant,)) for variant in ("", "/Sack", "/Tahoe")),
    Case("simple_tcp.tcl"),
    *(Case("own_ftp.tcl", (which,)) for which in ("both", "mine")),
    *(
        Case("web_caches.tcl", (transport, kind))
        for transport in ("SimpleTcp", "FullTcp", "FullTcp/Sack")
        for kind in ("", "/TTL", "/TTL/Plain", "/TTL/Omniscient")
    ),
    *(
        Case("backward_clock.tcl", (f"TCP{sender}", tick))
        for sender in ("", "/Reno", "/Newreno", "/Sack1", "/Vegas", "/Fack", "/RFC793edu", "/Linux", "/FullTcp")
        for tick in ("-1", "-0.01")
    ),
    *(
        Case("told_lines.tcl", (traced, flow))
        for traced in ("traced", "untraced", "tagged")
        for flow in ("tcp", "sctp")
    ),
    *(
        Case("error_modules.tcl", (kind, how))
        for kind in ("Fid", "Dest", "SrcDest", "SrcDestFid")
        for how in ("one", "range", "both", "unbound", "again")
    ),
    *(
        Case("overtaken.tcl", (kind,))
        for kind in ("plain", "fails", "late", "apart", "last", "cut", "forward", "again")
    ),
    *(Case("loss_on_the_way.tcl", (kind, how)) for kind in ("stays", "fails") for how in ("link-lossmodel", "target")),
    *(
        Case("lan_damaged.tcl", (mac, change))
        for mac in ("Mac", "Mac/802_3")
        for change in ("marks", "delays", "lost", "none")
    ),
    *(Case("udp_into_sink.tcl", (f"TCPSink{kind}",)) for kind in ("", "/DelAck", "/Sack1", "/Sack1/DelAck")),
    *(Case("other_headers.tcl", (sender, "LossMonitor")) for sender in ("TCP", "TCP/Sack1", "RAP", "TFRC")),
    *(Case("other_headers.tcl", ("RAP", sink)) for sink in ("TCPSink", "TCPSink/Sack1")),
    *(Case("reset_classifiers.tcl", (kind,)) for kind in ("words", "reset", "fails", "bound", "forgotten")),
    *(
        Case("no_slot.tcl", (routing, where))
        for routing in ("Static", "Session")
        for where in ("nowhere", "far", "port", "left", "alone", "early")
    ),
    *(Case("failing_nodes.tcl", (kind,)) for kind in ("words", "apart", "three")),
    *(Case("cost_words.tcl", cost) for cost in (("1+2",), ("2.5",), ("0x10",), ("foo", "silent"), ("", "silent"))),
    *(Case("no_windows.tcl", arguments) for arguments in NO_WINDOWS),
    *(
        Case("exact_flags.tcl", (sender, "useHeaders_", how))
        for sender in (TAHOE, "Agent/TFRC")
        for how in ("class", "object", "late")
    ),
    *(Case("one_block.tcl", (blocks, sink)) for blocks in ("0", "1", "2") for sink in (SACK_SINK, SACK_DELAYED)),
    *(Case("below_zero.tcl", (what,)) for what in ("headers", "size")),
    *(
        Case(script)
        for script in (
            "multicast_lan.tcl",
            "multicast_words.tcl",
            "odd_words.tcl",
            "counts_of_bytes.tcl",
            "instvar_twice.tcl",
            "results.tcl",
            "at_words.tcl",
            "detached.tcl",
            "reset_in_recovery.tcl",
            "past_the_window.tcl",
            "lan_nodes.tcl",
            "second_loss.tcl",
            "class_values.tcl",
            "told_messages.tcl",
            "resets.tcl",
            "links_of_lans.tcl",
            "unsigned.tcl",
            "next_to_commands.tcl",
        )
    ),
]
