//! Window growth in proportion to the round-trip time (Floyd and Jacobson).
//!
//! Source: S. Floyd and V. Jacobson, "On traffic phase effects in packet-switched gateways", Internetworking: Research
//! and Experience 3(3), 1992. ns-2.35's window option 5.
//! What it decides: per round trip the window grows by about `window_constant` times the round-trip time.
//! Departures: none known.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use super::savings::Savings;
use crate::transport::one_way::window_law::{Growth, WindowLaw, WindowLawParameters, WindowOption};

/// The registry entry.
pub const ENTRY: WindowOption = WindowOption {
    id: "rtt_linear",
    option: 5,
    about: "growth in proportion to the round-trip time",
    make: || Box::new(RttLinear(Savings::default())),
};

struct RttLinear(Savings);

impl WindowLaw for RttLinear {
    fn grow(&mut self, growth: &Growth, parameters: &WindowLawParameters) -> f64 {
        self.0.add(growth.srtt_s * parameters.window_constant, growth.cwnd)
    }

    fn was_cut(&mut self) {
        self.0.void();
    }
}
