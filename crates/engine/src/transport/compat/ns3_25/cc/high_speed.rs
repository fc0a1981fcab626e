//! HighSpeed TCP as ns-3.25 has it: growth by segments acknowledged, and RFC 3649's table.
//!
//! Source: S. Floyd, RFC 3649, appendix B; ns-3.25's `TcpHighSpeed`.
//! What it decides: a segment more when a(w) times the segments acknowledged amount to the window, so that delayed ACKs do
//! not slow it as they slow NewReno; what is in flight, in whole segments, loses the share b(w).
//! Departures: b(w) has the table's two decimals. What was saved up towards the next segment survives a cut.
//! Not implemented: nothing.
//! Checked against: ns-3.25 (tests/oracle/test_ns3.py); the table against RFC 3649.

use super::{Control, Entry, Socket};
use crate::transport::compat::high_speed_table::RFC_3649_WINDOWS;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "high_speed",
    about: "HighSpeed TCP (RFC 3649) by table, counting segments acknowledged",
    make: || Box::<HighSpeed>::default(),
};

#[derive(Default)]
struct HighSpeed {
    saved: u32,
}

/// The line of the table for a window of `segments` segments; the last one for greater windows.
fn line(segments: u32) -> usize {
    let found = RFC_3649_WINDOWS.iter().position(|&most| u64::from(segments) <= most);
    found.unwrap_or(RFC_3649_WINDOWS.len() - 1)
}

/// b(w): RFC 3649, section 5, at the greatest window of the line, in hundredths as the table has it.
fn share_lost(segments: u32) -> f64 {
    let (low, high) = (38.0_f64.ln(), 83_000.0_f64.ln());
    let window = (RFC_3649_WINDOWS[line(segments)] as f64).ln();
    let share = 0.5 + (0.1 - 0.5) * (window - low) / (high - low);
    (share * 100.0).round() / 100.0
}

impl Control for HighSpeed {
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

    /// By hand: at 10 segments, five ACKs of two segments make one segment more.
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
        // 100 segments in flight lose 44 %.
        assert_eq!((law.ssthresh(&socket, 100_500), law.ssthresh(&socket, 3000)), (56_000, 2000));
    }
}
