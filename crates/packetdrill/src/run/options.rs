//! Socket options and the fields of `TCP_INFO` by their names.

use ackclock_engine::transport::tcp::socket::SocketOption;
use ackclock_engine::transport::tcp::socket::info::TcpInfo;

/// Options without an effect on a simulated socket.
const WITHOUT_EFFECT: &[&str] = &[
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "SO_MARK",
    "SO_PRIORITY",
    "SO_BUSY_POLL",
    "IP_FREEBIND",
    "IP_MTU_DISCOVER",
    "IPV6_MTU_DISCOVER",
    "IP_TOS",
    "IP_RECVERR",
    "TCP_INQ",
];

/// Whether a simulation would not notice the option.
pub(super) fn has_no_effect(name: &str) -> bool {
    WITHOUT_EFFECT.contains(&name)
}

/// What `setsockopt` does with an option.
pub(super) enum Setting {
    /// It sets this.
    Option(SocketOption),
    /// A simulation does not have it.
    Unknown,
    /// The value is out of range.
    Invalid,
}

/// The setting of `setsockopt` for a number.
pub(super) fn setting(name: &str, value: i64) -> Setting {
    let is_set = value != 0;
    let Ok(unsigned) = u32::try_from(value) else {
        return match name {
            "TCP_LINGER2" => Setting::Option(SocketOption::Linger2(value as i32)),
            _ => Setting::Invalid,
        };
    };
    let byte = u8::try_from(unsigned).unwrap_or(u8::MAX);
    Setting::Option(match name {
        "TCP_NODELAY" => SocketOption::NoDelay(is_set),
        "TCP_CORK" => SocketOption::Cork(is_set),
        "TCP_QUICKACK" => SocketOption::QuickAck(is_set),
        "SO_SNDBUF" => SocketOption::SendBuffer(unsigned),
        "SO_RCVBUF" => SocketOption::ReceiveBuffer(unsigned),
        "SO_RCVLOWAT" => SocketOption::ReceiveLowWater(unsigned),
        "TCP_WINDOW_CLAMP" => SocketOption::WindowClamp(unsigned),
        "TCP_MAXSEG" => match u16::try_from(unsigned) {
            Ok(bytes) => SocketOption::MaxSegment(bytes),
            Err(_) => return Setting::Invalid,
        },
        "SO_MAX_PACING_RATE" => SocketOption::MaxPacingRate(u64::from(unsigned)),
        "TCP_NOTSENT_LOWAT" => SocketOption::NotSentLowWater(unsigned),
        "TCP_USER_TIMEOUT" => SocketOption::UserTimeout(unsigned),
        "SO_KEEPALIVE" => SocketOption::KeepAlive(is_set),
        "TCP_KEEPIDLE" => SocketOption::KeepIdle(unsigned),
        "TCP_KEEPINTVL" => SocketOption::KeepInterval(unsigned),
        "TCP_KEEPCNT" => SocketOption::KeepCount(byte),
        "TCP_LINGER2" => SocketOption::Linger2(value as i32),
        "TCP_SYNCNT" => SocketOption::SynCount(byte),
        "TCP_DEFER_ACCEPT" => SocketOption::DeferAccept(unsigned),
        "TCP_THIN_LINEAR_TIMEOUTS" => SocketOption::ThinLinearTimeouts(is_set),
        _ => return Setting::Unknown,
    })
}

/// Constants that packetdrill gives to code blocks, with Linux's values (include/net/tcp_states.h, include/uapi/linux/tcp.h).
pub(super) fn constant(name: &str) -> Option<i64> {
    const CONSTANTS: &[(&str, i64)] = &[
        ("TCP_ESTABLISHED", 1),
        ("TCP_SYN_SENT", 2),
        ("TCP_SYN_RECV", 3),
        ("TCP_FIN_WAIT1", 4),
        ("TCP_FIN_WAIT2", 5),
        ("TCP_TIME_WAIT", 6),
        ("TCP_CLOSE", 7),
        ("TCP_CLOSE_WAIT", 8),
        ("TCP_LAST_ACK", 9),
        ("TCP_LISTEN", 10),
        ("TCP_CLOSING", 11),
        ("TCP_CA_Open", 0),
        ("TCP_CA_Disorder", 1),
        ("TCP_CA_CWR", 2),
        ("TCP_CA_Recovery", 3),
        ("TCP_CA_Loss", 4),
        ("TCPI_OPT_TIMESTAMPS", 1),
        ("TCPI_OPT_SACK", 2),
        ("TCPI_OPT_WSCALE", 4),
        ("TCPI_OPT_ECN", 8),
        ("TCPI_OPT_ECN_SEEN", 16),
        ("TCPI_OPT_SYN_DATA", 32),
        ("TCPI_OPT_USEC_TS", 64),
        ("TCPI_OPT_TFO_CHILD", 128),
    ];
    CONSTANTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// Finds a field of [`TcpInfo`] by its name.
macro_rules! fields {
    ($name:expr, $info:expr, [$($field:ident),* $(,)?]) => {
        match $name {
            $(stringify!($field) => Some(i64::try_from($info.$field).unwrap_or(i64::MAX)),)*
            _ => None,
        }
    };
}

/// The value of a field of `TCP_INFO`, by Linux's name.
pub(super) fn info_value(name: &str, info: &TcpInfo) -> Option<i64> {
    fields!(
        name,
        info,
        [
            tcpi_state,
            tcpi_ca_state,
            tcpi_retransmits,
            tcpi_probes,
            tcpi_backoff,
            tcpi_options,
            tcpi_snd_wscale,
            tcpi_rcv_wscale,
            tcpi_delivery_rate_app_limited,
            tcpi_rto,
            tcpi_ato,
            tcpi_snd_mss,
            tcpi_rcv_mss,
            tcpi_unacked,
            tcpi_sacked,
            tcpi_lost,
            tcpi_retrans,
            tcpi_fackets,
            tcpi_last_data_sent,
            tcpi_last_ack_sent,
            tcpi_last_data_recv,
            tcpi_last_ack_recv,
            tcpi_pmtu,
            tcpi_rcv_ssthresh,
            tcpi_rtt,
            tcpi_rttvar,
            tcpi_snd_ssthresh,
            tcpi_snd_cwnd,
            tcpi_advmss,
            tcpi_reordering,
            tcpi_rcv_rtt,
            tcpi_rcv_space,
            tcpi_total_retrans,
            tcpi_pacing_rate,
            tcpi_max_pacing_rate,
            tcpi_bytes_acked,
            tcpi_bytes_received,
            tcpi_segs_out,
            tcpi_segs_in,
            tcpi_notsent_bytes,
            tcpi_min_rtt,
            tcpi_data_segs_in,
            tcpi_data_segs_out,
            tcpi_delivery_rate,
            tcpi_busy_time,
            tcpi_rwnd_limited,
            tcpi_sndbuf_limited,
            tcpi_delivered,
            tcpi_delivered_ce,
            tcpi_bytes_sent,
            tcpi_bytes_retrans,
            tcpi_dsack_dups,
            tcpi_reord_seen,
            tcpi_rcv_ooopack,
            tcpi_snd_wnd,
            tcpi_rcv_wnd,
            tcpi_rehash,
            tcpi_total_rto,
            tcpi_total_rto_recoveries,
            tcpi_total_rto_time,
            tcpi_received_ce,
            tcpi_received_e1_bytes,
            tcpi_received_e0_bytes,
            tcpi_received_ce_bytes,
            tcpi_delivered_e1_bytes,
            tcpi_delivered_e0_bytes,
            tcpi_delivered_ce_bytes,
        ]
    )
}
