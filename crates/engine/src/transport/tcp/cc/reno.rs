//! Reno: the standard congestion control, the reference for fairness.
//!
//! Source: RFC 5681, section 3.1, with appropriate byte counting (RFC 3465) in packets; RFC 8511 (ABE) for `abe`.
//! What it decides: slow start adds one packet per acknowledged packet. Congestion avoidance adds one packet per
//! acknowledged window. Congestion halves the window; with `abe`, a mark reduces it to 0.8.
//! Departures: `ssthresh` is half of the window, not of the flight size, as in Linux. Therefore the window of an
//! application-limited sender does not grow (RFC 9438, 5.8; RFC 7661).
//! Not implemented: nothing.
//! Checked against: the RFC's numbers by hand; the square-root law over loss ratios (tests/spec/test_modern_laws.py).

use super::hystart::HyStart;
use super::{Ack, CongestionEvent, Control, Entry, MIN_SSTHRESH, Path, Response, Window};
use crate::params;
use crate::params::own_params;

/// Reno's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "reno",
    about: "one packet more in a round trip, half after congestion (RFC 5681)",
    make: || Box::new(Reno { slow_start: HyStart::new(false), beta: 0.5, abe: false, beta_ecn: 0.8 }),
};

struct Reno {
    slow_start: HyStart,
    /// The multiplicative decrease factor (RFC 5681, equation 4: 1/2).
    beta: f64,
    /// Whether a mark uses `beta_ecn` instead (RFC 8511).
    abe: bool,
    beta_ecn: f64,
}

params!(Reno { hystart = slow_start.hystart, beta, abe, beta_ecn });

impl Control for Reno {
    fn start(&mut self, _path: &Path, _window: &mut Window) {
        self.slow_start.reset();
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if path.is_recovering || !path.is_limited {
            return;
        }
        let mut packets = f64::from(ack.delivered);
        if window.in_slow_start() {
            packets = self.slow_start.grow(ack, packets, window);
        }
        window.cwnd += packets / window.cwnd;
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        let beta = if event == CongestionEvent::Mark && self.abe { self.beta_ecn } else { self.beta };
        window.ssthresh = (window.cwnd * beta).max(MIN_SSTHRESH);
        Response::Reduce
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Value;

    fn path() -> Path {
        Path { is_limited: true, ..Path::default() }
    }

    // RFC 5681, 3.1: SMSS per acknowledged segment up to ssthresh, then about one SMSS per round trip; a loss halves
    // the window.
    #[test]
    fn a_window_doubles_then_grows_by_one_then_is_halved() {
        let mut reno = (ENTRY.make)();
        let mut window = Window { cwnd: 10.0, ssthresh: 16.0, pacing_per_s: None, holds_back: false };
        let ack = |acked| Ack { delivered: acked, ..Ack::default() };
        for _ in 0..3 {
            reno.on_ack(&ack(2), &path(), &mut window);
        }
        assert_eq!(window.cwnd, 16.0);
        for _ in 0..8 {
            reno.on_ack(&ack(2), &path(), &mut window);
        }
        assert!((window.cwnd - 17.0).abs() < 0.05, "{}", window.cwnd);
        let before = window.cwnd;
        reno.on_ack(&ack(2), &Path::default(), &mut window);
        assert_eq!(window.cwnd, before, "an application-limited sender does not grow");
        reno.on_congestion_event(CongestionEvent::Loss, &path(), &mut window);
        assert_eq!(window.ssthresh, before / 2.0);
    }

    // RFC 8511, 3 and 3.1: beta_ecn is 0.8 for Reno, only for marks; ssthresh is at least two packets.
    #[test]
    fn abe_reduces_less_after_a_mark() {
        let mut reno = (ENTRY.make)();
        assert!(reno.set_param("abe", Value::Flag(true)));
        let mut window = Window { cwnd: 100.0, ssthresh: 50.0, pacing_per_s: None, holds_back: false };
        reno.on_congestion_event(CongestionEvent::Mark, &path(), &mut window);
        assert_eq!(window.ssthresh, 80.0);
        reno.on_congestion_event(CongestionEvent::Loss, &path(), &mut window);
        assert_eq!(window.ssthresh, 50.0);
        window.cwnd = 3.0;
        reno.on_congestion_event(CongestionEvent::Timeout, &path(), &mut window);
        assert_eq!(window.ssthresh, 2.0);
    }
}
