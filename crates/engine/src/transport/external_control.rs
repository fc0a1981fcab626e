//! The interface of an external (user-defined) congestion control.
//!
//! A [`super::compat::ns2::window_law::WindowLaw`] decides only the growth in congestion avoidance and the window after
//! a reduction. A user-defined control decides about the whole window: slow start, and the responses to a loss, a mark
//! and a timeout. It is not in the registry; a sender receives it from [`crate::transport::agent::Agent::set_control`].
//! The sender's own loss recovery still decides what to retransmit.

/// An event at a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ControlEvent {
    /// The connection starts or restarts.
    Start,
    /// An ACK of new data arrived outside recovery.
    Ack {
        /// Newly acknowledged packets.
        packets: i32,
        /// The ACK carries ECE.
        marked: bool,
        /// Packets newly reported as marked; equal to `marked` where the receiver does not count marks.
        marked_packets: i32,
        /// RTT sample, s, if any.
        rtt_s: Option<f64>,
        /// Delivery rate sample, packets/s; only `tcp` provides it.
        delivery_per_s: Option<f64>,
        /// The sample is application-limited.
        is_app_limited: bool,
    },
    /// Duplicate ACKs indicate a loss; the lost packet is about to be retransmitted.
    Loss,
    /// The first congestion mark in a round trip was echoed.
    Mark,
    /// The retransmission timer expired with packets in flight.
    Timeout,
    /// The last loss or timeout was spurious (only `tcp` detects it): the window is restored.
    Undone,
}

/// The sender's state that a control reads and changes. Windows are in packets.
#[derive(Clone, Copy, Debug)]
pub struct ControlState {
    /// The present time, s.
    pub now_s: f64,
    /// The congestion window (writable); at least 1 and finite.
    pub cwnd: f64,
    /// The slow-start threshold (writable); a value below 2 counts as 2.
    pub ssthresh: i32,
    /// The usable window: the congestion window plus the inflation by duplicate ACKs, at most the receiver's window.
    pub window: f64,
    /// Packets that are sent and not acknowledged.
    pub in_flight: i32,
    /// Bytes of data per packet.
    pub mss_bytes: i32,
    /// The smoothed RTT, s, after the first sample (RFC 6298, without clock granularity).
    pub srtt_s: Option<f64>,
    /// The min RTT so far, s.
    pub min_rtt_s: Option<f64>,
    /// The sender is cwnd-limited, not limited by the application or the receiver. Only `tcp` checks this.
    pub is_limited: bool,
    /// The pacing rate, packets/s (writable); `None` means ACK clocking. Only `tcp` uses it.
    pub pacing_per_s: Option<f64>,
}

/// A congestion control.
pub trait ExternalCongestionOps: Send + Sync {
    /// Handles an event: sets the window and the threshold in `state`.
    ///
    /// # Errors
    /// A message, when it cannot decide; the simulation stops.
    fn decide(&mut self, sign: ControlEvent, state: &mut ControlState) -> Result<(), String>;
}
