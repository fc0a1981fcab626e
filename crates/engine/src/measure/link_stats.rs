//! Statistics of a link and its queue, updated where packets enter the queue, leave it, or are lost.
//!
//! A packet that finds the transmitter free passes without an update: what it counts follows from the link's own
//! counters of sent packets. So a queue that no packet has waited in takes no memory and no time.

use crate::measure::distribution::{Distribution, TimeAtValue};
use crate::packet::{Packet, PacketId, flag};

/// A count of packets and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets.
    pub packets: u64,
    /// Bytes on the wire.
    pub bytes: u64,
}

impl Tally {
    /// Counts a packet.
    #[inline]
    pub fn add(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += packet.size.max(0) as u64;
    }

    /// The sum of two counts.
    pub fn plus(self, other: Tally) -> Tally {
        Tally { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }

    /// The difference of two counts, not less than 0.
    pub fn minus(self, other: Tally) -> Tally {
        let Tally { packets, bytes } = other;
        Tally { packets: self.packets.saturating_sub(packets), bytes: self.bytes.saturating_sub(bytes) }
    }
}

/// Statistics of a link, beside its own counters.
#[derive(Debug, Default)]
pub struct LinkStats {
    /// Packets that the queue dropped, or that an error model dropped between queue and transmitter.
    pub dropped: Tally,
    /// Packets lost elsewhere on the link.
    pub lost: Tally,
    /// Packets that arrived at the head and at the far end, where hooks count them ([`crate::net::link::Hook::Count`]).
    /// A link that nothing can take packets from between its ends has no such hooks.
    pub ends: Option<Box<[Tally; 2]>>,
    /// The statistics of the queue; `None` while no packet has entered it.
    pub queue: Option<Box<QueueStats>>,
}

impl LinkStats {
    /// A packet enters the queue, which may drop it or another one at this instant, or let it pass.
    pub(crate) fn enter(&mut self, now_s: f64, id: PacketId, packet: &mut Packet) {
        self.queue.get_or_insert_default().enter(now_s, id, packet);
    }

    /// A packet leaves the queue for the transmitter.
    pub(crate) fn leave(&mut self, now_s: f64, id: PacketId, packet: &Packet) {
        if let Some(queue) = &mut self.queue {
            queue.leave(now_s, id, packet);
        }
    }

    /// The queue drops a packet, or it is dropped on its way from the queue to the transmitter.
    pub(crate) fn discard(&mut self, now_s: f64, id: PacketId, packet: &Packet) {
        self.dropped.add(packet);
        self.queue.get_or_insert_default().discard(now_s, id, packet);
    }
}

/// Statistics of a queue.
#[derive(Debug, Default)]
pub struct QueueStats {
    waiting: usize,
    /// The packet that arrived last and when, s, while the queue decides about it. Then it counts as waiting.
    newest: Option<(PacketId, f64)>,
    bytes: i64,
    max_bytes: i64,
    bytes_integral: f64,
    bytes_since_s: f64,
    length: TimeAtValue,
    waits: Distribution,
    marked: u64,
}

impl QueueStats {
    #[inline]
    fn bytes_change(&mut self, now_s: f64, by: i64) {
        self.bytes_integral += self.bytes as f64 * (now_s - self.bytes_since_s);
        self.bytes_since_s = now_s;
        self.bytes += by;
    }

    fn enter(&mut self, now_s: f64, id: PacketId, packet: &mut Packet) {
        self.settle();
        self.bytes_change(now_s, i64::from(packet.size));
        self.newest = Some((id, now_s));
        packet.queued_at.0 = now_s;
        if packet.flags & (flag::MARKED | flag::MARKED_BEFORE) != 0 {
            let was_marked = if packet.has(flag::MARKED) { flag::MARKED_BEFORE } else { 0 };
            packet.flags = packet.flags & !flag::MARKED_BEFORE | was_marked;
        }
    }

    /// The queue has accepted the packet that arrived last.
    #[inline]
    fn settle(&mut self) {
        if let Some((_, since_s)) = self.newest.take() {
            self.waiting += 1;
            self.length.set(since_s, self.waiting);
            self.max_bytes = self.max_bytes.max(self.bytes);
        }
    }

    #[inline]
    fn leave(&mut self, now_s: f64, id: PacketId, packet: &Packet) {
        if self.newest == Some((id, now_s)) {
            // A packet that is transmitted on arrival has not waited.
            self.newest = None;
            self.bytes -= i64::from(packet.size);
        } else {
            self.settle();
            self.waiting -= 1;
            self.bytes_change(now_s, -i64::from(packet.size));
            self.length.set(now_s, self.waiting);
            let wait_s = now_s - packet.queued_at.secs();
            if wait_s > 0.0 {
                self.waits.add(wait_s);
            }
        }
        self.marked += u64::from(packet.flags & (flag::MARKED | flag::MARKED_BEFORE) == flag::MARKED);
    }

    fn discard(&mut self, now_s: f64, id: PacketId, packet: &Packet) {
        if self.newest.is_some_and(|(_, since_s)| since_s < now_s) {
            self.settle();
        }
        if self.newest.take_if(|newest| newest.0 == id).is_some() {
            self.bytes_change(now_s, -i64::from(packet.size));
        } else if self.waiting > 0 {
            // It is dropped in favour of the one that arrived last, which now waits.
            self.bytes_change(now_s, -i64::from(packet.size));
            self.waiting -= usize::from(self.newest.take().is_none());
        }
        self.length.set(now_s, self.waiting);
        self.max_bytes = self.max_bytes.max(self.bytes);
    }

    /// The statistics up to `now_s`, when the link has `sent` this many packets.
    pub fn finish(&mut self, now_s: f64, sent: u64) -> QueueTotals<'_> {
        self.settle();
        self.bytes_change(now_s, 0);
        self.length.set(now_s, self.waiting);
        self.waits.add_zeros(sent.saturating_sub(self.waits.count()));
        QueueTotals {
            length: &self.length,
            max_bytes: self.max_bytes.max(0) as u64,
            bytes_integral: self.bytes_integral,
            waits: &self.waits,
            marked: self.marked,
        }
    }
}

/// The statistics of a queue at the end.
pub struct QueueTotals<'a> {
    /// How long which number of packets waited.
    pub length: &'a TimeAtValue,
    /// The maximum of waiting bytes.
    pub max_bytes: u64,
    /// The integral of the waiting bytes over time, byte-seconds.
    pub bytes_integral: f64,
    /// How long each packet waited that was sent, s; 0 if it found the transmitter free.
    pub waits: &'a Distribution,
    /// Packets that were marked in the queue, of those that left it.
    pub marked: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(stats: &mut LinkStats, now_s: f64, id: u32) -> (PacketId, Packet) {
        let mut packet = Packet { size: 1000, ..Packet::default() };
        stats.enter(now_s, PacketId(id), &mut packet);
        (PacketId(id), packet)
    }

    // One packet is transmitted immediately. Two wait, from 1 s to 4 s and from 2 s to 5 s: 2 + 2 * 2 packet-seconds
    // in 5 s, waits of 0, 3 and 3 s.
    #[test]
    fn what_passes_at_once_never_waits() {
        let mut stats = LinkStats::default();
        let (first, body) = packet(&mut stats, 0.0, 0);
        stats.leave(0.0, first, &body);
        let (second, body) = packet(&mut stats, 1.0, 1);
        let (third, other) = packet(&mut stats, 2.0, 2);
        stats.leave(4.0, second, &body);
        stats.leave(5.0, third, &other);
        let queue = stats.queue.as_mut().expect("the queue was used");
        let QueueTotals { length, max_bytes, bytes_integral, waits, .. } = queue.finish(5.0, 3);
        assert_eq!((length.mean(), length.max()), (Some(6.0 / 5.0), 2));
        assert_eq!((bytes_integral, max_bytes), (6000.0, 2000));
        assert_eq!((waits.mean(), waits.min(), waits.max()), (Some(2.0), Some(0.0), Some(3.0)));
    }

    // The queue drops the arriving packet, then the oldest one in favour of the next. One packet waits from 0 to 3 s.
    #[test]
    fn what_is_thrown_away_leaves_the_queue() {
        let mut stats = LinkStats::default();
        let (first, body) = packet(&mut stats, 0.0, 1);
        let (second, other) = packet(&mut stats, 1.0, 2);
        stats.discard(1.0, second, &other);
        let (third, last) = packet(&mut stats, 2.0, 3);
        stats.discard(2.0, first, &body);
        stats.leave(3.0, third, &last);
        let QueueTotals { length, waits, .. } = stats.queue.as_mut().expect("the queue was used").finish(3.0, 1);
        assert_eq!((length.mean(), length.max(), waits.mean()), (Some(1.0), 1, Some(1.0)));
        assert_eq!(stats.dropped, Tally { packets: 2, bytes: 2000 });
    }

    // A packet that waits from 0 to 2 s, and is dropped by the dequeue at 2 s, has waited: CoDel drops so.
    #[test]
    fn what_is_dropped_when_its_turn_comes_has_waited() {
        let mut stats = LinkStats::default();
        let (only, body) = packet(&mut stats, 0.0, 1);
        stats.discard(2.0, only, &body);
        let QueueTotals { length, bytes_integral, .. } =
            stats.queue.as_mut().expect("the queue was used").finish(4.0, 0);
        assert_eq!((length.mean(), length.max(), bytes_integral), (Some(0.5), 1, 2000.0));
    }
}
