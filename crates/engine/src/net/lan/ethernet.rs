//! CSMA/CD, the medium access of Ethernet: carrier sense, collision detection, binary exponential backoff.
//!
//! Source: ns-2.35's `Mac/802_3`.
//! What it decides: a port sends when the medium is idle and the interframe gap is over. If two ports send at the
//! same time they collide, wait for a jam and a gap, and retry after a random number of slots. The range of this
//! number doubles with each retry.
//! Departures: none known. As in ns-2, a frame with too many collisions is lost.

use crate::event::timer::TimerId;
use crate::net::lan::frame::Frame;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::net) enum State {
    Idle,
    Sending,
    Receiving,
}

/// The CSMA/CD state of a port.
#[derive(Debug)]
pub struct Ethernet {
    pub(in crate::net) state: State,
    pub(in crate::net) timers: [TimerId; 4],
    /// The frame to send; it is kept until its transmission ends without a collision.
    pub(in crate::net) kept: Option<Frame>,
    pub(in crate::net) tries: u32,
    pub(in crate::net) heard: Option<Frame>,
    pub(in crate::net) queue_waits: bool,
}

impl Ethernet {
    /// An idle port, with timers for the end of sending, of receiving, of the backoff, and of the gap.
    pub fn new(timers: [TimerId; 4]) -> Ethernet {
        Ethernet { state: State::Idle, timers, kept: None, tries: 1, heard: None, queue_waits: false }
    }
}

impl Ethernet {
    /// Number of frames held: the one to send and the one being received.
    pub fn holds_packets(&self) -> usize {
        usize::from(self.kept.is_some()) + usize::from(self.heard.is_some())
    }
}
