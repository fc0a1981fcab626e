//! The scoreboard of rate halving: the state of each packet above the last cumulative ACK.

use std::collections::VecDeque;

/// A packet's state.
#[derive(Clone, Copy, Debug, Default)]
struct PacketState {
    /// SACKed.
    is_held: bool,
    /// Retransmitted.
    is_again: bool,
    /// The next new packet at the time of the retransmission.
    next_then: i32,
    /// Number of times it was reported missing.
    reports: i32,
}

impl PacketState {
    /// Clears the retransmission state. Returns whether the packet was retransmitted.
    fn end_again(&mut self) -> bool {
        self.next_then = 0;
        std::mem::take(&mut self.is_again)
    }
}

/// The packets from the first unacknowledged one on.
#[derive(Debug, Default)]
pub struct Scoreboard {
    first: i32,
    entries: VecDeque<PacketState>,
    /// The last reduction in which a retransmitted packet arrived.
    pub arrived_in: i32,
}

impl Scoreboard {
    fn end(&self) -> i32 {
        self.first + self.entries.len() as i32
    }

    fn upto(&mut self, end: i32) -> impl Iterator<Item = (i32, &mut PacketState)> {
        let first = self.first;
        (first..end).zip(self.entries.iter_mut())
    }

    fn extend(&mut self, end: i32) {
        while self.end() < end {
            self.entries.push_back(PacketState::default());
        }
    }

    /// Processes an ACK. Returns the number of retransmitted packets that left the network. `reduction` is the current
    /// reduction's number.
    pub fn update(&mut self, last_ack: i32, blocks: &[(i32, i32)], reduction: i32) -> i32 {
        if self.entries.is_empty() {
            if blocks.is_empty() {
                return 0;
            }
            self.first = last_ack + 1;
            self.entries.push_back(PacketState::default());
        }
        let mut arrived = 0;
        while self.first <= last_ack {
            let Some(mut entry) = self.entries.pop_front() else { break };
            self.first += 1;
            arrived += i32::from(entry.end_again());
        }
        for &(left, right) in blocks {
            self.extend(right);
            for (_, entry) in self.upto(right).filter(|&(seqno, _)| seqno >= left) {
                entry.is_held = true;
                arrived += i32::from(entry.end_again());
            }
        }
        if arrived > 0 {
            self.arrived_in = reduction;
        }
        let highest = blocks.iter().map(|&(_, right)| right).fold(0, i32::max);
        let mut lost = 0;
        for (_, entry) in self.upto(highest) {
            if !entry.is_held {
                entry.reports += 1;
            }
            if entry.is_again && entry.next_then < highest {
                entry.end_again();
                entry.reports = 1;
                lost += 1;
            }
        }
        arrived + lost
    }

    /// The first packet that was reported missing at least `reports` times and not retransmitted.
    pub fn next_missing(&self, reports: i32) -> Option<i32> {
        let missing = |entry: &PacketState| !entry.is_held && !entry.is_again && entry.reports >= reports;
        self.entries.iter().position(missing).map(|place| self.first + place as i32)
    }

    /// Marks a packet as retransmitted; `next` is the next new packet.
    pub fn sent_again(&mut self, seqno: i32, next: i32) {
        if let Some(entry) = self.entries.get_mut((seqno - self.first) as usize) {
            (entry.is_again, entry.next_then) = (true, next);
        }
    }

    /// The highest packet that the receiver holds.
    pub fn highest(&self, last_ack: i32) -> i32 {
        if self.entries.is_empty() { last_ack } else { self.end() - 1 }
    }

    /// Number of packets reported missing for the first time.
    pub fn new_holes(&self) -> i32 {
        self.entries.iter().filter(|entry| !entry.is_held && entry.reports == 1).count() as i32
    }

    /// Handles a timeout: all missing packets below `next`, and always the first one, become due for retransmission.
    pub fn time_out(&mut self, next: i32, reports: i32) {
        if self.entries.is_empty() {
            return;
        }
        self.extend(next);
        for (place, entry) in self.entries.iter_mut().enumerate() {
            if !entry.is_held || place == 0 {
                *entry = PacketState { reports, ..PacketState::default() };
            }
        }
    }
}
