"""What the scripts of senders other than one-way TCP's are told: variants, and settings away from their defaults."""

from __future__ import annotations

#: XCP's flows, and one setting away from its default (see the script).
XCP = (
    "one-way",
    "two-way",
    "one-way class:tcp_xcp_on_ 1",
    "one-way tcp:timestamps_ false",
    "two-way tcp:timestamps_ false",
    "one-way tcp:tcpTick_ 0.05",
    "one-way from:maxcwnd_ 8",
    "one-way from:packetSize_ 500",
    "one-way call:num-mice 2",
    "one-way call:queue-sample-everyrtt 0.35",
    "one-way xcp:limit_ 8",
    "one-way xcp:drop_front_ true",
    "one-way red:limit_ 5",
    "one-way other:limit_ 0",
    "one-way loss:rate_ 0.01",
    "two-way loss:rate_ 0.02",
)

#: A two-way variant, and bound variables away from their defaults.
FULL = [
    *((variant,) for variant in ("", "/Tahoe", "/Newreno", "/Sack")),
    ("/Sack", "max_sack_blocks_", "1"),
    ("/Sack", "sack_rtx_threshmode_", "0"),
    ("/Sack", "sack_rtx_threshmode_", "2", "sack_rtx_bthresh_", "3000"),
    ("/Sack", "sack_rtx_threshmode_", "4", "sack_rtx_bthresh_", "3000", "sack_rtx_cthresh_", "4"),
    ("/Sack", "clear_on_timeout_", "false", "timestamps_", "1"),
    ("/Newreno", "recov_maxburst_", "1"),
    ("", "ecn_", "1"),
    ("/Sack", "ecn_", "1", "ecn_syn_", "true"),
    ("", "segsperack_", "2", "spa_thresh_", "4000"),
    ("", "segsperack_", "2", "interval_", "0.02"),
    ("", "segsize_", "1460", "nodelay_", "true"),
    ("", "segsize_", "0"),
    ("", "data_on_syn_", "true", "iss_", "500"),
    ("", "dupseg_fix_", "false"),
    ("/Tahoe", "dupack_reset_", "true"),
    ("", "halfclose_", "true", "nopredict_", "true"),
    ("", "open_cwnd_on_pack_", "false", "tcprexmtthresh_", "2"),
    ("", "timestamps_", "1"),
    ("", "overhead_", "0.002", "maxburst_", "3"),
    ("/Tahoe", "segsize_", "200"),
    ("/Tahoe", "segsize_", "200", "bugFix_", "false"),
]

#: What feeds a TFRC sender, and bound variables away from their defaults.
TFRC = [
    *((source,) for source in ("start", "FTP", "Telnet", "Traffic/Exponential")),
    *(
        ("start", *options.split())
        for options in (
            "df_ 0.5",
            "tcp_tick_ 0.01",
            "ca_ 0",
            "overhead_ 0.4",
            "ssmult_ 1.5",
            "bval_ 2",
            "printStatus_ true",
            "conservative_ true",
            "conservative_ true scmult_ 1",
            "ecn_ 1",
            "minrto_ 1.0",
            "rate_init_option_ 1",
            "rate_init_option_ 1 rate_init_ 8",
            "slow_increase_ 0",
            "packetSize_ 160",
            "voip_ 1 packetSize_ 160",
            "voip_ 1 packetSize_ 160 voip_max_pkt_rate_ 20",
            "voip_ 1 packetSize_ 160 fsize_ 512",
            "useHeaders_ false",
            "headersize_ 60",
            "InitRate_ 5000",
            "oldCode_ true",
            "rttvar_exp_ 1",
            "srtt_init_ 2",
            "sink:NumFeedback_ 3",
            "sink:AdjustHistoryAfterSS_ 0",
            "sink:printLoss_ 1",
            "sink:printLoss_ 1 sink:ShortIntervals_ 1",
            "sink:numPkts_ 3",
            "sink:minDiscountRatio_ 0.2",
            "sink:NumSamples_ 4",
            "sink:discount_ 0",
            "sink:smooth_ 0",
            "sink:ShortIntervals_ 2",
            "sink:ShortIntervals_ 3 sink:ShortRtts_ 5",
            "sink:algo_ 2",
            "sink:algo_ 2 sink:history_ 0.3",
            "sink:algo_ 3",
            "sink:algo_ 4",
            "sink:algo_ 4 sink:minlc_ 2",
            "sink:packetSize_ 100",
        )
    ),
]

#: A sender with its sink, and variables of senders, routers or queues away from their defaults.
QUICK_START = [
    *(
        (sender, sink, *agreed)
        for sender, sink in (
            ("TCP", "TCPSink"),
            ("TCP/Reno", "TCPSink/DelAck"),
            ("TCP/Newreno", "TCPSink"),
            ("TCP/Sack1", "TCPSink/Sack1"),
        )
        for agreed in ((), ("router:algorithm_", "4"))
    ),
    ("TCP/Fack", "TCPSink/Sack1"),
    ("TCP/Vegas", "TCPSink"),
    ("TCP", "TCPSink", "router:algorithm_", "4", "tcp_qs_recovery_", "false"),
    ("TCP/Newreno", "TCPSink", "router:algorithm_", "4", "tcp_qs_recovery_", "false"),
    *(
        ("TCP/Sack1", "TCPSink/Sack1", *options.split())
        for options in (
            "router:algorithm_ 4 tcp_qs_recovery_ false",
            "rate_request_ 100",
            "qs_request_mode_ 0",
            "qs_thresh_ 150",
            "qs_rtt_ 500",
            "print_request_ true",
            "overhead_ 0.001",
            "router:algorithm_ 1",
            "router:algorithm_ 1 router:max_rate_ 100",
            "router:algorithm_ 2",
            "router:algorithm_ 2 router:threshold_ 0.05",
            "router:algorithm_ 2 router:threshold_ 0.05 queue:util_weight_ 3",
            "router:alloc_rate_ 0.2",
            "router:threshold_ 0.3",
            "router:rate_function_ 1",
            "router:qs_enabled_ 0",
            "queue:util_check_intv_ 1.0",
            "queue:util_records_ 0",
        )
    ),
]

#: Variables of a RAP sender away from their defaults.
RAP = [
    (),
    ("alpha_", "2"),
    ("beta_", "0.7"),
    ("delta_", "0.2"),
    ("mu_", "2", "phi_", "1"),
    ("overhead_", "0.01"),
    ("useFineGrain_", "1"),
    ("useFineGrain_", "1", "kfrtt_", "0.5", "kxrtt_", "0.1"),
    ("rap_base_hdr_size_", "60", "packetSize_", "1000"),
    ("dpthresh_", "90"),
    ("ipg_", "0.1", "srtt_", "0.3"),
]

#: A variant of SCTP, and variables away from their defaults.
SCTP = (
    "base",
    "HbAfterRto",
    "MultipleFastRtx",
    "MfrHbAfterRto",
    "Timestamp",
    "MfrTimestamp",
    "CMT",
    "base useDelayedSacks_ 0",
    "base sackDelay_ 0.05",
    "base useMaxBurst_ 0",
    "base mtu_ 576 dataChunkSize_ 544",
    "base dataChunkSize_ 468",
    "base dataChunkSize_ 333",
    "base initialRwnd_ 8000",
    "base initialSsthresh_ 6000",
    "base initialCwnd_ 10",
    "base initialRto_ 1.0 minRto_ 0.3 maxRto_ 2.0",
    "base fastRtxTrigger_ 2",
    "base heartbeatInterval_ 1",
    "base heartbeatInterval_ 0",
    "base ipHeaderSize_ 40 dataChunkSize_ 1448",
    "base numOutStreams_ 4",
    "base numOutStreams_ 4 numUnrelStreams_ 2",
    "base numUnrelStreams_ 1 reliability_ 1",
    "base unordered_ 1",
    "base routeCalcDelay_ 0.2",
    "base routeCalcDelay_ 0.2 routeCacheLifetime_ 0.1",
    "base initialSwnd_ 9000",
    "base useNonRenegSacks_ 1",
    "base useNonRenegSacks_ 1 unordered_ 1",
    "base useNonRenegSacks_ 1 numOutStreams_ 5 initialSwnd_ 20000",
    "base rtxToAlt_ 0",
    "MultipleFastRtx initialSwnd_ 9000",
    "Timestamp useDelayedSacks_ 0",
    "CMT useCmtReordering_ 0",
    "CMT useCmtCwnd_ 0",
    "CMT useCmtDelAck_ 0",
    "CMT useCmtPF_ 0",
)

#: A variant of SCTP, numbers of addresses, the kind of path, and variables away from their defaults.
SCTP_HOMES = (
    "base 1,2 router",
    "base 2,1 router",
    "base 2,2 direct",
    "base 2,2 router",
    "base 3,3 direct",
    "base 2,2 direct rtxToAlt_ 0",
    "base 2,2 direct rtxToAlt_ 2",
    "base 2,2 direct pathMaxRetrans_ 0",
    "base 2,2 direct pathMaxRetrans_ 0 changePrimaryThresh_ 0",
    "base 2,2 direct pathMaxRetrans_ 0 dormantAction_ 1",
    "base 2,2 direct associationMaxRetrans_ 0",
    "base 2,2 direct heartbeatInterval_ 2",
    "base 2,2 direct useNonRenegSacks_ 1 unordered_ 1",
    "HbAfterRto 2,2 direct",
    "MultipleFastRtx 2,2 direct",
    "MfrHbAfterRto 2,2 direct rtxToAlt_ 2",
    "Timestamp 2,2 router",
    "MfrTimestamp 2,2 direct",
    "CMT 2,2 direct",
    "CMT 3,3 direct",
    "CMT 2,2 router",
    *(f"CMT 2,2 direct eCmtRtxPolicy_ {policy}" for policy in range(4)),
    *(f"CMT 2,2 direct eCmtRtxPolicy_ 3 lossrates {rates}" for rates in ("0.3,0.1", "0.1,0.3")),
    "CMT 3,3 direct eCmtRtxPolicy_ 3 lossrates 0.2,0.1,0.3",
    "CMT 3,3 direct useCmtPF_ 0",
    "CMT 3,3 direct cmtPFCwnd_ 1 heartbeatInterval_ 1",
    "CMT 2,2 direct useNonRenegSacks_ 1",
    "CMT 2,2 direct initialRwnd_ 20000",
)

#: A sender that paces after idle times, its sink, and variables away from their defaults.
PACED = [
    ("TCP/Reno/RBP", "TCPSink"),
    ("TCP/Reno/RBP", "TCPSink/DelAck", "rbp_scale_", "0.4"),
    ("TCP/Reno/RBP", "TCPSink/DelAck"),
    ("TCP/Vegas/RBP", "TCPSink"),
    ("TCP/Vegas/RBP", "TCPSink", "rbp_rate_algorithm_", "2"),
    ("TCP/Vegas/RBP", "TCPSink", "rbp_scale_", "0.4"),
]

#: A Linux congestion control, and what else its script can be told.
LINUX = [
    ("none",),
    ("reno",),
    ("naive_reno",),
    ("highspeed",),
    ("bic",),
    ("htcp",),
    ("scalable",),
    ("cubic",),
    ("westwood",),
    ("hybla",),
    ("vegas", "window_", "50"),
    ("illinois", "window_", "50"),
    ("yeah", "window_", "50"),
    ("veno", "window_", "50"),
    ("compound", "window_", "50"),
    ("lp", "window_", "50"),
    ("reno", "loss", "3000", "sink", "/Sack1/DelAck", "level", "2"),
    ("none", "loss", "3000", "ecn_", "true", "queue", "RED"),
    ("cubic", "timestamps_", "true", "queue", "RED", "limit", "100"),
    ("cubic", "own", "cubic/beta=500", "all", "cubic/tcp_friendliness=0"),
    ("htcp", "timestamps_", "true", "level", "2"),
    ("bic", "all", "bic/low_window=40"),
    ("hybla", "own", "hybla/rtt0=60"),
    ("westwood", "loss", "3000", "sink", ""),
    ("vegas", "window_", "50", "all", "vegas/beta=20", "timestamps_", "true"),
    ("compound", "window_", "50", "timestamps_", "true", "limit", "20"),
    ("illinois", "window_", "50", "loss", "2000", "own", "illinois/theta=2"),
    ("lp", "window_", "50", "timestamps_", "true"),
    ("naive_reno", "own", "naive_reno/alpha=3"),
    ("highspeed", "then", "cubic"),
    ("yeah", "window_", "50", "queue", "RED", "timestamps_", "true"),
    ("veno", "window_", "50", "loss", "5000"),
]

_OF_WINDOWS = "TCP TCP/Newreno TCP/Sack1 TCP/Fack TCP/Vegas TCP/RFC793edu TCP/SackRH TCP/FullTcp/Sack"

#: A sender, a variable, its value below zero (or what makes a window so), and when it is set.
NO_WINDOWS = [
    *(
        (f"Agent/{sender}", *given)
        for sender in _OF_WINDOWS.split()
        for given in (("window_", "-1", "0"), ("cwnd_", "-3", "0.7"), ("windowInit_", "-1", "0"))
    ),
    *(
        ("Agent/TCP/Reno", *given)
        for given in (
            ("window_", "-1", "0.7"),
            ("ssthresh_", "-2", "0.7"),
            ("maxcwnd_", "-1", "0.05"),
            ("max_ssthresh_", "-5", "0"),
            ("increase_num_", "-8", "0"),
            ("decrease_num_", "-2", "0"),
            ("decrease_num_", "3", "0"),
        )
    ),
]
