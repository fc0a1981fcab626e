//! The queue of one link, reconstructed from its trace lines.

use std::collections::VecDeque;

use crate::columns::PacketEvent;
use crate::read::packet_line::PacketLine;

/// A queue: each packet is in it from its `+` to its `-` or `d`.
#[derive(Default)]
pub struct Waiting {
    /// Packet id, enqueue time (s), bytes.
    packets: VecDeque<(i64, f64, i32)>,
    bytes: i64,
    most: usize,
}

impl Waiting {
    /// Processes a line of the link; returns the queueing delay of a dequeued packet, s.
    #[inline]
    pub fn take(&mut self, line: &PacketLine) -> Option<f64> {
        // A packet that is dropped on arrival was never queued: the length counts at the next event.
        if line.event != PacketEvent::Drop {
            self.most = self.most.max(self.packets.len());
        }
        match line.event {
            PacketEvent::Enqueue => {
                self.packets.push_back((line.packet, line.time_s, line.size_bytes));
                self.bytes += i64::from(line.size_bytes);
                None
            }
            PacketEvent::Dequeue => {
                let first = self.packets.front().is_some_and(|first| first.0 == line.packet);
                let index = if first { 0 } else { self.packets.iter().position(|one| one.0 == line.packet)? };
                self.remove(index).map(|since_s| line.time_s - since_s)
            }
            PacketEvent::Drop => {
                let index = self.packets.iter().rposition(|one| one.0 == line.packet)?;
                self.remove(index);
                None
            }
            _ => None,
        }
    }

    fn remove(&mut self, index: usize) -> Option<f64> {
        let (_, since_s, bytes) = self.packets.remove(index)?;
        self.bytes -= i64::from(bytes);
        Some(since_s)
    }

    /// Queue length, packets.
    pub fn packets(&self) -> usize {
        self.packets.len()
    }

    /// Queue length, bytes.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// Max queue length, packets.
    pub fn most(&self) -> usize {
        self.most.max(self.packets.len())
    }

    /// Restarts the max queue length.
    pub fn forget_most(&mut self) {
        self.most = 0;
    }
}
