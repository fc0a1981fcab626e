//! A chunk in the send buffer.

use crate::packet::sctp::Data;

/// Why a chunk is to be retransmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is not.
    None,
    /// Missing reports.
    Fast,
    /// A timeout.
    Timeout,
}

/// A chunk that was sent and is not cumulatively acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Unacknowledged {
    /// The chunk.
    pub data: Data,
    /// It was given up (RFC 3758).
    pub is_given_up: bool,
    /// A gap block has acknowledged it.
    pub is_gap_acked: bool,
    /// It was added to `partial_bytes_acked`.
    pub is_in_partial: bool,
    /// Times that it was reported missing.
    pub missing_reports: i32,
    /// Retransmissions that it may have on an unreliable stream.
    pub limit: i32,
    /// Whether it is to be retransmitted.
    pub mark: Mark,
    /// Whether it was fast retransmitted, which it may be once.
    pub was_fast_retransmitted: bool,
    /// Transmissions.
    pub transmissions: i32,
    /// When it was sent, s.
    pub sent_s: f64,
    /// Whether it measures the round trip.
    pub measures_rtt: bool,
    /// The destination that it was last sent to.
    pub destination: usize,
    /// With repeated fast retransmissions: the highest outstanding TSN at the last one.
    pub fast_rtx_recover: u32,
}
