//! NewReno as in ns-3.25, whose growth and threshold are the defaults of its other controls.
//!
//! Source: RFC 5681; ns-3.25's `TcpNewReno`.
//! What it decides: in slow start an ACK adds one segment, however many it acknowledges; then segment^2/window bytes.
//! An ACK that reaches the threshold adds both. The threshold is half the data in flight.
//! Departures: counts ACKs, not the bytes that they acknowledge, so with delayed ACKs the window grows by half a
//! segment per round trip.
//! Not implemented: nothing.
//! Checked against: ns-3.25 (tests/oracle/test_ns3.py).

use super::{Entry, Ns3CongestionOps};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "new_reno",
    about: "one segment per round trip, half of what is in flight after congestion",
    make: || Box::new(NewReno),
};

struct NewReno;

impl Ns3CongestionOps for NewReno {}

#[cfg(test)]
mod tests {
    use super::super::Socket;
    use super::*;

    /// RFC 5681, section 3.1: one segment per ACK, then SMSS*SMSS/cwnd (its equation 3), computed by hand for 536
    /// bytes.
    #[test]
    fn the_window_grows_by_segments_and_then_by_parts_of_them() {
        let mut socket = Socket { segment: 536, cwnd: 1072, ssthresh: 2000, rtt_ns: 0, now_ns: 0 };
        NewReno.grow(&mut socket, 1);
        assert_eq!(socket.cwnd, 1608);
        // A delayed ACK crosses the threshold: 2144, and 536 * 536 / 2144 = 134 more for its second segment.
        NewReno.grow(&mut socket, 2);
        assert_eq!(socket.cwnd, 2144 + 134);
        NewReno.grow(&mut socket, 2);
        assert_eq!(socket.cwnd, 2278 + 126);
        assert_eq!((NewReno.ssthresh(&socket, 5360), NewReno.ssthresh(&socket, 536)), (2680, 1072));
    }
}
