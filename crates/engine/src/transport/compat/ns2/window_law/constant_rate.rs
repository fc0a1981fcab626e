//! Floyd's constant-rate window increase: growth that does not favour short round-trip times.
//!
//! Source: S. Floyd, "Connections with multiple congested gateways in packet-switched networks, part 1: one-way
//! traffic", Computer Communication Review 21(5), 1991. ns-2.35's window option 2.
//! What it decides: per round trip the window grows by about `window_constant` times the squared round-trip time.
//! Departures: none known.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use super::savings::Savings;
use crate::transport::one_way::window_law::{Growth, WindowLaw, WindowLawParameters, WindowOption};

/// The registry entry.
pub const ENTRY: WindowOption = WindowOption {
    id: "constant_rate",
    option: 2,
    about: "growth by the squared round-trip time, the same rate for all",
    make: || Box::new(ConstantRate(Savings::default())),
};

struct ConstantRate(Savings);

impl WindowLaw for ConstantRate {
    fn grow(&mut self, growth: &Growth, parameters: &WindowLawParameters) -> f64 {
        self.0.add(growth.srtt_s * growth.srtt_s * parameters.window_constant, growth.cwnd)
    }

    fn was_cut(&mut self) {
        self.0.void();
    }
}
