//! Window growth by whole packets.

/// Accumulates window growth, and grows the window by whole packets.
#[derive(Default)]
pub(super) struct Savings(f64);

impl Savings {
    pub(super) fn add(&mut self, amount: f64, cwnd: f64) -> f64 {
        let saved = amount + self.0;
        if saved > cwnd {
            self.0 = 0.0;
            cwnd + 1.0
        } else {
            self.0 = saved;
            cwnd
        }
    }

    pub(super) fn void(&mut self) {
        self.0 = 0.0;
    }
}
