//! Hybla as ns-3.25 has it: the window grows as if the round trip were a short one.
//!
//! Source: C. Caini and R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International Journal of
//! Satellite Communications and Networking 22(5), 2004; ns-3.25's `TcpHybla`.
//! What it decides: rho is the least smoothed round trip over 50 ms, at least 1. An ACK adds 2^rho - 1 segments in slow
//! start and rho^2/window for each segment acknowledged in congestion avoidance, in whole segments.
//! Departures: slow start does not pass the threshold.
//! Not implemented: another reference round trip; a threshold for slow start and pacing of the paper's own.
//! Checked against: ns-3.25 (tests/oracle/test_ns3.py).

use super::{Control, Entry, Socket};

/// The table's line.
pub const ENTRY: Entry =
    Entry { id: "hybla", about: "Hybla: growth as on a round trip of 50 ms", make: || Box::new(Hybla::new()) };

/// The round trip that others are measured against, ms.
const REFERENCE_MS: f64 = 50.0;

struct Hybla {
    rho: f64,
    least_rtt_ns: i64,
    /// Parts of a segment towards the next one.
    saved: f64,
}

impl Hybla {
    fn new() -> Hybla {
        Hybla { rho: 1.0, least_rtt_ns: i64::MAX, saved: 0.0 }
    }
}

impl Control for Hybla {
    fn acked(&mut self, socket: &Socket, _segments: u32) {
        if socket.rtt_ns < self.least_rtt_ns {
            self.least_rtt_ns = socket.rtt_ns;
            let whole_ms = socket.rtt_ns / 1_000_000;
            self.rho = (whole_ms as f64 / REFERENCE_MS).max(1.0);
        }
    }

    fn slow_start(&mut self, socket: &mut Socket, segments: u32) -> u32 {
        if segments > 0 {
            let increment = (2.0_f64.powf(self.rho) - 1.0) * f64::from(socket.segment);
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
        // 9/12 of a segment for each segment: two make one, and half a segment is saved up.
        law.grow(&mut socket, 2);
        assert_eq!(socket.cwnd, 13_000);
    }
}
