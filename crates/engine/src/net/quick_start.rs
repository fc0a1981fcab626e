//! Quick-Start: routers on the path approve or reduce the initial rate that a sender requests.
//!
//! Source: RFC 4782; ns-2.35's `Agent/QSAgent` and the measurement of utilisation in its queues.
//! What it decides: the rate that a router approves, from the utilisation of its link and the rates that it approved
//! recently.
//! Departures: none from ns-2; from the RFC, the coding of rates in units of 10240 bytes/s (function 1).
//! Not implemented: the QS nonce and the report of approved rate.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use crate::event::timer::TimerId;
use crate::math::Math;
use crate::params::Params;
use crate::time::Time;

/// Index of a Quick-Start router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouterId(pub u32);

/// Index of a link of such a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortId(pub u32);

/// The Quick-Start routers of a simulation.
#[derive(Debug)]
pub struct QuickStart {
    /// How rates are coded: 1 as multiples of 10240 bytes/s, 2 as powers of two times 5000 bytes/s.
    pub rate_function: i32,
    /// Routers by number.
    pub routers: Vec<Router>,
    /// Their links by number.
    pub ports: Vec<Port>,
}

impl Default for QuickStart {
    fn default() -> QuickStart {
        QuickStart { rate_function: 1, routers: Vec::new(), ports: Vec::new() }
    }
}

/// Tolerance when a rate is rounded up to a power of two.
const SHORT_BY: f64 = 1e-6;

impl QuickStart {
    /// The rate of a code, bytes/s.
    pub fn rate(&self, code: i32) -> f64 {
        match (code, self.rate_function) {
            (0, _) => 0.0,
            (_, 2) => 2f64.power(f64::from(code)) * 5000.0,
            _ => f64::from(code.wrapping_mul(10_240)),
        }
    }

    /// The code of a rate in bytes/s.
    pub fn code(&self, rate: f64) -> i32 {
        if rate == 0.0 {
            return 0;
        }
        if self.rate_function != 2 {
            return rate as i32 / 10_240;
        }
        let power = (rate / 5000.0).natural_log() / 2f64.natural_log();
        let below = power as i32;
        let code = if power - f64::from(below as f32) >= 1.0 - SHORT_BY { (power + 0.5) as i32 } else { below };
        code.max(0)
    }
}

/// The Quick-Start state of a router.
#[derive(Debug, Params)]
pub struct Router {
    #[param(state, name = "qs_enabled")]
    pub(in crate::net) enabled: bool,
    #[param(state)]
    pub(in crate::net) algorithm: i32,
    /// Interval of the timer that removes old approved rates, s.
    #[param(state)]
    pub(in crate::net) state_delay: f64,
    /// The share of a link's rate that may be approved.
    #[param(state)]
    pub(in crate::net) alloc_rate: f64,
    /// The utilisation above which nothing is approved.
    #[param(state)]
    pub(in crate::net) threshold: f64,
    /// The maximum rate per request with algorithm 1, kbytes/s.
    #[param(state)]
    pub(in crate::net) max_rate: i32,
    #[param(state)]
    pub(in crate::net) mss: i32,
    pub(in crate::net) agreed: f64,
    pub(in crate::net) agreed_before: f64,
    pub(in crate::net) timer: TimerId,
}

impl Router {
    /// The rate that the router approves of the rate `wanted`, both in bytes/s. `mean_use` and `peak_use` are the
    /// mean and peak utilisation of the link, from 0 to 1.
    pub(in crate::net) fn agree(&mut self, wanted: f64, link_rate_bps: f64, mean_use: f64, peak_use: f64) -> f64 {
        let lately = self.agreed_before + self.agreed;
        let rate = link_rate_bps / 8.0;
        let is_little_used = |used: f64| used < self.threshold * link_rate_bps / 8.0;
        let given = match self.algorithm {
            1 => {
                let free = (rate * (1.0 - mean_use) - lately) * self.alloc_rate;
                let given = if free < wanted { free.trunc() } else { wanted };
                given.min(f64::from(self.max_rate * 1024))
            }
            2 if is_little_used(rate * mean_use + lately) => wanted.min(self.alloc_rate * link_rate_bps / 8.0),
            3 if is_little_used(rate * peak_use + lately) => {
                wanted.min(self.alloc_rate * link_rate_bps / 8.0 - (rate * peak_use + lately)).max(0.0)
            }
            4 => return wanted,
            _ => 0.0,
        };
        if given > 0.0 {
            self.agreed += given;
        }
        given
    }
}

/// How the utilisation of a link is measured.
#[derive(Clone, Copy, Debug)]
pub struct Measuring {
    /// The weight of the mean, 1/s.
    pub weight: f64,
    /// Length of one measurement period, s.
    pub period_s: f64,
    /// Number of periods whose utilisation is kept; with 0 the mean is used as the peak.
    pub periods: usize,
}

/// A link that leaves a Quick-Start router, and its utilisation.
#[derive(Debug)]
pub struct Port {
    pub(in crate::net) router: RouterId,
    pub(in crate::net) by: Measuring,
    pub(in crate::net) mean: f64,
    pub(in crate::net) measured_to: Time,
    /// The end of the last transmission.
    pub(in crate::net) busy_to: Time,
    pub(in crate::net) period_began: Time,
    pub(in crate::net) in_period: f64,
    pub(in crate::net) peaks: Vec<f64>,
    pub(in crate::net) next_peak: usize,
}

impl Port {
    pub(in crate::net) fn new(router: RouterId, by: Measuring) -> Port {
        Port {
            router,
            by,
            mean: 0.0,
            measured_to: Time::ZERO,
            busy_to: Time::ZERO,
            period_began: Time::ZERO,
            in_period: 0.0,
            peaks: vec![0.0; by.periods],
            next_peak: 0,
        }
    }

    /// Updates the utilisation up to `to`: the link was busy or idle since the last measurement.
    pub(in crate::net) fn measure(&mut self, to: Time, is_busy: bool) {
        let (from, state) = (self.measured_to, f64::from(u8::from(is_busy)));
        self.measured_to = to;
        self.mean = state + (self.mean - state) * (-self.by.weight * (to - from)).natural_exp();
        let (mut lasted_s, so_far_s) = (to - from, from - self.period_began);
        if self.peaks.is_empty() || lasted_s == 0.0 && so_far_s == 0.0 {
            return;
        }
        self.in_period = (state * lasted_s + self.in_period * so_far_s) / (lasted_s + so_far_s);
        for _ in 0..self.peaks.len() {
            if so_far_s + lasted_s <= self.by.period_s {
                break;
            }
            self.period_began = to;
            self.peaks[self.next_peak] = self.in_period;
            self.next_peak = (self.next_peak + 1) % self.peaks.len();
            self.in_period = state;
            lasted_s -= self.by.period_s;
        }
    }

    /// Updates the utilisation up to `now`: busy until the end of the last transmission, then idle.
    pub(in crate::net) fn measure_idle(&mut self, now: Time) {
        if self.busy_to > self.measured_to {
            self.measure(self.busy_to, true);
        }
        self.measure(now, false);
    }

    pub(in crate::net) fn peak(&self) -> f64 {
        if self.peaks.is_empty() { self.mean } else { self.peaks.iter().fold(0.0, |peak: f64, &used| peak.max(used)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 4782, section 3.1: rates are 40 kbit/s times powers of two; 5000 bytes/s are 40 kbit/s.
    #[test]
    fn codes_are_powers_of_two() {
        let powers = QuickStart { rate_function: 2, ..QuickStart::default() };
        assert_eq!(powers.rate(1), 10_000.0);
        assert_eq!(powers.rate(15), 163_840_000.0);
        for code in 1..=15 {
            assert_eq!(powers.code(powers.rate(code)), code);
        }
        assert_eq!(powers.code(15_000.0), 1);
        assert_eq!(QuickStart::default().code(25_000.0), 2);
    }
}
