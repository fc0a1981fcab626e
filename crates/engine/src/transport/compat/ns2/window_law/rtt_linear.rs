//! Growth in proportion to the round-trip time.
//!
//! Source: S. Floyd and V. Jacobson, "On traffic phase effects in packet-switched gateways", Internetworking: Research
//! and Experience 3(3), 1992. ns-2.35's window option 5.
//! What it decides: the window grows by about `window_constant` times the round-trip time per round trip.
//! Departures: none known.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use super::{Entry, Growth, Savings, WindowLaw, WindowLawParameters};

/// The table's line.
pub const ENTRY: Entry = Entry {
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
