//! DCTCP (RFC 8257) for two-way TCP: exact ECN echo, and window cuts in proportion to the fraction of marked bytes.
//!
//! Source: S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert, G. Judd, RFC 8257, section 3. The names `dctcp`,
//! `dctcp_alpha`, `dctcp_g` and their meaning are those of the patch to ns-2 that came with M. Alizadeh et al., *Data
//! Center TCP (DCTCP)*, SIGCOMM 2010, as published scripts set them.
//! What it decides: the receiver's ECN echo, and when it must not wait for a delayed ACK (3.2); the fraction of marked
//! bytes, averaged once per window (3.3, steps 1 to 8); the window cut (step 9).
//! Departures: `dctcp_alpha` starts at 0, as in those scripts, so the first mark has little effect.
//! Not implemented: nothing; the variant handles losses.
//! Checked against: the RFC's equations, computed by hand; not against the patch, byte for byte.

use crate::params::Params;

/// DCTCP's parameters and its estimate of congestion.
#[derive(Clone, Debug, Params)]
pub struct Dctcp {
    /// Enables DCTCP.
    #[param(state)]
    pub dctcp: bool,
    /// The moving average of the fraction of marked bytes (DCTCP.Alpha).
    #[param(state)]
    pub dctcp_alpha: f64,
    /// The weight of one window's fraction in the average.
    #[param(state)]
    pub dctcp_g: f64,
    /// Bytes acknowledged in this window, and how many of them had an ECN echo.
    acked: i64,
    marked: i64,
    /// The first byte after this window (DCTCP.WindowEnd).
    window_end: i32,
}

impl Default for Dctcp {
    fn default() -> Dctcp {
        Dctcp { dctcp: false, dctcp_alpha: 0.0, dctcp_g: 1.0 / 16.0, acked: 0, marked: 0, window_end: 0 }
    }
}

impl Dctcp {
    /// Resets the counts for a new connection; the average is kept.
    pub fn start_over(&mut self) {
        (self.acked, self.marked, self.window_end) = (0, 0, 0);
    }

    /// Counts an ACK of `bytes` new bytes up to `ackno`. `next` is the first byte not sent yet.
    pub fn acknowledged(&mut self, bytes: i32, ackno: i32, next: i32, is_marked: bool) {
        self.acked += i64::from(bytes);
        self.marked += if is_marked { i64::from(bytes) } else { 0 };
        if ackno <= self.window_end {
            return;
        }
        let fraction = self.marked as f64 / self.acked.max(1) as f64;
        self.dctcp_alpha += self.dctcp_g * (fraction - self.dctcp_alpha);
        (self.acked, self.marked, self.window_end) = (0, 0, next);
    }

    /// The window after a cut.
    pub fn left_of(&self, cwnd: f64) -> f64 {
        cwnd * (1.0 - self.dctcp_alpha / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 8257, 3.3: M = marked / acked bytes of a window; alpha = alpha * (1 - g) + g * M with g = 1/16;
    // cwnd = cwnd * (1 - alpha / 2).
    #[test]
    fn a_window_counts_once() {
        let mut law = Dctcp { dctcp_alpha: 1.0, ..Dctcp::default() };
        assert_eq!(law.dctcp_g, 0.0625);
        law.acknowledged(1000, 1000, 10_000, false);
        // The first ACK ends the initial window, without marks: alpha falls to 15/16.
        assert_eq!(law.dctcp_alpha, 0.9375);
        for number in 2..=10 {
            law.acknowledged(1000, 1000 * number, 20_000, number > 6);
            assert_eq!(law.dctcp_alpha, 0.9375);
        }
        law.acknowledged(1000, 11_000, 20_000, false);
        // 4000 of 10000 bytes: 0.9375 * 15/16 + 0.4/16 = 0.90390625.
        assert!((law.dctcp_alpha - 0.903_906_25).abs() < 1e-15);
        assert!((law.left_of(100.0) - 54.804_687_5).abs() < 1e-12);
    }

    #[test]
    fn the_average_tends_to_the_fraction() {
        let mut law = Dctcp::default();
        for number in 1..=2000 {
            law.acknowledged(100, 100 * number, 100 * number, number % 4 == 0);
        }
        // Every ACK ends a window here, and one in four is marked: the average stays near one quarter.
        assert!((law.dctcp_alpha - 0.25).abs() < 0.05, "{}", law.dctcp_alpha);
    }
}
