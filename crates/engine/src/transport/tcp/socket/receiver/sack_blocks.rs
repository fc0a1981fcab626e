//! SACK and D-SACK blocks of the next ACK, in the order in which they are sent.
//!
//! Source: RFC 2018, 4 (the first block has the segment that triggered the ACK; then the most recent blocks); RFC 2883, 4
//! (a D-SACK block comes first); Linux's `tcp_sack_new_ofo_skb`, `tcp_sack_maybe_coalesce`, `tcp_sack_remove`,
//! `tcp_dsack_set`, `tcp_dsack_extend` (net/ipv4/tcp_input.c).
//! What it decides: which blocks an ACK carries.
//! Departures: none.
//! Not implemented: nothing.
//! Checked against: packetdrill scripts of `sack`; RFC 2018's example by hand, below.

use super::super::Socket;
use super::super::segment::{MAX_SACK_BLOCKS, Options, SackBlock};
use super::super::seq::SeqNum;

/// More blocks than this in a series of ACKs are not held back (`TCP_SACK_BLOCKS_EXPECTED`).
const TCP_SACK_BLOCKS_EXPECTED: usize = 2;

/// The blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct SackBlocks {
    /// `selective_acks`: most recently changed first.
    selective_acks: [SackBlock; MAX_SACK_BLOCKS],
    num_sacks: usize,
    /// `duplicate_sack`: the D-SACK block of the next ACK.
    duplicate_sack: Option<SackBlock>,
    /// Where the last D-SACK block began.
    pub(in super::super) last_duplicate: SeqNum,
}

/// Extends `block` by a range that touches it (`tcp_sack_extend`); returns whether it does.
fn extend(block: &mut SackBlock, start: SeqNum, end: SeqNum) -> bool {
    let touches = !start.after(block.end) && !block.start.after(end);
    if touches {
        block.start = block.start.min(start);
        block.end = block.end.max(end);
    }
    touches
}

impl SackBlocks {
    /// Number of blocks without the D-SACK block.
    #[inline]
    pub(in super::super) fn num_sacks(&self) -> usize {
        self.num_sacks
    }

    /// Number of blocks (`eff_sacks`).
    #[inline]
    pub(in super::super) fn eff_sacks(&self) -> usize {
        self.num_sacks + usize::from(self.duplicate_sack.is_some())
    }

    /// The blocks that arrived data needs, most recent first.
    pub(in super::super) fn blocks(&self) -> &[SackBlock] {
        &self.selective_acks[..self.num_sacks]
    }

    /// Writes as many blocks as fit into the options; a D-SACK block comes first and is sent once.
    pub(in super::super) fn write(&mut self, options: &mut Options, max: usize) {
        let mut left = max;
        if let Some(block) = self.duplicate_sack.take()
            && left > 0
        {
            options.push_sack(block);
            left -= 1;
        }
        for &block in self.blocks().iter().take(left) {
            options.push_sack(block);
        }
    }

    /// There is only this block: the first data after a gap.
    pub(super) fn set_only(&mut self, start: SeqNum, end: SeqNum) {
        self.selective_acks[0] = SackBlock { start, end };
        self.num_sacks = 1;
    }

    /// Data arrived out of order (`tcp_sack_new_ofo_skb`). Returns whether ACKs that are held back must be sent first,
    /// since the peer would miss blocks otherwise.
    pub(super) fn new_ofo_skb(&mut self, start: SeqNum, end: SeqNum) -> bool {
        let found = self.selective_acks[..self.num_sacks].iter_mut().position(|block| extend(block, start, end));
        if let Some(at) = found {
            self.selective_acks[..=at].rotate_right(1);
            self.coalesce();
            return at >= TCP_SACK_BLOCKS_EXPECTED;
        }
        let must_send = self.num_sacks >= TCP_SACK_BLOCKS_EXPECTED;
        // The oldest block is forgotten if there are too many.
        self.num_sacks = (self.num_sacks + 1).min(MAX_SACK_BLOCKS);
        self.selective_acks[..self.num_sacks].rotate_right(1);
        self.selective_acks[0] = SackBlock { start, end };
        must_send
    }

    /// Merges blocks that the first one has come to touch (`tcp_sack_maybe_coalesce`).
    fn coalesce(&mut self) {
        let mut at = 1;
        while at < self.num_sacks {
            let block = self.selective_acks[at];
            if extend(&mut self.selective_acks[0], block.start, block.end) {
                self.selective_acks.copy_within(at + 1..self.num_sacks, at);
                self.num_sacks -= 1;
            } else {
                at += 1;
            }
        }
    }

    /// Removes the blocks that are in order now (`tcp_sack_remove`).
    pub(super) fn remove(&mut self, rcv_nxt: SeqNum, no_gap: bool) {
        if no_gap {
            self.num_sacks = 0;
            return;
        }
        let mut kept = 0;
        for at in 0..self.num_sacks {
            let block = self.selective_acks[at];
            if rcv_nxt.before(block.start) {
                self.selective_acks[kept] = block;
                kept += 1;
            }
        }
        self.num_sacks = kept;
    }

    /// Forgets all blocks (`tcp_sack_reset`).
    pub(in super::super) fn reset(&mut self) {
        self.num_sacks = 0;
        self.duplicate_sack = None;
    }

    /// Forgets the D-SACK block.
    #[inline]
    pub(super) fn clear_dsack(&mut self) {
        self.duplicate_sack = None;
    }
}

impl Socket {
    /// Reports a range that was received before (`tcp_dsack_set`).
    pub(in super::super) fn dsack_set(&mut self, start: SeqNum, end: SeqNum) {
        if self.rx_opt.sack_ok && self.config.dsack {
            self.rcv.sacks.duplicate_sack = Some(SackBlock { start, end });
            self.rcv.sacks.last_duplicate = start;
        }
    }

    /// Extends the range that was received before (`tcp_dsack_extend`).
    pub(super) fn dsack_extend(&mut self, start: SeqNum, end: SeqNum) {
        match &mut self.rcv.sacks.duplicate_sack {
            Some(block) => {
                extend(block, start, end);
            }
            None => self.dsack_set(start, end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(sacks: &SackBlocks) -> Vec<(u32, u32)> {
        sacks.blocks().iter().map(|block| (block.start.0, block.end.0)).collect()
    }

    // RFC 2018, 7, case 3: segments 5500 to 8500 of 500 bytes; the 2nd, 4th, 6th and 8th are lost; the blocks are
    // those of the table, then the 4th and the 2nd arrive.
    #[test]
    fn the_example_of_rfc_2018() {
        let mut sacks = SackBlocks::default();
        sacks.set_only(SeqNum(6000), SeqNum(6500));
        sacks.new_ofo_skb(SeqNum(7000), SeqNum(7500));
        sacks.new_ofo_skb(SeqNum(8000), SeqNum(8500));
        assert_eq!(list(&sacks), [(8000, 8500), (7000, 7500), (6000, 6500)]);
        sacks.new_ofo_skb(SeqNum(6500), SeqNum(7000));
        assert_eq!(list(&sacks), [(6000, 7500), (8000, 8500)]);
        sacks.remove(SeqNum(7500), false);
        assert_eq!(list(&sacks), [(8000, 8500)]);
    }

    // RFC 2018, 4: the oldest block is dropped when there are more than fit.
    #[test]
    fn a_fifth_block_pushes_out_the_oldest() {
        let mut sacks = SackBlocks::default();
        sacks.set_only(SeqNum(100), SeqNum(200));
        for start in [300, 500, 700, 900] {
            sacks.new_ofo_skb(SeqNum(start), SeqNum(start + 100));
        }
        assert_eq!(list(&sacks), [(900, 1000), (700, 800), (500, 600), (300, 400)]);
    }
}
