//! DCTCP: a mark reduces the window in proportion to the fraction of packets that were marked.
//!
//! Source: S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert, G. Judd, RFC 8257, section 3; Linux 6.12,
//! net/ipv4/tcp_dctcp.c, for the reduction.
//! What it decides: `alpha`, the fraction of marked packets, averaged once a window with weight `g` (1/16). A mark reduces the
//! window by the factor 1 - `alpha` / 2, with the `alpha` that the same ACK has updated. ACKs with ECE do not let it grow
//! (RFC 3168, 6.1.2). Everything else is as in Reno, losses too (3.4 and 3.5). Without `growth_in_cwr`, all is as in Linux
//! ([`linux`]): whole numbers, and PRR makes the reduction over a round trip, in which the window does not grow.
//! Departures: packets are counted, not bytes; all have one size. Packets that only SACK reports count too, which the RFC
//! leaves out (3.3, step 1).
//! Not implemented: nothing.
//! Checked against: the RFC's equations by hand; the wire (tests/spec/test_tcp_marks.py); Linux's code, for Linux's part
//! (crates/kernel/tests/like_the_kernel.rs).

mod linux;

use super::{
    Ack, CaState, CongestionEvent, Control, Entry, Feedback, MIN_SSTHRESH, Path, Response, Window, linux_window,
};
use crate::math::Math;
use crate::params::{Params, own_params};
use linux::LinuxDctcp;

/// DCTCP's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "dctcp",
    about: "DCTCP: reduces in proportion to the fraction of marks (RFC 8257)",
    make: || Box::new(Dctcp::default()),
};

#[derive(Params)]
struct Dctcp {
    /// The weight of a round trip's fraction of marks in their average.
    // `g` (3.3).
    #[param("")]
    g: f64,
    /// The window grows in the round trip after a mark, on ACKs without ECE (RFC 8257, 3.4); false: it does not, and all
    /// else is as in Linux.
    #[param("flag")]
    growth_in_cwr: bool,
    linux: LinuxDctcp,
    /// The initial average fraction of marks.
    // `DCTCP.Alpha` (3.3).
    #[param("")]
    alpha: f64,
    /// `DCTCP.BytesAcked`: packets delivered in this observation window (3.3).
    packets_acked: u32,
    /// `DCTCP.BytesMarked`: those of them that were marked (3.3).
    packets_marked: u32,
    /// Marks of the present ACK that are counted already.
    counted_marked: u32,
    /// `DCTCP.WindowEnd`: SND.NXT at the start of this observation window (3.3).
    window_end: u64,
    /// `alpha` before the last congestion event, restored if it was spurious.
    undo_alpha: f64,
}

impl Default for Dctcp {
    fn default() -> Dctcp {
        Dctcp {
            g: 1.0 / 16.0,
            growth_in_cwr: true,
            linux: LinuxDctcp::default(),
            alpha: 1.0,
            packets_acked: 0,
            packets_marked: 0,
            counted_marked: 0,
            window_end: 0,
            undo_alpha: 1.0,
        }
    }
}

impl Control for Dctcp {
    fn start(&mut self, path: &Path, _window: &mut Window) {
        (self.packets_acked, self.packets_marked, self.window_end) = (0, 0, path.snd_una);
        self.linux = LinuxDctcp::start(self.alpha, path);
    }

    fn uses_packets_acked(&self) -> bool {
        true
    }

    fn on_packets_acked(&mut self, ack: &Ack, path: &Path, _window: &mut Window) {
        if !self.growth_in_cwr {
            let shift_g = (-self.g.binary_log()).round().clamp(0.0, 10.0) as u32;
            self.linux.update_alpha(ack, path, shift_g);
            self.alpha = self.linux.alpha();
            return;
        }
        // 3.3, steps 2 to 8, before the response to marks in step 9.
        self.packets_acked += ack.delivered;
        self.packets_marked += ack.marked;
        self.counted_marked = ack.marked;
        if path.snd_una > self.window_end {
            self.window_end = path.snd_nxt;
            let m = f64::from(self.packets_marked) / f64::from(self.packets_acked.max(1));
            self.alpha = self.alpha * (1.0 - self.g) + self.g * m.min(1.0);
            (self.packets_acked, self.packets_marked) = (0, 0);
        }
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if !self.growth_in_cwr {
            self.linux.on_ack(ack, path, window);
            return;
        }
        // A sender that did not know the marks before counts them now.
        self.packets_marked += ack.marked.saturating_sub(std::mem::take(&mut self.counted_marked));
        if path.is_recovering || !path.is_limited {
            return;
        }
        let mut packets = f64::from(ack.delivered.saturating_sub(ack.marked));
        if window.in_slow_start() {
            packets = window.slow_start(packets);
        }
        window.cwnd += packets / window.cwnd;
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        if !self.growth_in_cwr {
            self.linux.on_congestion_event(event, window);
            return Response::Reduce;
        }
        self.undo_alpha = self.alpha;
        let beta = if event == CongestionEvent::Mark { 1.0 - self.alpha / 2.0 } else { 0.5 };
        window.ssthresh = (window.cwnd * beta).max(MIN_SSTHRESH);
        if event != CongestionEvent::Mark {
            return Response::Reduce;
        }
        // 3.3, step 9: the reduction is immediate, and growth continues (3.4).
        window.cwnd = window.ssthresh;
        Response::Own
    }

    fn on_state(&mut self, state: CaState, _path: &Path, window: &mut Window) {
        if !self.growth_in_cwr {
            self.linux.on_state(state, window);
        }
    }

    fn on_spurious_loss(&mut self, _path: &Path, window: &mut Window) {
        if self.growth_in_cwr {
            self.alpha = self.undo_alpha;
        } else {
            self.linux.on_spurious_loss(window);
        }
    }

    fn on_idle_restart(&mut self, _idle_s: f64, timeouts: u32, initial: f64, _path: &Path, window: &mut Window) {
        if self.growth_in_cwr {
            window.decay(timeouts, initial);
        } else {
            linux_window::restart(window, timeouts, initial);
        }
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
        let path = |snd_una| Path { snd_una, snd_nxt: snd_una + 10, is_recovering: true, ..Path::default() };
        let ack = |delivered, marked| Ack { delivered, marked, ..Ack::default() };
        dctcp.window_end = 10;
        dctcp.on_packets_acked(&ack(6, 0), &path(10), &mut window);
        dctcp.on_ack(&ack(6, 0), &path(10), &mut window);
        assert_eq!(dctcp.alpha, 1.0);
        dctcp.on_packets_acked(&ack(4, 4), &path(11), &mut window);
        assert!((dctcp.alpha - 0.9625).abs() < 1e-12);
        assert_eq!(dctcp.on_congestion_event(CongestionEvent::Mark, &path(11), &mut window), Response::Own);
        assert!((window.cwnd - 51.875).abs() < 1e-9);
        window.cwnd = 100.0;
        dctcp.on_congestion_event(CongestionEvent::Loss, &path(11), &mut window);
        assert_eq!(window.ssthresh, 50.0);
        for round in 2..202 {
            dctcp.on_packets_acked(&ack(10, 1), &path(11 * round), &mut window);
            dctcp.on_ack(&ack(10, 1), &path(11 * round), &mut window);
        }
        assert!((dctcp.alpha - 0.1).abs() < 1e-4, "{}", dctcp.alpha);
    }

    // The marks of an ACK count once, whether they are known before the congestion event or only after it.
    #[test]
    fn marks_count_once() {
        let mut window = Window { cwnd: 10.0, ssthresh: 5.0, pacing_per_s: None, holds_back: false };
        let told = Ack { delivered: 2, marked: 2, ..Ack::default() };
        for early in [told, Ack { marked: 0, ..told }] {
            let mut dctcp = Dctcp::default();
            dctcp.on_packets_acked(&early, &Path::default(), &mut window);
            dctcp.on_ack(&told, &Path::default(), &mut window);
            assert_eq!((dctcp.packets_acked, dctcp.packets_marked), (2, 2));
        }
    }

    // RFC 3168, 6.1.2: an ACK with ECE does not raise the window. One without does, also in the round trip of a reduction.
    #[test]
    fn acks_with_ece_do_not_raise_the_window() {
        let mut dctcp = Dctcp::default();
        let mut window = Window { cwnd: 10.0, ssthresh: 5.0, pacing_per_s: None, holds_back: false };
        let path = Path { is_limited: true, ..Path::default() };
        dctcp.on_ack(&Ack { delivered: 2, marked: 2, ..Ack::default() }, &path, &mut window);
        assert_eq!(window.cwnd, 10.0);
        dctcp.on_ack(&Ack { delivered: 2, ..Ack::default() }, &path, &mut window);
        assert_eq!(window.cwnd, 10.2);
    }
}
