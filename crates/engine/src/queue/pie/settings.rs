//! PIE's parameters, and how far a step of the probability is scaled down.

use crate::params::Params;

/// Time before the first update of Linux, s.
const LINUX_FIRST_UPDATE_S: f64 = 0.5;

/// PIE's parameters.
#[derive(Params)]
pub struct Settings {
    /// Target queueing delay, s.
    #[param("s")]
    pub target: f64,
    /// Time between updates, s.
    #[param("s")]
    pub tupdate: f64,
    /// Weight of the distance from the target, 1/s.
    #[param("")]
    pub alpha: f64,
    /// Weight of the change since the last update, 1/s.
    #[param("")]
    pub beta: f64,
    /// Burst allowance after an idle time, s.
    #[param("s")]
    pub max_burst: f64,
    /// Mean packet size, bytes.
    #[param("bytes")]
    pub mean_pktsize: i32,
    /// Whether ECN-capable packets are marked instead of dropped.
    #[param("flag")]
    pub ecn: bool,
    /// From this probability on they are dropped anyway.
    #[param("")]
    pub mark_ecnth: f64,
    /// Whether drops are spread evenly.
    #[param("flag")]
    pub derandomization: bool,
    /// Whether a probability of 0.1 or more grows by no more than 0.02.
    #[param("flag")]
    pub cap_drop_adjustment: bool,
    /// Whether the delay is computed from the departure rate.
    #[param("flag")]
    pub dq_rate_estimator: bool,
    /// Bytes in the queue from which on the rate is measured, and of a measurement.
    #[param("bytes")]
    pub dq_threshold: i32,
    /// Whether small packets are dropped less, with `as_linux`.
    #[param("flag")]
    pub bytemode: bool,
    /// Whether it is Linux's PIE; drops are then always spread evenly, and steps capped.
    #[param("flag")]
    pub as_linux: bool,
}

impl Settings {
    /// Time before the first update, s.
    pub fn first_update_s(&self) -> f64 {
        if self.as_linux { LINUX_FIRST_UPDATE_S } else { self.tupdate }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            target: 0.015,
            tupdate: 0.015,
            alpha: 0.125,
            beta: 1.25,
            max_burst: 0.15,
            mean_pktsize: 1000,
            ecn: false,
            mark_ecnth: 0.1,
            derandomization: false,
            cap_drop_adjustment: false,
            dq_rate_estimator: false,
            dq_threshold: 16_384,
            bytemode: false,
            as_linux: false,
        }
    }
}

/// The divisor of a step at this probability (section 4.2).
pub fn step_scale(probability: f64) -> f64 {
    const SCALES: [(f64, f64); 6] =
        [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
    SCALES.iter().find(|(below, _)| probability < *below).map_or(1.0, |&(_, scale)| scale)
}
