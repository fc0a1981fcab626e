//! The parameters of `full_linux`, by Linux's names where Linux has them, and the socket's settings that they make.

use crate::params::Params;
use crate::transport::tcp::socket::clock::Duration;
use crate::transport::tcp::socket::config::{Config, EcnMode};

/// Bytes of the timestamps option with its padding. The MSS option does not count it (RFC 6691, 2).
const TIMESTAMPS: i32 = 12;

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
    /// AccECN is negotiated (`tcp_ecn`).
    #[param("flag")]
    pub acc_ecn: bool,
    /// The maximum receive buffer, bytes (`tcp_rmem[2]`).
    #[param("bytes")]
    pub rmem_max: i32,
    /// The maximum send buffer, bytes (`tcp_wmem[2]`).
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
            wmem_max: linux.wmem[2] as i32,
            minrto: linux.rto_min.as_secs_f64(),
            maxrto: linux.rto_max.as_secs_f64(),
            gso_max_segs: linux.gso_max_segs as i32,
            pacing: linux.pacing,
            slow_start_restart: linux.slow_start_after_idle,
            tlp: linux.early_retrans != 0,
            frto: linux.frto != 0,
        }
    }
}

impl Settings {
    /// The settings of a socket with this congestion control.
    pub fn config(&self, control: &str) -> Config {
        let linux = Config::default();
        let time = |secs: f64| Duration::from_nanos((secs.max(0.0) * 1e9).round() as u64);
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
            ..linux
        }
    }
}
