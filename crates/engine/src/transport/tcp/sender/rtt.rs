//! The round-trip time and the timeout made of it.
//!
//! Source: V. Paxson, M. Allman, J. Chu, M. Sargent, RFC 6298, section 2, with a clock that does not tick; Linux for the least.
//! What it decides: the timeout.
//! Departures: the least, 200 ms in the set `linux`, is one of the deviation's part, as in Linux, and not of the whole
//! (2.4): the timeout is never shorter than a round trip and the least.
//! Not implemented: Linux's largest deviation of a round trip.
//! Checked against: the RFC's formulas by hand.

use crate::transport::one_way::config::Config;

/// The estimate, s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RttEstimator {
    /// The smoothed time, once there is a sample.
    pub smoothed_s: Option<f64>,
    deviation_s: f64,
    /// Timeouts in a row.
    pub doublings: u32,
}

impl RttEstimator {
    /// Takes in a sample.
    pub fn sample(&mut self, rtt_s: f64) {
        match self.smoothed_s {
            None => (self.smoothed_s, self.deviation_s) = (Some(rtt_s), rtt_s / 2.0),
            Some(smoothed_s) => {
                self.deviation_s += ((smoothed_s - rtt_s).abs() - self.deviation_s) / 4.0;
                self.smoothed_s = Some(smoothed_s + (rtt_s - smoothed_s) / 8.0);
            }
        }
    }

    /// The mean deviation.
    pub fn deviation_s(&self) -> f64 {
        self.deviation_s
    }

    /// The timeout without doublings.
    pub fn base_s(&self, config: &Config) -> f64 {
        self.smoothed_s
            .map_or(config.rtxcur_init, |smoothed_s| smoothed_s + (4.0 * self.deviation_s).max(config.minrto))
            .min(config.maxrto)
    }

    /// The timeout.
    pub fn timeout_s(&self, config: &Config) -> f64 {
        (self.base_s(config) * 2.0_f64.powi(self.doublings.min(30) as i32)).min(config.maxrto)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 6298, 2.2 and 2.3 by hand: R = 0.4: SRTT 0.4, RTTVAR 0.2, RTO 1.2; then R' = 0.8: RTTVAR 0.25, SRTT 0.45, RTO 1.45.
    #[test]
    fn the_timeout_is_the_round_trip_and_four_deviations() {
        let config = Config { minrto: 0.2, maxrto: 120.0, rtxcur_init: 1.0, ..Config::default() };
        let mut estimate = RttEstimator::default();
        assert_eq!(estimate.timeout_s(&config), 1.0);
        estimate.sample(0.4);
        assert!((estimate.timeout_s(&config) - 1.2).abs() < 1e-9);
        estimate.sample(0.8);
        assert!((estimate.timeout_s(&config) - 1.45).abs() < 1e-9);
        estimate.doublings = 2;
        assert!((estimate.timeout_s(&config) - 5.8).abs() < 1e-9);
        estimate.doublings = 20;
        assert_eq!(estimate.timeout_s(&config), 120.0);
        let mut steady = RttEstimator::default();
        for _ in 0..1000 {
            steady.sample(0.05);
        }
        assert!((steady.timeout_s(&config) - 0.25).abs() < 1e-9);
    }
}
