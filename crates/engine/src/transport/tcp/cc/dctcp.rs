//! DCTCP: a mark reduces the window in proportion to the fraction of packets that were marked.
//!
//! Source: S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert, G. Judd, RFC 8257, section 3.
//! What it decides: `alpha`, the fraction of marked packets, averaged once a window with weight `g` (1/16). A mark reduces the
//! window by the factor 1 - `alpha` / 2. Everything else is as in Reno, losses too (3.4 and 3.5).
//! Departures: packets are counted, not bytes; all have one size. Packets that only SACK reports count too, which the RFC
//! leaves out (3.3, step 1).
//! Not implemented: nothing.
//! Checked against: the RFC's equations by hand; the wire (tests/spec/test_modern_marks.py).

use super::hystart::HyStart;
use super::{Ack, CongestionEvent, Control, Entry, Feedback, MIN_SSTHRESH, Path, Response, Window};
use crate::params;
use crate::params::own_params;

/// DCTCP's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "dctcp",
    about: "gives way in proportion to the fraction of marks (RFC 8257)",
    make: || Box::new(Dctcp::default()),
};

struct Dctcp {
    slow_start: HyStart,
    /// `g`: the weight of a window's fraction in `alpha` (3.3).
    g: f64,
    /// `DCTCP.Alpha`: the estimated fraction of marked packets (3.3).
    alpha: f64,
    /// `DCTCP.BytesAcked`: packets delivered in this observation window (3.3).
    packets_acked: u32,
    /// `DCTCP.BytesMarked`: those of them that were marked (3.3).
    packets_marked: u32,
    /// `alpha` before the last congestion event, restored if it was spurious.
    undo_alpha: f64,
}

params!(Dctcp { g, alpha });

impl Default for Dctcp {
    fn default() -> Dctcp {
        Dctcp {
            slow_start: HyStart::new(false),
            g: 1.0 / 16.0,
            alpha: 1.0,
            packets_acked: 0,
            packets_marked: 0,
            undo_alpha: 1.0,
        }
    }
}

impl Control for Dctcp {
    fn start(&mut self, _path: &Path, _window: &mut Window) {
        (self.packets_acked, self.packets_marked) = (0, 0);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        // 3.3, steps 3 to 8. The end of a round is the RFC's WindowEnd.
        self.packets_acked += ack.delivered;
        self.packets_marked += ack.marked;
        if ack.ends_round {
            let m = f64::from(self.packets_marked) / f64::from(self.packets_acked.max(1));
            self.alpha = self.alpha * (1.0 - self.g) + self.g * m.min(1.0);
            (self.packets_acked, self.packets_marked) = (0, 0);
        }
        if path.is_recovering || !path.is_limited {
            return;
        }
        let mut packets = f64::from(ack.delivered);
        if window.in_slow_start() {
            packets = self.slow_start.grow(ack, path, window);
        }
        window.cwnd += packets / window.cwnd;
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        self.undo_alpha = self.alpha;
        let beta = if event == CongestionEvent::Mark { 1.0 - self.alpha / 2.0 } else { 0.5 };
        window.ssthresh = (window.cwnd * beta).max(MIN_SSTHRESH);
        if event != CongestionEvent::Mark {
            return Response::Reduce;
        }
        // 3.3, step 9: the reduction is immediate, and growth continues.
        window.cwnd = window.ssthresh;
        Response::Own
    }

    fn on_spurious_loss(&mut self, _path: &Path, _window: &mut Window) {
        self.alpha = self.undo_alpha;
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
    fn a_mark_reduces_the_window_in_proportion_to_alpha() {
        let mut dctcp = Dctcp::default();
        let mut window = Window { cwnd: 100.0, ssthresh: 50.0, pacing_per_s: None, holds_back: false };
        let path = Path { is_recovering: true, ..Path::default() };
        let ack = |delivered, marked, ends_round| Ack { delivered, marked, ends_round, ..Ack::default() };
        dctcp.on_ack(&ack(6, 0, false), &path, &mut window);
        dctcp.on_ack(&ack(4, 4, true), &path, &mut window);
        assert!((dctcp.alpha - 0.9625).abs() < 1e-12);
        dctcp.on_congestion_event(CongestionEvent::Mark, &path, &mut window);
        assert!((window.cwnd - 51.875).abs() < 1e-9);
        window.cwnd = 100.0;
        dctcp.on_congestion_event(CongestionEvent::Loss, &path, &mut window);
        assert_eq!(window.ssthresh, 50.0);
        for _ in 0..200 {
            dctcp.on_ack(&ack(10, 1, true), &path, &mut window);
        }
        assert!((dctcp.alpha - 0.1).abs() < 1e-4, "{}", dctcp.alpha);
    }
}
