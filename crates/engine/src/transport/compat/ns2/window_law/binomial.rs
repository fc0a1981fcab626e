//! Binomial congestion control: increase by window^-k, decrease by window^l.
//!
//! Source: D. Bansal and H. Balakrishnan, "Binomial congestion control algorithms", INFOCOM 2001. ns-2.35's window
//! option 6.
//! What it decides: per ACK the window grows by `increase_num` / window^(k+1); after congestion it shrinks by (1 -
//! `decrease_num`) window^l. k = 0, l = 1 is the standard rule, k = l = 1/2 is SQRT, k = 1, l = 0 is IIAD.
//! Departures: none known.
//! Not implemented: limited slow start (ns-2 has none here either).
//! Checked against: ns-2.35.

use crate::math::Math;
use crate::params::cow_arc::CowArc;
use crate::transport::one_way::window_law::{Congestion, Growth, WindowLaw, WindowLawParameters, WindowOption};

/// The registry entry.
pub const ENTRY: WindowOption = WindowOption {
    id: "binomial",
    option: 6,
    about: "increase by window^-k, decrease by window^l",
    make: || Box::new(Binomial),
};

struct Binomial;

impl WindowLaw for Binomial {
    fn grow(&mut self, growth: &Growth, parameters: &WindowLawParameters) -> f64 {
        growth.cwnd + parameters.increase_num / (growth.cwnd * growth.cwnd.power(parameters.k_parameter))
    }

    fn shrink(&mut self, congestion: &Congestion, parameters: &mut CowArc<WindowLawParameters>) -> f64 {
        congestion.counted - (1.0 - parameters.decrease_num) * congestion.counted.power(parameters.l_parameter)
    }
}
