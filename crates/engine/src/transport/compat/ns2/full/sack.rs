//! The sender's side of SACK: what the peer holds, and which hole is filled next.
//!
//! Source: RFC 2018; ns-2.35's `Agent/TCP/FullTcp/Sack`.

use super::reassembly::Reassembly;
use super::segment::State;
use super::socket::FullTcp;
use crate::params;

/// What can be set. The names are ns-2's.
#[derive(Clone, Debug)]
pub struct SackSettings {
    /// A timeout forgets what the peer told.
    pub clear_on_timeout: bool,
    /// The most blocks that an ACK carries.
    pub max_sack_blocks: i32,
    /// Bytes of a block in the header.
    pub sack_block_size: i32,
    /// Bytes of the option without blocks.
    pub sack_option_size: i32,
    /// Bytes that must be held above a hole.
    pub sack_rtx_bthresh: i32,
    /// Blocks that must be held above a hole.
    pub sack_rtx_cthresh: i32,
    /// Which of the two counts: 0 neither, 1 blocks, 2 bytes, 3 one of them, 4 both.
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

params!(SackSettings {
    clear_on_timeout,
    max_sack_blocks,
    sack_block_size,
    sack_option_size,
    sack_rtx_bthresh,
    sack_rtx_cthresh,
    sack_rtx_threshmode,
});

/// What the sender knows of what the peer holds.
#[derive(Clone, Debug)]
pub struct SackSender {
    /// What can be set.
    pub set: SackSettings,
    /// What the peer holds.
    pub told: Reassembly,
    /// Below this nothing is known, -1 before there is anything.
    least: i32,
    /// Where the search for holes goes on, -1 before there is one.
    next: i32,
}

impl Default for SackSender {
    fn default() -> SackSender {
        SackSender { set: SackSettings::default(), told: Reassembly::default(), least: -1, next: -1 }
    }
}

impl SackSender {
    /// Forgets all but the settings.
    pub fn clear(&mut self) {
        self.told.clear();
        self.least = -1;
        self.next = -1;
    }

    /// A timeout: forgets what the peer told, if that is set.
    pub fn on_timeout(&mut self, ack: i32) {
        if self.set.clear_on_timeout {
            self.told.clear();
            self.least = ack;
        }
    }

    /// Takes in the blocks of an ACK. One that is empty or upside down only counts with a FIN.
    pub fn take(&mut self, blocks: &[(i32, i32)], is_fin: bool) {
        if self.set.max_sack_blocks <= 0 {
            return;
        }
        for &(first, after) in blocks {
            if after > first || (is_fin && after == first) {
                self.told.add(first, after, 0, &mut self.least);
            }
        }
    }

    /// All below `ack` is acknowledged.
    pub fn acknowledged(&mut self, ack: i32) {
        if !self.told.is_empty() && self.least < ack {
            self.least = ack;
            self.told.clear_to(ack);
        }
        self.next = self.next.max(ack);
    }

    /// `bytes` from `seqno` on were sent.
    pub fn sent(&mut self, seqno: i32, bytes: i32) {
        if seqno == self.next {
            self.next += bytes;
        }
    }

    /// Recovery begins: the search for holes goes on at `seqno`.
    pub fn look_from(&mut self, seqno: i32) {
        self.next = seqno;
    }

    /// The next hole to fill, with segments of `segment` bytes.
    pub fn hole(&mut self, segment: i32) -> Option<i32> {
        let set = &self.set;
        let mut seqno = self.next;
        loop {
            let hole = self.told.next_hole(seqno).filter(|hole| hole.start > 0)?;
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

impl FullTcp {
    /// Whether byte `seqno` may be sent while the pipe estimate limits sending.
    pub fn fits_pipe(&self, seqno: i32) -> bool {
        let segment = self.set.segsize;
        let top = (*self.tcp.ack).wrapping_add((self.tcp.config.window as i32).wrapping_mul(segment));
        if seqno >= top || (self.state != State::Established && seqno > *self.tcp.seqno) {
            return false;
        }
        self.pipe < (*self.tcp.cwnd as i32).wrapping_mul(segment)
    }
}
