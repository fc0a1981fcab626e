//! What happens to a TCP connection, as its sender sees it: for recordings of connections.

use crate::packet::segment::{SackBlock, Segment};
use crate::packet::seq::SeqNum;

/// Something that happened. Sequence numbers are those of the wire.
#[derive(Clone, Copy, Debug)]
pub enum ConnectionEvent<'a> {
    /// A segment, of one packet, is sent.
    Sent(&'a Segment),
    /// A segment has arrived.
    Received(&'a Segment),
    /// A range of what was sent is marked lost.
    Lost(SackBlock),
    /// The state of congestion control and recovery after all that happened at this time.
    State(&'a ConnectionState),
}

/// Windows, RTTs and the state of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConnectionState {
    /// SND.UNA.
    pub snd_una: SeqNum,
    /// The maximum segment size less the options that every segment has, bytes.
    pub mss_bytes: u32,
    /// The congestion window, packets.
    pub cwnd_packets: f64,
    /// The slow-start threshold, packets; infinite at first.
    pub ssthresh_packets: f64,
    /// Packets in flight (RFC 6675, `pipe`).
    pub in_flight_packets: u32,
    /// Smoothed RTT, us; 0 before the first sample.
    pub smoothed_rtt_us: u32,
    /// Minimum RTT, us, if there was a sample.
    pub min_rtt_us: Option<u32>,
    /// The last RTT sample, us; 0 before the first.
    pub latest_rtt_us: u32,
    /// The pacing rate, bytes/s, if there is one.
    pub pacing_bytes_per_s: Option<u64>,
    /// Retransmission timeouts in a row.
    pub timeouts: u8,
    /// The state of the control's own model, or slow start, congestion avoidance, or a reduction.
    pub state: &'static str,
}
