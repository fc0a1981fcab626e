//! Limited slow start (RFC 3742): slower growth in slow start at large windows.
//!
//! Source: S. Floyd, RFC 3742, as in ns-2.35's `max_ssthresh_`.
//! What it decides: above `max_ssthresh`, until the first congestion, each ACK grows the window by at least 1/K. K is
//! window / (max_ssthresh / 2), truncated to a whole number.
//! Departures: none known.
//! Not implemented: nothing.
//! Checked against: ns-2.35, and the round trips in RFC 3742, section 2.

use crate::transport::one_way::window_law::{Growth, WindowLawParameters};

/// The maximum of the rule's increment and limited slow start's, where the latter applies.
pub(super) fn limited(increment: f64, growth: &Growth, parameters: &WindowLawParameters) -> f64 {
    if !growth.starting || parameters.max_ssthresh <= 0 {
        return increment;
    }
    let halves = (growth.cwnd / (f64::from(parameters.max_ssthresh) / 2.0)) as i32;
    if halves > 0 { increment.max(1.0 / f64::from(halves)) } else { increment }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3742: with max_ssthresh M, growth per round trip is at most M/2, and a window of 2M takes 1/4 packet an ACK.
    #[test]
    fn growth_past_the_limit_is_half_the_limit_per_round_trip() {
        let parameters = WindowLawParameters { max_ssthresh: 100, ..WindowLawParameters::default() };
        let growth = Growth { cwnd: 200.0, srtt_s: 0.1, average: 0.0, starting: true };
        assert_eq!(limited(0.005, &growth, &parameters), 0.25);
        assert_eq!(limited(0.005, &Growth { starting: false, ..growth }, &parameters), 0.005);
        assert_eq!(limited(0.5, &growth, &parameters), 0.5);
    }
}
