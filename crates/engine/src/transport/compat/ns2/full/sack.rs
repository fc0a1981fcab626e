//! The sender's SACK scoreboard in two-way TCP: which data the peer holds, and which hole to fill next.
//!
//! Source: RFC 2018; ns-2.35's `Agent/TCP/FullTcp/Sack`.

use super::reassembly::Reassembly;
use crate::params::Params;

/// SACK parameters, with ns-2's names.
#[derive(Clone, Debug, Params)]
pub struct SackSettings {
    /// A timeout clears the scoreboard.
    #[param(state)]
    pub clear_on_timeout: bool,
    /// Maximum number of SACK blocks per ACK.
    #[param(state)]
    pub max_sack_blocks: i32,
    /// Size of a block in the header, bytes.
    #[param(state)]
    pub sack_block_size: i32,
    /// Size of the option without blocks, bytes.
    #[param(state)]
    pub sack_option_size: i32,
    /// Minimum number of SACKed bytes above a hole before its retransmission.
    #[param(state)]
    pub sack_rtx_bthresh: i32,
    /// Minimum number of SACK blocks above a hole before its retransmission.
    #[param(state)]
    pub sack_rtx_cthresh: i32,
    /// Which thresholds apply: 0 none, 1 blocks, 2 bytes, 3 either, 4 both.
    #[param(state)]
    pub sack_rtx_threshmode: i32,
}

impl Default for SackSettings {
    fn default() -> SackSettings {
        SackSettings {
            clear_on_timeout: true,
            max_sack_blocks: 3,
            sack_block_size: 8,
            sack_option_size: 2,
            sack_rtx_bthresh: 1,
            sack_rtx_cthresh: 1,
            sack_rtx_threshmode: 1,
        }
    }
}

/// The sender's SACK state.
#[derive(Clone, Debug)]
pub struct SackSender {
    /// Parameters.
    pub set: SackSettings,
    /// The data that the peer reported.
    pub reported: Reassembly,
    /// Lower end of the scoreboard, initially -1.
    least: i32,
    /// Where the search for holes continues, initially -1.
    next: i32,
}

impl Default for SackSender {
    fn default() -> SackSender {
        SackSender { set: SackSettings::default(), reported: Reassembly::default(), least: -1, next: -1 }
    }
}

impl SackSender {
    /// Resets the state; the parameters are kept.
    pub fn clear(&mut self) {
        self.reported.clear();
        self.least = -1;
        self.next = -1;
    }

    /// Handles a timeout: clears the scoreboard if `clear_on_timeout` is set.
    pub fn on_timeout(&mut self, ack: i32) {
        if self.set.clear_on_timeout {
            self.reported.clear();
            self.least = ack;
        }
    }

    /// Processes the SACK blocks of an ACK. An empty block is valid only with a FIN, and a reversed one never.
    pub fn take(&mut self, blocks: &[(i32, i32)], is_fin: bool) {
        if self.set.max_sack_blocks <= 0 {
            return;
        }
        for &(first, after) in blocks {
            if after > first || (is_fin && after == first) {
                self.reported.add(first, after, 0, &mut self.least);
            }
        }
    }

    /// Processes a cumulative ACK of everything below `ack`.
    pub fn acknowledged(&mut self, ack: i32) {
        if !self.reported.is_empty() && self.least < ack {
            self.least = ack;
            self.reported.clear_to(ack);
        }
        self.next = self.next.max(ack);
    }

    /// Updates the state after sending `bytes` from `seqno`.
    pub fn sent(&mut self, seqno: i32, bytes: i32) {
        if seqno == self.next {
            self.next += bytes;
        }
    }

    /// Starts the search for holes at `seqno`, when recovery begins.
    pub fn look_from(&mut self, seqno: i32) {
        self.next = seqno;
    }

    /// The next hole to fill with a segment of `segment` bytes.
    pub fn hole(&mut self, segment: i32) -> Option<i32> {
        let set = &self.set;
        let mut seqno = self.next;
        loop {
            let hole = self.reported.next_hole(seqno).filter(|hole| hole.start > 0)?;
            let blocks = hole.blocks_above >= set.sack_rtx_cthresh;
            let bytes = hole.bytes_above >= set.sack_rtx_bthresh;
            let is_due = match set.sack_rtx_threshmode {
                0 => true,
                1 => blocks,
                2 => bytes,
                3 => blocks || bytes,
                4 => blocks && bytes,
                _ => false,
            };
            if is_due {
                self.next = self.next.max(hole.start);
                return Some(hole.start);
            }
            if hole.blocks_above <= 0 {
                return None;
            }
            seqno = hole.start + segment;
        }
    }
}
