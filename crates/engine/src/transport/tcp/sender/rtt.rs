//! RTT estimator and retransmission timeout (RTO).
//!
//! Source: V. Paxson, M. Allman, J. Chu, M. Sargent, RFC 6298, section 2, without clock granularity, and 5.7; Linux for
//! the min RTO.
//! What it decides: the RTO.
//! Departures: the minimum (200 ms in the set `linux`) bounds 4 RTTVAR, as in Linux, and not the RTO (2.4). So the RTO
//! is at least SRTT plus that minimum.
//! Not implemented: Linux's `mdev_max`.
//! Checked against: the RFC's formulas by hand.

use crate::transport::one_way::config::Config;

/// The min RTO without a sample after the SYN was retransmitted, s (5.7).
const FALLBACK_S: f64 = 3.0;

/// The state of RFC 6298, section 2.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RttEstimator {
    /// `SRTT`, s; `None` before the first sample.
    pub srtt_s: Option<f64>,
    /// `RTTVAR`, s.
    rttvar_s: f64,
    /// The SYN was retransmitted (5.7).
    pub syn_was_lost: bool,
    /// Consecutive timeouts, each of which doubles the RTO (5.5).
    pub backoffs: u32,
}

impl RttEstimator {
    /// Takes an RTT sample, s (2.2 and 2.3).
    pub fn sample(&mut self, rtt_s: f64) {
        match self.srtt_s {
            None => (self.srtt_s, self.rttvar_s) = (Some(rtt_s), rtt_s / 2.0),
            Some(srtt_s) => {
                self.rttvar_s += ((srtt_s - rtt_s).abs() - self.rttvar_s) / 4.0;
                self.srtt_s = Some(srtt_s + (rtt_s - srtt_s) / 8.0);
            }
        }
    }

    /// `RTTVAR`, s.
    pub fn rttvar_s(&self) -> f64 {
        self.rttvar_s
    }

    /// The RTO without backoff, s (2.1 to 2.3).
    pub fn base_rto_s(&self, config: &Config) -> f64 {
        let initial_s = if self.syn_was_lost { config.rtxcur_init.max(FALLBACK_S) } else { config.rtxcur_init };
        self.srtt_s.map_or(initial_s, |srtt_s| srtt_s + (4.0 * self.rttvar_s).max(config.minrto)).min(config.maxrto)
    }

    /// `RTO`, s, with backoff (5.5).
    pub fn rto_s(&self, config: &Config) -> f64 {
        (self.base_rto_s(config) * 2.0_f64.powi(self.backoffs.min(30) as i32)).min(config.maxrto)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 6298, 2.2 and 2.3 by hand: R = 0.4: SRTT 0.4, RTTVAR 0.2, RTO 1.2; then R' = 0.8: RTTVAR 0.25, SRTT 0.45, RTO 1.45.
    #[test]
    fn the_rto_is_srtt_and_four_rttvar() {
        let config = Config { minrto: 0.2, maxrto: 120.0, rtxcur_init: 1.0, ..Config::default() };
        let mut estimate = RttEstimator::default();
        assert_eq!(estimate.rto_s(&config), 1.0);
        estimate.sample(0.4);
        assert!((estimate.rto_s(&config) - 1.2).abs() < 1e-9);
        estimate.sample(0.8);
        assert!((estimate.rto_s(&config) - 1.45).abs() < 1e-9);
        estimate.backoffs = 2;
        assert!((estimate.rto_s(&config) - 5.8).abs() < 1e-9);
        estimate.backoffs = 20;
        assert_eq!(estimate.rto_s(&config), 120.0);
        // 5.7: after a SYN that was retransmitted, 3 s until there is a sample.
        let mut opened = RttEstimator { syn_was_lost: true, ..RttEstimator::default() };
        assert_eq!(opened.rto_s(&config), 3.0);
        opened.sample(0.4);
        assert!((opened.rto_s(&config) - 1.2).abs() < 1e-9);
        let mut steady = RttEstimator::default();
        for _ in 0..1000 {
            steady.sample(0.05);
        }
        assert!((steady.rto_s(&config) - 0.25).abs() < 1e-9);
    }
}
