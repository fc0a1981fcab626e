//! The packets that wait in one link's queue, as its lines tell.

use std::collections::VecDeque;

use crate::columns::PacketEvent;
use crate::read::ns2_trace::PacketLine;

/// A queue: packets from their `+` to their `-` or `d`.
#[derive(Default)]
pub struct Waiting {
    /// Packet's number, since when (s), bytes.
    packets: VecDeque<(i64, f64, i32)>,
    bytes: i64,
    most: usize,
}

impl Waiting {
    /// Takes a line of the link in; how long a packet that leaves for the transmitter has waited, s.
    #[inline]
    pub fn take(&mut self, line: &PacketLine) -> Option<f64> {
        // A packet that comes and is dropped at once was never in the queue: its length counts at the next event.
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

    /// Packets that wait.
    pub fn packets(&self) -> usize {
        self.packets.len()
    }

    /// Their bytes.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// The most packets that have waited.
    pub fn most(&self) -> usize {
        self.most.max(self.packets.len())
    }

    /// From now on the most counts anew.
    pub fn forget_most(&mut self) {
        self.most = 0;
    }
}
