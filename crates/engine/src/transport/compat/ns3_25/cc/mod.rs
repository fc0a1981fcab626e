//! The congestion controls of ns-3.25, as its TCP socket asks them. One file per control, one line in [`CONTROLS`].
//!
//! They stand apart from the laws of [`window_law`](crate::transport::compat::ns2::window_law) and of Linux: an ns-3
//! control counts bytes in integers, is told how many segments an ACK acknowledges, and makes its threshold of what is in
//! flight, not of the window. What the socket does by itself (recovery, timers) is in [`super::sender`].

mod high_speed;
mod hybla;
mod new_reno;
mod westwood;

/// What a control sees of its socket.
#[derive(Clone, Copy, Debug)]
pub struct Socket {
    /// Bytes of a segment.
    pub segment: u32,
    /// The congestion window, bytes.
    pub cwnd: u32,
    /// The slow-start threshold, bytes.
    pub ssthresh: u32,
    /// The smoothed round-trip time, ns; 0 before there is a sample.
    pub rtt_ns: i64,
    /// The time, ns.
    pub now_ns: i64,
}

impl Socket {
    /// The window in whole segments.
    pub fn segments(&self) -> u32 {
        self.cwnd / self.segment
    }
}

/// A congestion control of ns-3.
pub trait Control: Send + Sync {
    /// The threshold after congestion with `in_flight` bytes in flight: half of them, at least two segments.
    fn ssthresh(&mut self, socket: &Socket, in_flight: u32) -> u32 {
        (2 * socket.segment).max(in_flight / 2)
    }

    /// An ACK says that `segments` segments have arrived; a duplicate stands for one.
    fn acked(&mut self, socket: &Socket, segments: u32) {
        let _ = (socket, segments);
    }

    /// Below the threshold: the window grows for an ACK of `segments` segments. How many of them are left to count.
    fn slow_start(&mut self, socket: &mut Socket, segments: u32) -> u32 {
        if segments > 0 {
            socket.cwnd += socket.segment;
        }
        segments.saturating_sub(1)
    }

    /// At the threshold or above it: the window grows for an ACK of `segments` segments.
    fn avoid(&mut self, socket: &mut Socket, segments: u32) {
        if segments > 0 {
            let bytes = f64::from(socket.segment) * f64::from(socket.segment) / f64::from(socket.cwnd);
            socket.cwnd += bytes.max(1.0) as u32;
        }
    }

    /// The window grows for an ACK of `segments` segments.
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

/// One control of the table.
pub struct Entry {
    /// Its id everywhere: `high_speed`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Makes one.
    pub make: fn() -> Box<dyn Control>,
}

/// Every control. The first one is a sender's unless it is told otherwise.
pub const CONTROLS: &[Entry] = &[new_reno::ENTRY, high_speed::ENTRY, westwood::ENTRY, westwood::PLUS, hybla::ENTRY];

/// The control with this id.
pub fn named(id: &str) -> Option<&'static Entry> {
    CONTROLS.iter().find(|entry| entry.id == id)
}
