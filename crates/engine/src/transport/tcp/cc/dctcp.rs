//! DCTCP: the window gives way in proportion to the fraction of packets that were marked.
//!
//! Source: S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert, G. Judd, RFC 8257, section 3.
//! What it decides: once a window, a fraction of marks, averaged with weight `g` (1/16); a mark takes half of that fraction of
//! the window. Everything else is Reno's, losses too (3.4 and 3.5).
//! Departures: the fraction is of packets, which are all of one size, and of all that were delivered, where the RFC leaves
//! out what only SACK tells (3.3, step 1).
//! Not implemented: nothing.
//! Checked against: the RFC's equations by hand; the wire (tests/spec/test_modern_marks.py).

use super::hystart::HyStart;
use super::{Ack, CongestionEvent, Control, Entry, Feedback, MIN_SSTHRESH, Path, Response, Window};
use crate::params;
use crate::params::own_params;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "dctcp",
    about: "gives way in proportion to the fraction of marks (RFC 8257)",
    make: || Box::new(Dctcp::default()),
};

struct Dctcp {
    slow_start: HyStart,
    /// The weight of a window's fraction.
    g: f64,
    /// The average fraction of marks.
    alpha: f64,
    /// In the present window: packets delivered, and those of them that were marked.
    delivered: u32,
    marked: u32,
    before: f64,
}

params!(Dctcp { g, alpha });

impl Default for Dctcp {
    fn default() -> Dctcp {
        Dctcp { slow_start: HyStart::new(false), g: 1.0 / 16.0, alpha: 1.0, delivered: 0, marked: 0, before: 1.0 }
    }
}

impl Control for Dctcp {
    fn start(&mut self, _path: &Path, _window: &mut Window) {
        (self.delivered, self.marked) = (0, 0);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        // 3.3, steps 3 to 8.
        self.delivered += ack.delivered;
        self.marked += ack.marked;
        if ack.ends_round {
            let fraction = f64::from(self.marked) / f64::from(self.delivered.max(1));
            self.alpha = self.alpha * (1.0 - self.g) + self.g * fraction.min(1.0);
            (self.delivered, self.marked) = (0, 0);
        }
        if path.is_recovering || !path.is_limited {
            return;
        }
        let mut packets = f64::from(ack.delivered);
        if window.in_slow_start() {
            packets = self.slow_start.grow(ack, packets, window);
        }
        window.cwnd += packets / window.cwnd;
    }

    fn on_congestion_event(&mut self, sign: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        self.before = self.alpha;
        let left = if sign == CongestionEvent::Mark { 1.0 - self.alpha / 2.0 } else { 0.5 };
        window.ssthresh = (window.cwnd * left).max(MIN_SSTHRESH);
        if sign != CongestionEvent::Mark {
            return Response::Reduce;
        }
        // 3.3, step 9: at once, and growth goes on.
        window.cwnd = window.ssthresh;
        Response::Own
    }

    fn on_spurious_loss(&mut self, _path: &Path, _window: &mut Window) {
        self.alpha = self.before;
    }

    fn feedback(&self) -> Feedback {
        Feedback::Exact
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 8257, 3.3: alpha = alpha * (1 - g) + g * M; cwnd * (1 - alpha / 2). From 1, with M = 0.4: 15/16 + 0.4/16 = 0.9625,
    // and 100 packets become 51.875.
    #[test]
    fn marks_count_in_proportion() {
        let mut law = Dctcp::default();
        let mut window = Window { cwnd: 100.0, ssthresh: 50.0, pacing_per_s: None, holds_back: false };
        let path = Path { is_recovering: true, ..Path::default() };
        let ack = |delivered, marked, ends_round| Ack { delivered, marked, ends_round, ..Ack::default() };
        law.on_ack(&ack(6, 0, false), &path, &mut window);
        law.on_ack(&ack(4, 4, true), &path, &mut window);
        assert!((law.alpha - 0.9625).abs() < 1e-12);
        law.on_congestion_event(CongestionEvent::Mark, &path, &mut window);
        assert!((window.cwnd - 51.875).abs() < 1e-9);
        window.cwnd = 100.0;
        law.on_congestion_event(CongestionEvent::Loss, &path, &mut window);
        assert_eq!(window.ssthresh, 50.0);
        for _ in 0..200 {
            law.on_ack(&ack(10, 1, true), &path, &mut window);
        }
        assert!((law.alpha - 0.1).abs() < 1e-4, "{}", law.alpha);
    }
}
