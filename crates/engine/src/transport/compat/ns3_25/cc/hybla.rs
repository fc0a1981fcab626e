//! TCP Hybla as in ns-3.25: the window grows as with a short round-trip time.
//!
//! Source: C. Caini and R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International
//! Journal of Satellite Communications and Networking 22(5), 2004; ns-3.25's `TcpHybla`.
//! What it decides: rho is the minimum smoothed round-trip time divided by 50 ms, at least 1. An ACK adds 2^rho - 1
//! segments in slow start. In congestion avoidance each segment acknowledged adds rho^2/window, in whole segments.
//! Departures: slow start does not pass the threshold.
//! Not implemented: another reference round-trip time; the paper's slow-start threshold and pacing.
//! Checked against: ns-3.25 (tests/oracle/test_ns3.py).

use super::{Entry, Ns3CongestionOps, Socket};
use crate::math::Math;

/// The registry entry.
pub const ENTRY: Entry =
    Entry { id: "hybla", about: "Hybla: growth as on a round trip of 50 ms", make: || Box::new(Hybla::new()) };

/// The reference round-trip time, ms.
const REFERENCE_MS: f64 = 50.0;

struct Hybla {
    rho: f64,
    least_rtt_ns: i64,
    /// Fraction of a segment accumulated towards the next one.
    saved: f64,
}

impl Hybla {
    fn new() -> Hybla {
        Hybla { rho: 1.0, least_rtt_ns: i64::MAX, saved: 0.0 }
    }
}

impl Ns3CongestionOps for Hybla {
    fn acked(&mut self, socket: &Socket, _segments: u32) {
        if socket.rtt_ns < self.least_rtt_ns {
            self.least_rtt_ns = socket.rtt_ns;
            let whole_ms = socket.rtt_ns / 1_000_000;
            self.rho = (whole_ms as f64 / REFERENCE_MS).max(1.0);
        }
    }

    fn slow_start(&mut self, socket: &mut Socket, segments: u32) -> u32 {
        if segments > 0 {
            let increment = (2.0_f64.power(self.rho) - 1.0) * f64::from(socket.segment);
            socket.cwnd = (f64::from(socket.cwnd) + increment).min(f64::from(socket.ssthresh)) as u32;
        }
        segments.saturating_sub(1)
    }

    fn avoid(&mut self, socket: &mut Socket, segments: u32) {
        for _ in 0..segments {
            self.saved += self.rho * self.rho / f64::from(socket.segments());
        }
        if self.saved >= 1.0 {
            let whole = self.saved.trunc();
            self.saved -= whole;
            socket.cwnd += whole as u32 * socket.segment;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Caini and Firrincieli, equation 6: 2^rho - 1 and rho^2/W, for a round trip of 150 ms: rho = 3.
    #[test]
    fn a_long_round_trip_grows_as_a_short_one() {
        let mut law = Hybla::new();
        let mut socket = Socket { segment: 1000, cwnd: 2000, ssthresh: 12_000, rtt_ns: 150_000_000, now_ns: 0 };
        law.acked(&socket, 1);
        law.grow(&mut socket, 1);
        assert_eq!(socket.cwnd, 9000);
        law.grow(&mut socket, 1);
        assert_eq!(socket.cwnd, 12_000);
        // Each segment adds 9/12 of a segment: two segments add one, and half a segment remains.
        law.grow(&mut socket, 2);
        assert_eq!(socket.cwnd, 13_000);
    }
}
