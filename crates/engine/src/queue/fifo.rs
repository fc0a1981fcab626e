//! Stored packets in order of arrival.

use std::collections::VecDeque;

use super::discipline::QueueContext;
use crate::packet::{PacketId, PacketPool};
use crate::prefetch::prefetch;
use crate::time::Time;

/// [`Fifo::pop`] prefetches the packet at this index: in a long queue it has left the caches.
const SOON: usize = 2;

/// Stored packets in order of arrival, with a byte count.
#[derive(Default)]
pub struct Fifo {
    /// Allocated at the first packet: most queues of a large network never hold one.
    #[expect(clippy::box_collection, reason = "a link has the queue in itself, and room for no more")]
    packets: Option<Box<VecDeque<PacketId>>>,
    bytes: i64,
}

impl Fifo {
    /// Appends a packet.
    #[inline]
    pub fn push(&mut self, packet: PacketId, pool: &PacketPool) {
        self.bytes += i64::from(pool[packet].size);
        self.packets.get_or_insert_default().push_back(packet);
    }

    /// Removes the oldest packet.
    #[inline]
    pub fn pop(&mut self, pool: &PacketPool) -> Option<PacketId> {
        let packets = self.packets.as_mut()?;
        let packet = packets.pop_front()?;
        if let Some(&later) = packets.get(SOON) {
            prefetch(&pool[later]);
        }
        self.bytes -= i64::from(pool[packet].size);
        Some(packet)
    }

    /// Removes the newest packet.
    pub fn pop_newest(&mut self, pool: &PacketPool) -> Option<PacketId> {
        let packet = self.packets.as_mut()?.pop_back()?;
        self.bytes -= i64::from(pool[packet].size);
        Some(packet)
    }

    /// Removes the newest packet if it is this one; returns whether it was.
    pub fn pop_newest_if(&mut self, packet: PacketId, pool: &PacketPool) -> bool {
        let newest = self.packets.as_ref().and_then(|packets| packets.back());
        newest == Some(&packet) && self.pop_newest(pool).is_some()
    }

    /// Removes the packet at `index`; 0 is the oldest.
    pub fn take(&mut self, index: usize, pool: &PacketPool) -> Option<PacketId> {
        let packet = self.packets.as_mut()?.remove(index)?;
        self.bytes -= i64::from(pool[packet].size);
        Some(packet)
    }

    /// Drops all packets, the oldest first.
    pub fn drop_all(&mut self, context: &mut QueueContext) {
        while let Some(packet) = self.pop(context.packets) {
            context.dropped.push(packet);
        }
    }

    /// The packet at `index`; 0 is the oldest.
    pub fn get(&self, index: usize) -> Option<PacketId> {
        self.packets.as_ref()?.get(index).copied()
    }

    /// Packets stored.
    pub fn len(&self) -> usize {
        self.packets.as_ref().map_or(0, |packets| packets.len())
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes stored.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }
}

/// A [`Fifo`] that also stores each packet's arrival time.
#[derive(Default)]
pub struct TimedFifo {
    fifo: Fifo,
    arrivals: VecDeque<Time>,
}

impl TimedFifo {
    /// Appends a packet that arrives now.
    pub fn push(&mut self, packet: PacketId, context: &QueueContext) {
        self.fifo.push(packet, context.packets);
        self.arrivals.push_back(context.now);
    }

    /// Removes the oldest packet; also returns its sojourn time, s.
    pub fn pop(&mut self, context: &QueueContext) -> Option<(PacketId, f64)> {
        let packet = self.fifo.pop(context.packets)?;
        let came = self.arrivals.pop_front().unwrap_or(context.now);
        Some((packet, context.now - came))
    }

    /// Removes the packet at `index`; 0 is the oldest.
    pub fn take(&mut self, index: usize, pool: &PacketPool) -> Option<PacketId> {
        self.arrivals.remove(index);
        self.fifo.take(index, pool)
    }

    /// Drops all packets, the oldest first.
    pub fn drop_all(&mut self, context: &mut QueueContext) {
        self.fifo.drop_all(context);
        self.arrivals.clear();
    }

    /// The packet at `index`; 0 is the oldest.
    pub fn get(&self, index: usize) -> Option<PacketId> {
        self.fifo.get(index)
    }

    /// The sojourn time of the oldest packet, s; 0 if there is none.
    pub fn oldest_waits_s(&self, now: Time) -> f64 {
        self.arrivals.front().map_or(0.0, |&came| now - came)
    }

    /// Packets stored.
    pub fn len(&self) -> usize {
        self.fifo.len()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.fifo.is_empty()
    }

    /// Bytes stored.
    pub fn bytes(&self) -> i64 {
        self.fifo.bytes()
    }
}
