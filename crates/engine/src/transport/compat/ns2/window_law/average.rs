//! Window growth by the window's moving average, or its square: ns-2.35's window options 4 and 3.
//!
//! Source: ns-2.35's window options 3 (square) and 4 (plain), experiments of its authors.
//! What it decides: per round trip the window grows by about `window_constant` times the average, or times its square.
//! Departures: none known.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use super::savings::Savings;
use crate::transport::one_way::window_law::{Growth, WindowLaw, WindowLawParameters, WindowOption};

/// The registry entry of the square.
pub const SQUARED: WindowOption = WindowOption {
    id: "average_squared",
    option: 3,
    about: "growth by the square of the average window",
    make: || Box::new(Average { squared: true, savings: Savings::default() }),
};

/// The registry entry of the plain average.
pub const PLAIN: WindowOption = WindowOption {
    id: "average",
    option: 4,
    about: "growth by the average window",
    make: || Box::new(Average { squared: false, savings: Savings::default() }),
};

struct Average {
    squared: bool,
    savings: Savings,
}

impl WindowLaw for Average {
    fn grow(&mut self, growth: &Growth, parameters: &WindowLawParameters) -> f64 {
        let base = if self.squared { growth.average * growth.average } else { growth.average };
        self.savings.add(base * parameters.window_constant, growth.cwnd)
    }

    fn was_cut(&mut self) {
        self.savings.void();
    }
}
