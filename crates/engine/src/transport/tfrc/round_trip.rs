//! TFRC's RTT estimators: one in coarse TCP ticks, for the timeout; a fine one, for the equation.

use crate::params::Params;

/// The RTT estimates, in s unless they are in ticks.
#[derive(Debug, Default)]
pub struct TfrcRttEstimator {
    /// The fine smoothed RTT; 0 before the first sample.
    pub smoothed_s: f64,
    /// The last sample.
    pub last_s: f64,
    /// The mean of the samples' square roots.
    pub mean_root: f64,
    /// The timeout for the equation.
    pub timeout_s: f64,
    srtt_ticks: i32,
    rttvar_ticks: i32,
}

/// Smoothing parameters.
#[derive(Debug, Params)]
pub struct Smoothing {
    /// The weight of the old value in the fine estimate.
    #[param(state)]
    pub df: f64,
    /// Clock granularity, s.
    #[param(state)]
    pub tcp_tick: f64,
    /// Fraction bits of the coarse SRTT.
    #[param(state)]
    pub t_srtt_bits: i32,
    /// Fraction bits of the coarse RTTVAR.
    #[param(state)]
    pub t_rttvar_bits: i32,
    /// The timeout has RTTVAR times 2 to this power.
    #[param(state)]
    pub rttvar_exp: i32,
    /// Initial coarse SRTT, s.
    #[param(state)]
    pub srtt_init: i32,
    /// Initial coarse RTTVAR, s.
    #[param(state)]
    pub rttvar_init: i32,
    /// The min timeout, s.
    #[param(state)]
    pub minrto: f64,
}

impl Smoothing {
    fn ticks(&self, seconds: i32) -> i32 {
        (f64::from(seconds) / self.tcp_tick) as i32
    }
}

impl TfrcRttEstimator {
    /// The state at the start of a flow.
    pub fn new(by: &Smoothing) -> TfrcRttEstimator {
        TfrcRttEstimator {
            smoothed_s: 0.0,
            last_s: 1.0,
            mean_root: 1.0,
            timeout_s: 0.0,
            srtt_ticks: by.ticks(by.srtt_init) << by.t_srtt_bits,
            rttvar_ticks: by.ticks(by.rttvar_init) << by.t_rttvar_bits,
        }
    }

    /// Takes an RTT sample.
    pub fn take(&mut self, round_trip_s: f64, by: &Smoothing) {
        self.take_in_ticks(((round_trip_s / by.tcp_tick + 0.5) as i32).max(1), by);
        let scale = by.rttvar_exp + (by.t_srtt_bits - by.t_rttvar_bits);
        let ticks = ((self.rttvar_ticks << scale) + self.srtt_ticks) >> by.t_srtt_bits;
        self.timeout_s = (f64::from(ticks) * by.tcp_tick).max(by.minrto);
        if self.smoothed_s > 0.0 {
            self.smoothed_s = by.df * self.smoothed_s + (1.0 - by.df) * round_trip_s;
            self.mean_root = by.df * self.mean_root + (1.0 - by.df) * round_trip_s.sqrt();
        } else {
            self.smoothed_s = round_trip_s;
            self.mean_root = round_trip_s.sqrt();
        }
        self.last_s = round_trip_s;
    }

    /// Jacobson's estimator in integers, with 16-bit differences.
    fn take_in_ticks(&mut self, sample: i32, by: &Smoothing) {
        if self.srtt_ticks == 0 {
            self.srtt_ticks = sample << by.t_srtt_bits;
            self.rttvar_ticks = sample << (by.t_rttvar_bits - 1);
            return;
        }
        let error = (sample - (self.srtt_ticks >> by.t_srtt_bits)) as i16;
        self.srtt_ticks = (self.srtt_ticks + i32::from(error)).max(1);
        let growth = (i32::from(error.wrapping_abs()) - (self.rttvar_ticks >> by.t_rttvar_bits)) as i16;
        self.rttvar_ticks = (self.rttvar_ticks + i32::from(growth)).max(1);
    }

    /// Scales a rate for congestion avoidance: lower if the last RTT was longer than the mean.
    pub fn tilt(&self, rate: f64) -> f64 {
        rate * self.mean_root / self.last_s.sqrt()
    }
}
