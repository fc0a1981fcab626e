//! The interface of ns-3.25's congestion controls (`TcpCongestionOps`).

use crate::registry;

/// A line of the table of congestion controls.
pub type Entry = registry::Entry<fn() -> Box<dyn Ns3CongestionOps>>;

/// The socket state for a congestion control.
#[derive(Clone, Copy, Debug)]
pub struct Socket {
    /// Segment size, bytes.
    pub segment: u32,
    /// The congestion window, bytes.
    pub cwnd: u32,
    /// The slow-start threshold, bytes.
    pub ssthresh: u32,
    /// The smoothed round-trip time, ns; 0 before there is a sample.
    pub rtt_ns: i64,
    /// The current time, ns.
    pub now_ns: i64,
}

impl Socket {
    /// The window in whole segments.
    pub fn segments(&self) -> u32 {
        self.cwnd / self.segment
    }
}

/// A congestion control of ns-3.
pub trait Ns3CongestionOps: Send + Sync {
    /// The threshold after congestion with `in_flight` bytes in flight. Default: half of them, at least two segments.
    fn ssthresh(&mut self, socket: &Socket, in_flight: u32) -> u32 {
        (2 * socket.segment).max(in_flight / 2)
    }

    /// Called for an ACK of `segments` segments; a duplicate ACK counts as one.
    fn acked(&mut self, socket: &Socket, segments: u32) {
        let _ = (socket, segments);
    }

    /// Slow start: grows the window for an ACK of `segments` segments. Returns the segments left to count.
    fn slow_start(&mut self, socket: &mut Socket, segments: u32) -> u32 {
        if segments > 0 {
            socket.cwnd += socket.segment;
        }
        segments.saturating_sub(1)
    }

    /// Congestion avoidance: grows the window for an ACK of `segments` segments.
    fn avoid(&mut self, socket: &mut Socket, segments: u32) {
        if segments > 0 {
            let bytes = f64::from(socket.segment) * f64::from(socket.segment) / f64::from(socket.cwnd);
            socket.cwnd += bytes.max(1.0) as u32;
        }
    }

    /// Grows the window for an ACK of `segments` segments.
    fn grow(&mut self, socket: &mut Socket, segments: u32) {
        let mut left = segments;
        if socket.cwnd < socket.ssthresh {
            left = self.slow_start(socket, left);
        }
        if socket.cwnd >= socket.ssthresh {
            self.avoid(socket, left);
        }
    }
}
