//! A congestion control from outside the engine.
//!
//! A [`super::compat::ns2::window_law::WindowLaw`] is asked for growth in congestion avoidance and for what a cut leaves.
//! Who writes a control of his own wants to decide about all of the window: slow start, what a loss, a mark and a timeout
//! do to it. Such a control is not in the tables; a sender is given it ([`crate::transport::agent::Agent::set_control`]).
//! What to retransmit stays its recovery's.

/// What has happened to a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ControlEvent {
    /// The connection starts, or starts anew.
    Start,
    /// An ACK of new data came outside recovery.
    Ack {
        /// Packets that it acknowledges.
        packets: i32,
        /// It echoes a congestion mark.
        marked: bool,
        /// Packets that it newly tells to have been marked: as `marked` where marks are not counted.
        marked_packets: i32,
        /// The round trip of the packet that it answers, s, if it tells.
        rtt_s: Option<f64>,
        /// How fast packets were delivered while the last of them was on its way, packets/s; only `tcp` samples it.
        delivery_per_s: Option<f64>,
        /// The application, not the path, held that rate down.
        is_app_limited: bool,
    },
    /// Duplicate ACKs tell of a loss, and the lost packet is about to be retransmitted.
    Loss,
    /// A congestion mark was echoed, the first in a round trip.
    Mark,
    /// The retransmission timer has expired with packets in flight.
    Timeout,
    /// The last loss or timeout was none (only `tcp` finds that out): the window is as before it.
    Undone,
}

/// A sender as its control sees it. Windows are in packets.
#[derive(Clone, Copy, Debug)]
pub struct ControlState {
    /// The present instant, s.
    pub now_s: f64,
    /// The congestion window, to be changed; at least 1 and finite.
    pub cwnd: f64,
    /// The slow-start threshold, to be changed; below 2 it counts as 2.
    pub ssthresh: i32,
    /// What may be in flight: the window with what duplicate ACKs add to it, at most the receiver's.
    pub window: f64,
    /// Packets sent and not acknowledged.
    pub in_flight: i32,
    /// Bytes of data in a packet.
    pub mss_bytes: i32,
    /// The smoothed round-trip time, s, once there is a sample (RFC 6298, with a clock that does not tick).
    pub srtt_s: Option<f64>,
    /// The shortest round trip so far, s.
    pub min_rtt_s: Option<f64>,
    /// The window, not the application or the receiver, limits the sender; others than `tcp` do not look.
    pub is_limited: bool,
    /// The rate to send at, packets/s, to be changed; without one ACKs say when. Only `tcp` goes by it.
    pub pacing_per_s: Option<f64>,
}

/// A congestion control.
pub trait Control: Send + Sync {
    /// What becomes of the window and the threshold.
    ///
    /// # Errors
    /// When it cannot decide, with the reason: the simulation stops.
    fn decide(&mut self, sign: ControlEvent, state: &mut ControlState) -> Result<(), String>;
}
