//! State of AccECN.
//!
//! Source: RFC 9768, 3.2; Linux 7.2's `struct tcp_sock`. What it decides: nothing.

use super::super::clock::Instant;
use super::super::segment::EcnCodepoint;
use super::super::seq::SeqNum;

/// What does not work on this path; bits of [`AccEcn::fail_mode`] (`TCP_ACCECN_*_FAIL_*`).
pub(super) mod fail {
    pub const ACE_SEND: u8 = 1;
    pub const ACE_RECV: u8 = 2;
    pub const OPT_SEND: u8 = 4;
    pub const OPT_RECV: u8 = 8;
}

/// What was seen of the peer's option (`saw_accecn_opt`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OptionSeen {
    #[default]
    Nothing,
    /// Without fields.
    Empty,
    /// With counters.
    Counter,
    /// With counters that a middlebox has cleared.
    Cleared,
}

/// Counters and state of AccECN, with Linux's names.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct AccEcn {
    /// ECN field of the peer's SYN or SYN-ACK.
    pub(super) syn_ect_rcv: EcnCodepoint,
    /// Marked packets received; the last values of ACE add [`super::CEP_INIT`].
    pub(super) received_ce: u32,
    /// Those that no ACK has reported.
    pub(super) received_ce_pending: u32,
    /// Bytes received with ECT(1), ECT(0), CE.
    pub(super) received_ecn_bytes: [u32; 3],
    /// Bytes that the peer reports.
    pub(super) delivered_ecn_bytes: [u32; 3],
    /// Packets that the peer reports as marked.
    pub(super) delivered_ce: u32,
    /// Fields that the next option must have at least.
    pub(super) minlen: u32,
    /// Options that must be sent.
    pub(super) opt_demand: u8,
    /// When the last option was sent.
    pub(super) opt_tstamp: Option<Instant>,
    /// The last option was sent beside a D-SACK block.
    pub(super) opt_sent_w_dsack: bool,
    pub(super) prev_ecnfield: EcnCodepoint,
    /// The counter that grew last, as an index plus one; 0 if ambiguous.
    pub(super) est_ecnfield: usize,
    /// Bits of [`fail`].
    pub(super) fail_mode: u8,
    pub(super) saw_opt: OptionSeen,
    /// Average of packets per ACK, times 64.
    pub(super) pkts_acked_ewma: u32,
    /// SND.UNA before the segment that is processed.
    pub(super) prior_snd_una: SeqNum,
    /// The segment that is processed has a newer timestamp (`FLAG_TS_PROGRESS`).
    pub(in super::super) has_ts_progress: bool,
}
