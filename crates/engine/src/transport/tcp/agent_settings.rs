//! The parameters of the TCP agent, by Linux's names where Linux has them, and the socket's settings that they make.

use crate::params::Params;
use crate::random::rng::Seed;
use crate::transport::tcp::socket::clock::Duration;
use crate::transport::tcp::socket::config::{Config, EcnMode};

/// Bytes of the timestamps option with its padding. The MSS option does not count it (RFC 6691, 2).
const TIMESTAMPS: i32 = 12;

/// The largest send buffer, bytes. Linux's default of 4 MiB holds 420 Mb/s at 80 ms; programs that measure faster paths
/// raise it.
const SEND_BUFFER: i32 = 1 << 26;

/// The parameters.
#[derive(Clone, Debug, Params)]
pub(super) struct Settings {
    /// Bytes of data in a full segment.
    #[param("bytes")]
    pub segsize: i32,
    /// The maximum receive window, packets; 0 for that of `rmem_max`.
    #[param("packets")]
    pub window: f64,
    /// Initial congestion window, packets.
    #[param("packets")]
    pub window_init: f64,
    /// SACK is negotiated (`tcp_sack`).
    #[param("flag")]
    pub sack: bool,
    /// Timestamps are negotiated (`tcp_timestamps`).
    #[param("flag")]
    pub timestamps: bool,
    /// ECN is negotiated (`tcp_ecn`).
    #[param("flag")]
    pub ecn: bool,
    /// AccECN is negotiated, whatever the control asks for (`tcp_ecn`).
    #[param("flag")]
    pub acc_ecn: bool,
    /// The maximum receive buffer, bytes (`tcp_rmem[2]`).
    #[param("bytes")]
    pub rmem_max: i32,
    /// The maximum send buffer, bytes (`tcp_wmem[2]`); Linux's default of 4194304 limits fast long paths.
    #[param("bytes")]
    pub wmem_max: i32,
    /// The minimum RTO, s (`tcp_rto_min_us`).
    #[param("s")]
    pub minrto: f64,
    /// The maximum RTO, s (`tcp_rto_max_ms`).
    #[param("s")]
    pub maxrto: f64,
    /// The maximum number of packets in one segment before it is cut (`gso_max_segs`).
    #[param("packets")]
    pub gso_max_segs: i32,
    /// Packets are paced even if the control gives no rate.
    #[param("flag")]
    pub pacing: bool,
    /// The window decays after idle times (`tcp_slow_start_after_idle`).
    #[param("flag")]
    pub slow_start_restart: bool,
    /// Tail loss probes (`tcp_early_retrans`).
    #[param("flag")]
    pub tlp: bool,
    /// Spurious timeouts are detected (`tcp_frto`).
    #[param("flag")]
    pub frto: bool,
    /// That pacing's rate in slow start, in windows per round trip (`tcp_pacing_ss_ratio`).
    #[param("")]
    pub pacing_ss_ratio: f64,
    /// The same after slow start (`tcp_pacing_ca_ratio`).
    #[param("")]
    pub pacing_ca_ratio: f64,
    /// The receiver reports duplicates (`tcp_dsack`; RFC 2883).
    #[param("flag")]
    pub dsack: bool,
    /// ACKs of AccECN carry the option with byte counters (`tcp_ecn_option`).
    #[param("flag")]
    pub acc_ecn_option: bool,
    /// The maximum number of packets at the start that are acknowledged at once (`TCP_MAX_QUICKACKS`).
    #[param("packets")]
    pub quick_acks: i32,
    /// No ACK is delayed (the route's attribute `quickack`).
    #[param("flag")]
    pub quickack: bool,
    /// The minimum delay of a delayed ACK, s (`TCP_DELACK_MIN`).
    #[param("s")]
    pub delack_min: f64,
    /// The time for which an interface collects packets before TCP gets them, those that follow each other as one (GRO after
    /// ethtool's `rx-usecs`), s; 0: each by itself.
    #[param("s")]
    pub gro: f64,
    /// Timer ticks per second (`CONFIG_HZ`).
    #[param("")]
    pub hz: i32,
    /// The application's stop closes the connection; it does not with several spans.
    #[param("flag")]
    pub fin: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        let linux = Config::default();
        Settings {
            segsize: i32::from(linux.mss) - TIMESTAMPS,
            window: 0.0,
            window_init: f64::from(linux.init_cwnd),
            sack: linux.sack,
            timestamps: linux.timestamps,
            ecn: false,
            acc_ecn: false,
            rmem_max: linux.rmem[2] as i32,
            wmem_max: SEND_BUFFER,
            minrto: linux.rto_min.as_secs_f64(),
            maxrto: linux.rto_max.as_secs_f64(),
            gso_max_segs: linux.gso_max_segs as i32,
            pacing: linux.pacing,
            slow_start_restart: linux.slow_start_after_idle,
            tlp: linux.early_retrans != 0,
            frto: linux.frto != 0,
            pacing_ss_ratio: f64::from(linux.pacing_ss_ratio) / 100.0,
            pacing_ca_ratio: f64::from(linux.pacing_ca_ratio) / 100.0,
            dsack: linux.dsack,
            acc_ecn_option: linux.ecn_option != 0,
            quick_acks: linux.max_quickacks as i32,
            quickack: linux.quickack,
            delack_min: linux.delack_min.as_secs_f64(),
            gro: 0.0,
            hz: linux.hz as i32,
            fin: true,
        }
    }
}

impl Settings {
    /// The settings of a socket with this congestion control.
    pub fn config(&self, control: &str, seed: Seed) -> Config {
        let linux = Config::default();
        let time = |secs: f64| Duration::from_nanos((secs.max(0.0) * 1e9).round() as u64);
        let percent = |ratio: f64| (ratio * 100.0).round().clamp(1.0, 1e6) as u32;
        let most = |limit: i32, least: u32| (limit.max(0) as u32).max(least);
        Config {
            mss: (self.segsize + if self.timestamps { TIMESTAMPS } else { 0 }).clamp(48, i32::from(u16::MAX)) as u16,
            init_cwnd: self.window_init.max(1.0) as u32,
            congestion_control: control.to_owned(),
            sack: self.sack,
            timestamps: self.timestamps,
            ecn: match (self.acc_ecn, self.ecn) {
                (true, _) => EcnMode::AccEcn,
                (false, true) => EcnMode::On,
                (false, false) => EcnMode::Off,
            },
            rmem: [linux.rmem[0], linux.rmem[1], most(self.rmem_max, linux.rmem[1])],
            wmem: [linux.wmem[0], linux.wmem[1], most(self.wmem_max, linux.wmem[1])],
            window_limit: match self.window {
                packets if packets > 0.0 => (packets * f64::from(self.segsize)).clamp(1.0, f64::from(u32::MAX)) as u32,
                _ => u32::MAX,
            },
            rto_min: time(self.minrto),
            rto_max: time(self.maxrto),
            gso_max_segs: self.gso_max_segs.clamp(1, 65_535) as u32,
            pacing: self.pacing,
            slow_start_after_idle: self.slow_start_restart,
            early_retrans: if self.tlp { 3 } else { 0 },
            frto: if self.frto { 2 } else { 0 },
            pacing_ss_ratio: percent(self.pacing_ss_ratio),
            pacing_ca_ratio: percent(self.pacing_ca_ratio),
            dsack: self.dsack,
            ecn_option: if self.acc_ecn_option { linux.ecn_option } else { 0 },
            max_quickacks: self.quick_acks.max(0) as u32,
            quickack: self.quickack,
            delack_min: time(self.delack_min),
            hz: self.hz.clamp(1, 1_000_000) as u32,
            seed,
            ..linux
        }
    }
}
