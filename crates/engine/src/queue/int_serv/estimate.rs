//! Load estimators of measurement-based admission control: the rate of the admitted flows, sampled per period.
//!
//! Source: S. Jamin, S. Shenker, P. Danzig, *Comparison of Measurement-based Admission Control Algorithms for
//! Controlled-Load Service*, INFOCOM 1997, as ns-2.35's `Est/*` measure it. The periods that a time window covers were
//! found by following ns-2's estimates event by event.

use crate::params::Params;

/// The estimators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimator {
    /// No estimate.
    #[default]
    Null,
    /// Point samples: the load of the last period.
    PointSample,
    /// Exponential averaging.
    ExpAvg,
    /// Time window: the maximum load over a window of periods.
    TimeWindow,
}

/// A load estimate and its state.
#[derive(Clone, Debug, Params)]
pub struct Estimate {
    /// The estimator.
    pub by: Estimator,
    /// Length of a period, s.
    #[param(state)]
    period: f64,
    /// `ExpAvg`: weight of a sample.
    #[param(state)]
    w: f64,
    /// `TimeWindow`: periods per window.
    #[param(state)]
    window: i32,
    /// The estimated load, bit/s.
    #[param(state)]
    load: f64,
    bits: i64,
    next_end_s: f64,
    greatest: f64,
    periods_left: i32,
}

impl Default for Estimate {
    fn default() -> Estimate {
        Estimate {
            by: Estimator::Null,
            period: 0.5,
            w: 0.125,
            window: 3,
            load: 0.0,
            bits: 0,
            next_end_s: 0.0,
            greatest: 0.0,
            periods_left: 0,
        }
    }
}

impl Estimate {
    /// Ends the periods that have elapsed.
    pub fn advance(&mut self, now_s: f64) {
        if self.next_end_s == 0.0 {
            self.next_end_s = self.period;
        }
        while self.period > 0.0 && self.next_end_s <= now_s {
            self.next_end_s += self.period;
            let measured = std::mem::take(&mut self.bits) as f64 / self.period;
            self.end_period(measured);
        }
    }

    fn end_period(&mut self, measured: f64) {
        match self.by {
            Estimator::Null => {}
            Estimator::PointSample => self.load = measured,
            Estimator::ExpAvg => self.load = (1.0 - self.w) * self.load + self.w * measured,
            Estimator::TimeWindow => {
                self.greatest = self.greatest.max(measured);
                self.load = self.load.max(self.greatest);
                if self.periods_left <= 0 {
                    self.load = std::mem::take(&mut self.greatest);
                    self.periods_left = self.window;
                }
                self.periods_left -= 1;
            }
        }
    }

    /// Counts arrived bytes.
    pub fn count(&mut self, bytes: i32) {
        self.bits += i64::from(bytes) * 8;
    }

    /// Adds the rate of a newly admitted flow, bit/s, before it is measured, and restarts the window.
    pub fn expect(&mut self, rate: f64) {
        self.load += rate;
        self.periods_left = self.window;
    }

    /// The estimated load, bit/s.
    pub fn load(&self) -> f64 {
        self.load
    }

    /// Length of a period, s.
    pub fn period_s(&self) -> f64 {
        self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The output of ns-2.35 for a window of three periods of 0.5 s: flows are admitted until 0.79 s. The loads at 1.0,
    // 1.5, 2.0 and 2.5 s are 425520, 468240, 353920 and 229200 bit/s. The estimate is then 468240.
    #[test]
    fn a_window_ends_three_periods_after_the_last_admission() {
        let mut estimate = Estimate { by: Estimator::TimeWindow, ..Estimate::default() };
        for (end_s, load) in [(0.5, 211_200), (1.0, 425_520), (1.5, 468_240), (2.0, 353_920), (2.5, 229_200)] {
            if end_s == 1.0 {
                estimate.expect(932_000.0);
            }
            estimate.bits = load / 2;
            estimate.advance(end_s);
            assert_eq!(estimate.load() < 500_000.0, end_s == 2.5 || end_s == 0.5, "{end_s}");
        }
        assert_eq!(estimate.load(), 468_240.0);
    }

    // 0.875 * 256004 + 0.125 * 63280, which ns-2.35 prints as 231914.
    #[test]
    fn an_average_is_exponential() {
        let mut estimate = Estimate { by: Estimator::ExpAvg, load: 256_004.0, bits: 31_640, ..Estimate::default() };
        estimate.advance(0.5);
        assert_eq!(estimate.load(), 231_913.5);
    }
}
