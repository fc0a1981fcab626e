//! The per-packet scoreboard of ns-2.35, for FACK: one entry for each packet between the last ACK and the highest SACK
//! block. A retransmitted packet is in flight until it is acknowledged.
//!
//! Source: M. Mathis and J. Mahdavi, "Forward acknowledgement: refining TCP congestion control", SIGCOMM 1996;
//! ns-2.35's first scoreboard.

use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, Default)]
struct PacketState {
    arrived: bool,
    /// For a retransmitted packet: the next new packet at that time.
    retransmitted_before: Option<i32>,
}

/// The entries of consecutive packets.
#[derive(Clone, Debug, Default)]
pub struct SegmentScoreboard {
    first: i32,
    entries: VecDeque<PacketState>,
}

impl SegmentScoreboard {
    /// Clears the scoreboard.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Processes an ACK up to `ack` with these SACK blocks. Returns the number of retransmitted packets that it
    /// acknowledges.
    pub fn update(&mut self, ack: i32, blocks: &[(i32, i32)]) -> i32 {
        let mut delivered = 0;
        while self.first <= ack
            && let Some(entry) = self.entries.pop_front()
        {
            self.first += 1;
            delivered += i32::from(entry.retransmitted_before.is_some());
        }
        if self.entries.is_empty() && !blocks.is_empty() {
            self.first = ack + 1;
            self.entries.push_back(PacketState::default());
        }
        for &(first, after) in blocks {
            let needed = (after - self.first).max(0) as usize;
            if needed > self.entries.len() {
                self.entries.resize(needed, PacketState::default());
            }
            let from = (first - self.first).max(0) as usize;
            for entry in self.entries.range_mut(from.min(needed)..needed) {
                entry.arrived = true;
                delivered += i32::from(entry.retransmitted_before.take().is_some());
            }
        }
        delivered
    }

    /// Whether these SACK blocks show that a retransmission was lost, because a packet sent after it has arrived. The
    /// lost packet is then marked as not retransmitted.
    pub fn lost_again(&mut self, blocks: &[(i32, i32)]) -> bool {
        let mut lost = false;
        for &(_, after) in blocks {
            let end = (after - self.first).clamp(0, self.entries.len() as i32) as usize;
            for entry in self.entries.range_mut(..end) {
                if entry.retransmitted_before.is_some_and(|next| next < after) {
                    entry.retransmitted_before = None;
                    lost = true;
                }
            }
        }
        lost
    }

    /// The lowest packet that is neither SACKed nor retransmitted.
    pub fn next_lost(&self) -> Option<i32> {
        let lost = |entry: &PacketState| !entry.arrived && entry.retransmitted_before.is_none();
        self.entries.iter().position(lost).map(|offset| self.first + offset as i32)
    }

    /// Marks packet `seqno` as retransmitted; `next` is the next new packet.
    pub fn retransmitted(&mut self, seqno: i32, next: i32) {
        let entry = usize::try_from(seqno - self.first).ok().and_then(|offset| self.entries.get_mut(offset));
        if let Some(entry) = entry {
            entry.retransmitted_before = Some(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Computed by hand: packets 1 and 3 of 0..6 are lost.
    #[test]
    fn retransmissions_are_in_flight_until_acknowledged() {
        let mut board = SegmentScoreboard::default();
        assert_eq!(board.update(0, &[(2, 3)]), 0);
        assert_eq!(board.update(0, &[(4, 6), (2, 3)]), 0);
        assert_eq!(board.next_lost(), Some(1));
        board.retransmitted(1, 6);
        assert_eq!(board.next_lost(), Some(3));
        board.retransmitted(3, 6);
        assert_eq!(board.next_lost(), None);
        assert_eq!(board.update(2, &[(4, 7)]), 1);
        assert!(board.lost_again(&[(4, 7)]));
        assert_eq!(board.next_lost(), Some(3));
    }
}
