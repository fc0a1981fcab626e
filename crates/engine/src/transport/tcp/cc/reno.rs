//! Reno: the standard congestion control, the reference for fairness.
//!
//! Source: RFC 5681, section 3.1, with appropriate byte counting (RFC 3465) in packets, as Linux 6.12 counts them
//! (net/ipv4/tcp_cong.c, `tcp_reno_cong_avoid`, `tcp_reno_ssthresh`); RFC 8511 (ABE) for `abe`.
//! What it decides: slow start adds one packet per acknowledged packet. Congestion avoidance adds one packet when a
//! window of packets has been acknowledged ([`super::linux_window`]). Congestion halves the window; with `abe`, a mark
//! reduces it to 0.8. The window is a whole number of packets, except in HyStart++'s conservative slow start.
//! Departures: `ssthresh` is half of the window, not of the flight size, as in Linux. Therefore the window of an
//! application-limited sender does not grow (RFC 9438, 5.8; RFC 7661).
//! Not implemented: nothing.
//! Checked against: the RFC's numbers and the kernel's counting by hand; the square-root law over loss ratios (tests/spec/test_tcp_laws.py).

use super::hystart::HyStart;
use super::linux_window::{self, CwndCount, may_raise_cwnd, snd_cwnd};
use super::{Ack, CaState, CongestionEvent, Control, Entry, MIN_SSTHRESH, Path, Response, Window};
use crate::params::{Params, own_params};

/// Reno's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "reno",
    about: "one packet more in a round trip, half after congestion (RFC 5681); ABE (RFC 8511)",
    make: || {
        Box::new(Reno {
            slow_start: HyStart::new(false),
            beta: 0.5,
            abe: false,
            beta_ecn: 0.8,
            count: CwndCount::default(),
        })
    },
};

#[derive(Params)]
struct Reno {
    #[param(flatten)]
    slow_start: HyStart,
    /// The share of the window that remains after congestion.
    // RFC 5681, equation 4: 1/2.
    #[param("")]
    beta: f64,
    /// After a mark, `beta_ecn` applies instead of `beta` (ABE, RFC 8511).
    #[param("flag")]
    abe: bool,
    /// The share of the window that remains after a mark, with `abe`.
    #[param("")]
    beta_ecn: f64,
    count: CwndCount,
}

impl Control for Reno {
    fn start(&mut self, _path: &Path, _window: &mut Window) {
        self.slow_start.reset();
        self.count.reset();
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if path.is_recovering || !path.is_limited || !may_raise_cwnd(ack, path) {
            return;
        }
        let mut acked = ack.delivered;
        if window.in_slow_start() {
            acked = if self.slow_start.hystart {
                self.slow_start.grow(ack, path, window) as u32
            } else {
                linux_window::slow_start(window, acked)
            };
            if acked == 0 {
                return;
            }
        }
        self.count.cong_avoid_ai(window, snd_cwnd(window), acked);
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        self.slow_start.reset();
        self.count.reset();
        let beta = if event == CongestionEvent::Mark && self.abe { self.beta_ecn } else { self.beta };
        // `tcp_reno_ssthresh`: a whole number, rounded down.
        window.ssthresh = (f64::from(snd_cwnd(window)) * beta).floor().max(MIN_SSTHRESH);
        Response::Reduce
    }

    fn on_state(&mut self, state: CaState, _path: &Path, _window: &mut Window) {
        if state == CaState::Loss {
            self.count.reset();
        }
    }

    fn on_idle_restart(&mut self, _idle_s: f64, timeouts: u32, initial: f64, _path: &Path, window: &mut Window) {
        linux_window::restart(window, timeouts, initial);
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
        let ack = |acked| Ack { delivered: acked, acked, ..Ack::default() };
        for _ in 0..3 {
            reno.on_ack(&ack(2), &path(), &mut window);
        }
        assert_eq!(window.cwnd, 16.0);
        for _ in 0..7 {
            reno.on_ack(&ack(2), &path(), &mut window);
        }
        assert_eq!(window.cwnd, 16.0, "14 of 16 packets are counted");
        reno.on_ack(&ack(2), &path(), &mut window);
        assert_eq!(window.cwnd, 17.0);
        let before = window.cwnd;
        reno.on_ack(&ack(2), &Path::default(), &mut window);
        assert_eq!(window.cwnd, before, "an application-limited sender does not grow");
        reno.on_congestion_event(CongestionEvent::Loss, &path(), &mut window);
        assert_eq!(window.ssthresh, 8.0, "17 >> 1");
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
