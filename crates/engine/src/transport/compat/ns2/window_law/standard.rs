//! The standard AIMD rule: one packet per round trip, half the window after congestion.
//!
//! Source: V. Jacobson, "Congestion avoidance and control", SIGCOMM 1988; RFC 5681. ns-2.35's window option 1.
//! What it decides: each ACK grows the window by `increase_num`/window; congestion multiplies it by `decrease_num`.
//! Departures: counts ACKs, not the bytes that they acknowledge.
//! Not implemented: appropriate byte counting (RFC 3465).
//! Checked against: ns-2.35.

use super::slow_start::limited;
use crate::transport::one_way::window_law::{Growth, WindowLaw, WindowLawParameters, WindowOption};

/// The registry entry.
pub const ENTRY: WindowOption = WindowOption {
    id: "standard",
    option: 1,
    about: "one packet per round trip, half the window after congestion",
    make: || Box::new(Standard),
};

struct Standard;

impl WindowLaw for Standard {
    fn grow(&mut self, growth: &Growth, parameters: &WindowLawParameters) -> f64 {
        let increment = parameters.increase_num / growth.cwnd;
        growth.cwnd + limited(increment, growth, parameters)
    }
}
