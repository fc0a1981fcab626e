//! A socket's settings: Linux's sysctls and socket options, by their Linux names (Documentation/networking/ip-sysctl.rst).
//!
//! Defaults are those of Linux 6.18 with HZ = 250.

use super::clock::{Duration, Ticks};
use crate::random::rng::Seed;

/// `tcp_ecn`: when ECN is negotiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// 0: never.
    Off,
    /// 1: requested by a client, accepted by a server.
    On,
    /// 2: accepted by a server (Linux's default).
    #[default]
    Passive,
    /// 3: AccECN requested and accepted (RFC 9768).
    AccEcn,
    /// 4: AccECN accepted, ECN requested.
    AccEcnServer,
    /// 5: AccECN accepted, nothing requested.
    AccEcnPassive,
}

/// Settings of a socket.
#[derive(Clone, Debug)]
pub struct Config {
    /// Bytes of payload and TCP options in the largest packet of the path: the MTU less IP and TCP headers without options.
    pub mss: u16,
    /// Initial congestion window, packets (RFC 6928: 10).
    pub init_cwnd: u32,
    /// `tcp_congestion_control`.
    pub congestion_control: String,
    /// `tcp_sack`: negotiate SACK.
    pub sack: bool,
    /// `tcp_dsack`: send D-SACK blocks.
    pub dsack: bool,
    /// `tcp_timestamps`: negotiate timestamps.
    pub timestamps: bool,
    /// `tcp_window_scaling`: negotiate a window scale.
    pub window_scaling: bool,
    /// `tcp_ecn`.
    pub ecn: EcnMode,
    /// `tcp_ecn_fallback`: a retransmitted SYN does not request ECN (RFC 3168, 6.1.1.1).
    pub ecn_fallback: bool,
    /// `tcp_ecn_option`: 0 = no AccECN option, 1 = only as an answer, 2 = always.
    pub ecn_option: u8,
    /// `tcp_ecn_option_beacon`: how many times per RTT at least an option is sent.
    pub ecn_option_beacon: u8,
    /// `tcp_recovery`: bit 0 = RACK, bit 1 = a static reordering window, bit 2 = no DUPACK threshold in RACK.
    pub recovery: u8,
    /// `tcp_early_retrans`: 0 = no tail loss probe, 3 = tail loss probes.
    pub early_retrans: u8,
    /// `tcp_frto`: 0 = off, 2 = F-RTO.
    pub frto: u8,
    /// `tcp_reordering`: initial DUPACK threshold, packets.
    pub reordering: u32,
    /// `tcp_max_reordering`: its upper limit, packets.
    pub max_reordering: u32,
    /// `tcp_slow_start_after_idle`: the window decays after idle times (RFC 2861).
    pub slow_start_after_idle: bool,
    /// `tcp_rmem`: min, initial and max receive buffer, bytes.
    pub rmem: [u32; 3],
    /// `tcp_wmem`: min, initial and max send buffer, bytes.
    pub wmem: [u32; 3],
    /// An upper limit of the receive window, bytes, for experiments; Linux has none besides the buffer.
    pub window_limit: u32,
    /// `tcp_moderate_rcvbuf`: autotune the receive buffer.
    pub moderate_rcvbuf: bool,
    /// `tcp_workaround_signed_windows`: limit the first window to 32767 bytes.
    pub workaround_signed_windows: bool,
    /// `tcp_shrink_window`: the window may shrink.
    pub shrink_window: bool,
    /// `tcp_min_tso_segs`: the least packets in a segment when paced.
    pub min_tso_segs: u32,
    /// `gso_max_segs` of the interface: the most packets in a segment; 1 turns segmentation offload off.
    pub gso_max_segs: u32,
    /// `gso_max_size` of the interface: the most bytes in a segment.
    pub gso_max_size: u32,
    /// `tcp_tso_win_divisor`: a segment takes at most this part of the window.
    pub tso_win_divisor: u32,
    /// `tcp_tso_rtt_log`: autosizing adds packets for round trips below 2^n us.
    pub tso_rtt_log: u8,
    /// `tcp_pacing_ss_ratio`, percent.
    pub pacing_ss_ratio: u32,
    /// `tcp_pacing_ca_ratio`, percent.
    pub pacing_ca_ratio: u32,
    /// Pace packets even if the control sets no rate (as with the `fq` queue discipline).
    pub pacing: bool,
    /// `tcp_rto_min_us`.
    pub rto_min: Duration,
    /// `tcp_rto_max_ms`.
    pub rto_max: Duration,
    /// First RTO, before an RTT sample (RFC 6298: 1 s).
    pub rto_init: Duration,
    /// `tcp_syn_retries`.
    pub syn_retries: u8,
    /// `tcp_synack_retries`.
    pub synack_retries: u8,
    /// `tcp_syn_linear_timeouts`: SYN timeouts before the exponential backoff.
    pub syn_linear_timeouts: u8,
    /// `tcp_retries1`.
    pub retries1: u8,
    /// `tcp_retries2`: a connection is given up after this many retransmissions.
    pub retries2: u8,
    /// `tcp_orphan_retries`.
    pub orphan_retries: u8,
    /// `tcp_fin_timeout`: time in FIN-WAIT-2 without an owner.
    pub fin_timeout: Duration,
    /// Time in TIME-WAIT: 2 MSL, Linux's `TCP_TIMEWAIT_LEN`.
    pub time_wait: Duration,
    /// `tcp_keepalive_time`, `tcp_keepalive_intvl`.
    pub keepalive_time: Duration,
    /// See [`Config::keepalive_time`].
    pub keepalive_interval: Duration,
    /// `tcp_keepalive_probes`.
    pub keepalive_probes: u8,
    /// `tcp_min_rtt_wlen`: the window of the minimum filter of the RTT.
    pub min_rtt_window: Duration,
    /// `tcp_invalid_ratelimit`: the least time between duplicate ACKs that answer invalid segments.
    pub invalid_ratelimit: Duration,
    /// `tcp_notsent_lowat`: the application may write while fewer bytes than this are not sent.
    pub notsent_lowat: u32,
    /// `tcp_retrans_collapse`: merge small segments that are retransmitted.
    pub retrans_collapse: bool,
    /// `tcp_thin_linear_timeouts`: no exponential backoff for thin streams.
    pub thin_linear_timeouts: bool,
    /// `tcp_comp_sack_nr`: the most ACKs with SACK blocks that are compressed; 0 turns compression off.
    pub comp_sack_nr: u8,
    /// `tcp_comp_sack_delay_ns`.
    pub comp_sack_delay: Duration,
    /// `tcp_pingpong_thresh`: replies after which a connection counts as interactive.
    pub pingpong_thresh: u8,
    /// Timer ticks per second (`CONFIG_HZ`).
    pub hz: u32,
    /// The time of the first tick, if the retransmission and delayed-ACK timers expire at ticks, as in Linux. Without it,
    /// and for all other timers, expiry is exact, so that a run does not depend on when a tick is.
    pub tick_phase: Option<Duration>,
    /// The least delay of a delayed ACK (`TCP_DELACK_MIN`, `TCP_ATO_MIN`).
    pub delack_min: Duration,
    /// The most ACKs at the start, and after trouble, that are not delayed (`TCP_MAX_QUICKACKS`).
    pub max_quickacks: u32,
    /// No ACK is delayed (the route's attribute `quickack`).
    pub quickack: bool,
    /// The seed of random numbers of the congestion control.
    pub seed: Seed,
}

impl Config {
    /// The clock whose ticks timers wait for. Without it a timer expires at its exact time.
    pub(super) fn ticks(&self) -> Option<Ticks> {
        self.tick_phase.map(|phase| Ticks { tick: self.jiffy(), phase })
    }

    /// Length of a timer tick.
    pub(super) fn jiffy(&self) -> Duration {
        Duration::from_nanos(1_000_000_000 / u64::from(self.hz.max(1)))
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            mss: 1460,
            init_cwnd: 10,
            congestion_control: "cubic".to_owned(),
            sack: true,
            dsack: true,
            timestamps: true,
            window_scaling: true,
            ecn: EcnMode::Passive,
            ecn_fallback: true,
            ecn_option: 2,
            ecn_option_beacon: 3,
            recovery: 1,
            early_retrans: 3,
            frto: 2,
            reordering: 3,
            max_reordering: 300,
            slow_start_after_idle: true,
            rmem: [4096, 131_072, 33_554_432],
            wmem: [4096, 16_384, 4_194_304],
            window_limit: u32::MAX,
            moderate_rcvbuf: true,
            workaround_signed_windows: false,
            shrink_window: false,
            min_tso_segs: 2,
            gso_max_segs: 65_535,
            gso_max_size: 65_536,
            tso_win_divisor: 3,
            tso_rtt_log: 9,
            pacing_ss_ratio: 200,
            pacing_ca_ratio: 120,
            pacing: false,
            rto_min: Duration::from_millis(200),
            rto_max: Duration::from_secs(120),
            rto_init: Duration::from_secs(1),
            syn_retries: 6,
            synack_retries: 5,
            syn_linear_timeouts: 4,
            retries1: 3,
            retries2: 15,
            orphan_retries: 0,
            fin_timeout: Duration::from_secs(60),
            time_wait: Duration::from_secs(60),
            keepalive_time: Duration::from_secs(7200),
            keepalive_interval: Duration::from_secs(75),
            keepalive_probes: 9,
            min_rtt_window: Duration::from_secs(300),
            invalid_ratelimit: Duration::from_millis(500),
            notsent_lowat: u32::MAX,
            retrans_collapse: true,
            thin_linear_timeouts: false,
            comp_sack_nr: 44,
            comp_sack_delay: Duration::from_millis(1),
            pingpong_thresh: 1,
            hz: 250,
            tick_phase: None,
            delack_min: Duration::from_millis(40),
            max_quickacks: 16,
            quickack: false,
            seed: Seed::default(),
        }
    }
}
