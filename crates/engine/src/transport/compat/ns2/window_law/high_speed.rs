//! HighSpeed TCP (RFC 3649): faster growth and smaller cuts at large windows.
//!
//! Source: S. Floyd, RFC 3649. ns-2.35's window option 8.
//! What it decides: above `low_window`, the window grows by a(w)/w per ACK and shrinks by the fraction b(w). Both are
//! log-linear between the standard rule at `low_window` and `high_p` and `high_decrease` at `high_window`.
//! Departures: the factor of the last cut stays in `decrease_num`, even when the window has become small.
//! Not implemented: nothing.
//! Checked against: ns-2.35; a(w) and b(w) against RFC 3649, section 5 and appendix B.

use super::slow_start::limited;
use crate::math::Math;
use crate::params::cow_arc::CowArc;
use crate::transport::one_way::window_law::{Congestion, Growth, WindowLaw, WindowLawParameters, WindowOption};

/// The registry entry.
pub const ENTRY: WindowOption = WindowOption {
    id: "high_speed",
    option: 8,
    about: "HighSpeed TCP (RFC 3649): faster growth and smaller cuts of large windows",
    make: || Box::<HighSpeed>::default(),
};

/// The two log-linear functions and their last results.
#[derive(Default)]
struct HighSpeed {
    decrease_at_one: f64,
    decrease_slope: f64,
    log_loss_at_one: f64,
    log_loss_slope: f64,
    computed_at: f64,
    computed: f64,
}

impl HighSpeed {
    /// b(w)
    fn decrease(&self, cwnd: f64) -> f64 {
        self.decrease_at_one + cwnd.natural_log() * self.decrease_slope
    }

    /// a(w)/w
    fn increment(&mut self, cwnd: f64, parameters: &WindowLawParameters) -> f64 {
        if cwnd <= f64::from(parameters.low_window) {
            return 1.0 / cwnd;
        }
        if cwnd < self.computed_at || cwnd >= self.computed_at + f64::from(parameters.cwnd_range) {
            let loss = (self.log_loss_at_one + cwnd.natural_log() * self.log_loss_slope).natural_exp();
            self.computed = cwnd * cwnd * loss / (1.0 / self.decrease(cwnd) - 0.5);
            self.computed_at = cwnd;
        }
        self.computed / cwnd
    }
}

impl WindowLaw for HighSpeed {
    fn grow(&mut self, growth: &Growth, parameters: &WindowLawParameters) -> f64 {
        let increment = self.increment(growth.cwnd, parameters);
        growth.cwnd + limited(increment, growth, parameters)
    }

    fn shrink(&mut self, congestion: &Congestion, parameters: &mut CowArc<WindowLawParameters>) -> f64 {
        if congestion.cwnd <= f64::from(parameters.low_window) {
            return parameters.decrease_num * congestion.counted;
        }
        let decrease = self.decrease(congestion.cwnd);
        parameters.decrease_num = decrease;
        congestion.usable - (decrease * congestion.usable)
    }

    fn reset(&mut self, parameters: &WindowLawParameters) {
        let low = f64::from(parameters.low_window);
        let low_loss = 1.5 / f64::from(parameters.low_window.wrapping_mul(parameters.low_window));
        let windows = f64::from(parameters.high_window).natural_log() - low.natural_log();
        let losses = parameters.high_p.natural_log() - low_loss.natural_log();
        self.decrease_at_one = 0.5 - low.natural_log() * (parameters.high_decrease - 0.5) / windows;
        self.decrease_slope = (parameters.high_decrease - 0.5) / windows;
        self.log_loss_at_one = low_loss.natural_log() - low.natural_log() * losses / windows;
        self.log_loss_slope = losses / windows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3649: a(w) and b(w) at 83000 packets are 72 and 0.1 (section 5); the others are from its appendix B.
    #[test]
    fn lines_go_through_the_table_of_rfc_3649() {
        let parameters = WindowLawParameters::default();
        let mut law = HighSpeed::default();
        law.reset(&parameters);
        for (window, a, b) in [(38.0, 1.0, 0.50), (221.0, 3.0, 0.41), (1058.0, 8.0, 0.33), (83_000.0, 72.0, 0.10)] {
            let increase = law.increment(window, &parameters) * window;
            assert!((increase - a).abs() < 1.0, "a({window}) is {increase}, not about {a}");
            let decrease = law.decrease(window);
            assert!((decrease - b).abs() < 0.01, "b({window}) is {decrease}, not about {b}");
        }
    }
}
