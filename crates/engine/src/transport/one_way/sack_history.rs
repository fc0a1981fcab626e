//! Generation of SACK blocks at the receiver (RFC 2018, RFC 2883), as in ns-2.35's `Agent/TCPSink/Sack1`.
//!
//! Source: ns-2.35's `Agent/TCPSink/Sack1`; RFC 2018; RFC 2883 for blocks that report duplicates (D-SACK).
//! What it decides: the blocks of each ACK and their order. First a D-SACK block if enabled, then the block of the
//! packet just received, then earlier blocks, most recent first.
//! With D-SACK and a limit of one block, only the D-SACK block is sent.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use crate::packet::SackBlocks;
use crate::transport::one_way::received::ReceivedPackets;

/// Maximum number of SACK blocks in ns-2's TCP header.
pub const HEADER_BLOCKS: i32 = 3;

/// The blocks reported before, most recent first.
#[derive(Default)]
pub struct SackHistory {
    runs: Vec<(i32, i32)>,
}

impl SackHistory {
    /// Clears the history.
    pub fn reset(&mut self) {
        self.runs.clear();
    }

    /// The SACK blocks, at most `most`, of the ACK for packet `seqno`; `None` if there are none. `window` must already
    /// hold the packet.
    #[inline]
    pub fn blocks(
        &mut self,
        window: &ReceivedPackets,
        seqno: i32,
        most: i32,
        report_duplicates: bool,
    ) -> Option<SackBlocks> {
        let all_in_order = window.in_order() >= window.highest() && !window.was_duplicate();
        if all_in_order && self.runs.is_empty() {
            return None;
        }
        let most = most.clamp(0, HEADER_BLOCKS) as usize;
        Some(self.blocks_of(window, seqno, most, report_duplicates)).filter(|blocks| !blocks.as_slice().is_empty())
    }

    fn blocks_of(&mut self, window: &ReceivedPackets, seqno: i32, most: usize, report_duplicates: bool) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        let in_order = window.in_order();
        let highest = window.highest();
        if seqno < 0 {
            return blocks;
        }
        if in_order >= highest && !self.runs.is_empty() {
            self.runs.clear();
            return blocks;
        }
        if (in_order >= highest && !window.was_duplicate()) || most == 0 {
            return blocks;
        }
        if report_duplicates && window.was_duplicate() {
            blocks.push(seqno, seqno + 1);
            if most == 1 {
                return blocks;
            }
        }
        // The block around the packet. Below the cumulative ACK, ring slots may already hold later packets. The search
        // uses the slots nevertheless, because its end decides which old blocks are dropped.
        let after = (seqno..=highest).find(|&other| !window.holds(other)).unwrap_or(highest + 1);
        let is_new = seqno > in_order;
        let first = if is_new {
            // Most packets extend the block reported last, which is complete: continue the search before it.
            let held_from = match self.runs.first() {
                Some(&(first, after)) if first > in_order && (first..=after).contains(&seqno) => first,
                _ => after,
            };
            (in_order + 1..held_from).rev().find(|&other| !window.holds(other)).map_or(-1, |hole| hole + 1)
        } else {
            0
        };
        if is_new {
            blocks.push(first, after);
        }
        let mut index = 0;
        while blocks.as_slice().len() < most {
            let Some(&(old_first, old_after)) = self.runs.get(index) else { break };
            if old_first < 0 || old_after < 0 || old_after > highest + 1 {
                break;
            }
            if first <= old_first && after >= old_after {
                self.runs.remove(index);
                continue;
            }
            blocks.push(old_first, old_after);
            index += 1;
        }
        if is_new {
            self.runs.truncate(most - 1);
            self.runs.insert(0, (first, after));
        }
        blocks
    }
}
