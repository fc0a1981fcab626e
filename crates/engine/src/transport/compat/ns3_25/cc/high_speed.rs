//! HighSpeed TCP (RFC 3649) as in ns-3.25: growth by segments acknowledged.
//!
//! Source: S. Floyd, RFC 3649, appendix B; ns-3.25's `TcpHighSpeed`.
//! What it decides: the window grows by one segment when a(w) times the segments acknowledged reaches the window, so
//! delayed ACKs do not slow it as they slow NewReno. Congestion cuts the data in flight, in whole segments, by b(w).
//! Departures: b(w) is rounded to the table's two decimals. The count towards the next segment survives a cut.
//! Not implemented: nothing.
//! Checked against: ns-3.25 (tests/oracle/test_ns3.py); the table against RFC 3649.

use super::{Entry, Ns3CongestionOps, Socket};
use crate::math::Math;
use crate::transport::compat::high_speed_table::RFC_3649_WINDOWS;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "high_speed",
    about: "HighSpeed TCP (RFC 3649) by table, counting segments acknowledged",
    make: || Box::<HighSpeed>::default(),
};

#[derive(Default)]
struct HighSpeed {
    saved: u32,
}

/// The table row for a window of `segments` segments; the last row for larger windows.
fn line(segments: u32) -> usize {
    let found = RFC_3649_WINDOWS.iter().position(|&most| u64::from(segments) <= most);
    found.unwrap_or(RFC_3649_WINDOWS.len() - 1)
}

/// b(w) by RFC 3649, section 5, at the maximum window of the row, rounded to hundredths as in the table.
fn share_lost(segments: u32) -> f64 {
    let (low, high) = (38.0_f64.natural_log(), 83_000.0_f64.natural_log());
    let window = (RFC_3649_WINDOWS[line(segments)] as f64).natural_log();
    let share = 0.5 + (0.1 - 0.5) * (window - low) / (high - low);
    (share * 100.0).round() / 100.0
}

impl Ns3CongestionOps for HighSpeed {
    fn ssthresh(&mut self, socket: &Socket, in_flight: u32) -> u32 {
        let segments = in_flight / socket.segment;
        let left = f64::from(segments) * (1.0 - share_lost(segments));
        left.max(2.0) as u32 * socket.segment
    }

    fn avoid(&mut self, socket: &mut Socket, segments: u32) {
        let before = socket.segments();
        let mut window = before;
        self.saved += segments * (line(window) as u32 + 1);
        while self.saved >= window {
            self.saved -= window;
            window += 1;
        }
        if window != before {
            socket.cwnd = window * socket.segment;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3649, appendix B: w, a(w), b(w), every ninth line.
    #[test]
    fn the_table_is_the_rfcs() {
        let lines = [
            (38, 1, 0.50),
            (1529, 10, 0.31),
            (4596, 19, 0.25),
            (9346, 28, 0.21),
            (16_137, 37, 0.19),
            (25_618, 46, 0.16),
            (38_992, 55, 0.14),
            (58_932, 64, 0.12),
            (94_717, 73, 0.09),
        ];
        for (window, a, b) in lines {
            assert_eq!((line(window) + 1, share_lost(window)), (a, b), "at {window}");
        }
        assert_eq!((line(39), line(200_000)), (1, 72));
    }

    /// Computed by hand: at 10 segments, five ACKs of two segments add one segment.
    #[test]
    fn delayed_acks_do_not_slow_it() {
        let mut law = HighSpeed::default();
        let mut socket = Socket { segment: 1000, cwnd: 10_000, ssthresh: 5000, rtt_ns: 0, now_ns: 0 };
        for _ in 0..4 {
            law.grow(&mut socket, 2);
        }
        assert_eq!(socket.cwnd, 10_000);
        law.grow(&mut socket, 2);
        assert_eq!(socket.cwnd, 11_000);
        // 100 segments in flight are cut by 44 %.
        assert_eq!((law.ssthresh(&socket, 100_500), law.ssthresh(&socket, 3000)), (56_000, 2000));
    }
}
