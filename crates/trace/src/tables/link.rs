//! Statistics of one link.

use std::collections::VecDeque;

use ackclock_engine::packet::{Packet, flag};

use super::quantiles::{PARTS, Quantiles, TimeAtValue};
use crate::columns::Rows;

/// A count of packets and bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Packets.
    pub packets: u64,
    /// Bytes on the wire.
    pub bytes: u64,
}

impl Tally {
    /// Counts a packet.
    pub fn add(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += packet.size.max(0) as u64;
    }
}

struct Waiting {
    uid: i32,
    since_s: f64,
    was_marked: bool,
    bytes: i32,
}

/// The statistics of one link.
pub struct LinkBook {
    /// The node at its start.
    pub from: i32,
    /// The node at its end.
    pub to: i32,
    rate_bps: f64,
    offered: Tally,
    arrived: Tally,
    departed: Tally,
    received: Tally,
    dropped: Tally,
    lost: Tally,
    marked: u64,
    waiting: VecDeque<Waiting>,
    /// The packet that arrived last, if the queue has not decided about it. If it is accepted, it counts as waiting.
    newest: Option<Waiting>,
    bytes_waiting: i64,
    most_bytes: i64,
    bytes_integral: f64,
    bytes_since_s: f64,
    length: TimeAtValue,
    waits: Quantiles,
    busy_s: f64,
    busy_until_s: f64,
    /// Size of the last packet, bytes, and its transmission time, s.
    lasts: (i32, f64),
    sampled_bytes: u64,
    sampled_drops: u64,
}

impl LinkBook {
    /// Statistics of an idle link.
    pub fn new(from: i32, to: i32, rate_bps: f64) -> LinkBook {
        LinkBook {
            from,
            to,
            rate_bps,
            offered: Tally::default(),
            arrived: Tally::default(),
            departed: Tally::default(),
            received: Tally::default(),
            dropped: Tally::default(),
            lost: Tally::default(),
            marked: 0,
            waiting: VecDeque::new(),
            newest: None,
            bytes_waiting: 0,
            most_bytes: 0,
            bytes_integral: 0.0,
            bytes_since_s: 0.0,
            length: TimeAtValue::default(),
            waits: Quantiles::default(),
            busy_s: 0.0,
            busy_until_s: 0.0,
            lasts: (0, 0.0),
            sampled_bytes: 0,
            sampled_drops: 0,
        }
    }

    /// Present queue length: packets and bytes.
    pub fn queue(&self) -> (usize, i64) {
        (self.waiting.len() + usize::from(self.newest.is_some()), self.bytes_waiting)
    }

    /// A packet arrives at the link, before a loss model can drop it.
    pub fn offer(&mut self, packet: &Packet) {
        self.offered.add(packet);
    }

    fn length_changes(&mut self, now_s: f64) {
        self.bytes_integral += self.bytes_waiting as f64 * (now_s - self.bytes_since_s);
        self.bytes_since_s = now_s;
    }

    /// A packet arrives at the queue. It counts after the queue's decision, which may drop this packet or another.
    pub fn enqueue(&mut self, now_s: f64, packet: &Packet) {
        self.settle();
        self.arrived.add(packet);
        self.length_changes(now_s);
        self.bytes_waiting += i64::from(packet.size);
        let was_marked = packet.has(flag::MARKED);
        self.newest = Some(Waiting { uid: packet.uid, since_s: now_s, was_marked, bytes: packet.size });
    }

    /// The queue has accepted the packet that arrived last.
    fn settle(&mut self) {
        if let Some(newest) = self.newest.take() {
            let since_s = newest.since_s;
            self.waiting.push_back(newest);
            self.length.set(since_s, self.waiting.len());
            self.most_bytes = self.most_bytes.max(self.bytes_waiting);
        }
    }

    /// A packet leaves the queue for transmission.
    pub fn dequeue(&mut self, now_s: f64, packet: &Packet) {
        let waited = match &self.newest {
            // A packet that is transmitted on arrival has never waited.
            Some(newest) if newest.uid == packet.uid && newest.since_s == now_s => {
                self.bytes_waiting -= i64::from(newest.bytes);
                self.newest.take()
            }
            _ => self.take_waiting(now_s, packet.uid),
        };
        if let Some(waited) = waited {
            self.waits.add(now_s - waited.since_s);
            if packet.has(flag::MARKED) && !waited.was_marked {
                self.marked += 1;
            }
        }
        self.departed.add(packet);
        if packet.size != self.lasts.0 {
            self.lasts = (packet.size, 8.0 * f64::from(packet.size) / self.rate_bps);
        }
        self.busy_s += self.lasts.1;
        self.busy_until_s = now_s + self.lasts.1;
    }

    /// Removes a packet from the queue, if it waits there.
    fn take_waiting(&mut self, now_s: f64, uid: i32) -> Option<Waiting> {
        self.settle();
        // It is usually the first.
        let waited = match self.waiting.front() {
            Some(first) if first.uid == uid => self.waiting.pop_front(),
            _ => {
                self.waiting.iter().position(|waiting| waiting.uid == uid).and_then(|place| self.waiting.remove(place))
            }
        }?;
        self.leaves(now_s, &waited);
        Some(waited)
    }

    fn leaves(&mut self, now_s: f64, packet: &Waiting) {
        self.length_changes(now_s);
        self.bytes_waiting -= i64::from(packet.bytes);
        self.length.set(now_s, self.waiting.len());
    }

    /// A packet arrives at the far end.
    pub fn receive(&mut self, packet: &Packet) {
        self.received.add(packet);
    }

    /// A packet is dropped if it is in the queue, otherwise lost on the link.
    pub fn lose(&mut self, now_s: f64, packet: &Packet) {
        // A drop-tail queue drops the packet that arrived last.
        match self.newest.take_if(|newest| newest.uid == packet.uid).or_else(|| self.throw_out(packet.uid)) {
            Some(waited) => {
                self.leaves(now_s, &waited);
                self.most_bytes = self.most_bytes.max(self.bytes_waiting);
                self.dropped.add(packet);
            }
            None => self.lost.add(packet),
        }
    }

    /// Removes a waiting packet that is dropped in favour of the one that arrived last, which now waits.
    fn throw_out(&mut self, uid: i32) -> Option<Waiting> {
        let place = self.waiting.iter().rposition(|waiting| waiting.uid == uid)?;
        let waited = self.waiting.remove(place);
        self.waiting.extend(self.newest.take());
        waited
    }

    /// Changes the rate.
    pub fn set_rate(&mut self, rate_bps: f64) {
        self.rate_bps = rate_bps;
        self.lasts = (0, 0.0);
    }

    /// Appends a row of the series for the interval of `interval_s` that ends at `at_s`.
    pub fn sample(&mut self, link: u32, at_s: f64, interval_s: f64, rows: &mut Rows) {
        self.settle();
        let (packets, bytes) = self.queue();
        let sent = self.departed.bytes - self.sampled_bytes;
        let drops = self.dropped.packets + self.lost.packets - self.sampled_drops;
        self.sampled_bytes = self.departed.bytes;
        self.sampled_drops = self.dropped.packets + self.lost.packets;
        rows.real("time_s", at_s)
            .number("link", link)
            .count("queue_packets", packets as u64)
            .count("queue_bytes", bytes.max(0) as u64)
            .real("throughput_bps", sent as f64 * 8.0 / interval_s)
            .count("drops_packets", drops)
            .end();
    }

    /// Appends the row of the table of links; `holds` is the number of packets in the queue or in transit.
    pub fn finish(&mut self, link: u32, now_s: f64, holds: u64, rows: &mut Rows) {
        self.settle();
        self.length_changes(now_s);
        self.length.set(now_s, self.waiting.len());
        let busy_s = self.busy_s - (self.busy_until_s - now_s).max(0.0);
        let lasted = |value: f64| (now_s > 0.0).then(|| value / now_s);
        let [p50, p95, p99] = PARTS.map(|part| self.length.quantile(part));
        let [w50, w95, w99] = self.waits.quantiles(PARTS);
        rows.number("link", link)
            .integer("from_node", self.from)
            .integer("to_node", self.to)
            .count("offered_packets", self.offered.packets)
            .count("offered_bytes", self.offered.bytes)
            .count("arrived_packets", self.arrived.packets)
            .count("arrived_bytes", self.arrived.bytes)
            .count("departed_packets", self.departed.packets)
            .count("departed_bytes", self.departed.bytes)
            .count("received_packets", self.received.packets)
            .count("received_bytes", self.received.bytes)
            .count("dropped_packets", self.dropped.packets)
            .count("dropped_bytes", self.dropped.bytes)
            .count("lost_packets", self.lost.packets)
            .count("lost_bytes", self.lost.bytes)
            .count("marked_packets", self.marked)
            .count("in_transit_packets", holds)
            .real("throughput_bps", lasted((self.departed.bytes * 8) as f64))
            .real("utilisation", lasted(busy_s))
            .real("queue_mean_packets", self.length.mean())
            .real("queue_p50_packets", p50)
            .real("queue_p95_packets", p95)
            .real("queue_p99_packets", p99)
            .count("queue_max_packets", self.length.most() as u64)
            .real("queue_mean_bytes", lasted(self.bytes_integral))
            .count("queue_max_bytes", self.most_bytes.max(0) as u64)
            .real("queueing_delay_mean_s", self.waits.mean())
            .real("queueing_delay_p50_s", w50)
            .real("queueing_delay_p95_s", w95)
            .real("queueing_delay_p99_s", w99)
            .real("queueing_delay_max_s", self.waits.most())
            .end();
    }
}

#[cfg(test)]
mod tests {
    use super::LinkBook;
    use ackclock_engine::packet::Packet;

    fn packet(uid: i32) -> Packet {
        let mut packet = Packet::default();
        (packet.uid, packet.size) = (uid, 1000);
        packet
    }

    // One packet is transmitted immediately. Two wait, from 1 s to 4 s and from 2 s to 5 s, while another is lost on
    // the link.
    #[test]
    fn what_passes_at_once_never_waits() {
        let mut book = LinkBook::new(0, 1, 8000.0);
        book.enqueue(0.0, &packet(0));
        assert_eq!(book.queue(), (1, 1000));
        book.dequeue(0.0, &packet(0));
        book.enqueue(1.0, &packet(1));
        book.enqueue(2.0, &packet(2));
        book.lose(3.0, &packet(0));
        assert_eq!((book.queue(), book.dropped.packets, book.lost.packets), ((2, 2000), 0, 1));
        book.dequeue(4.0, &packet(1));
        book.dequeue(5.0, &packet(2));
        assert_eq!((book.queue(), book.departed.packets, book.most_bytes), ((0, 0), 3, 2000));
        assert_eq!((book.length.mean(), book.length.most()), (Some(6.0 / 5.0), 2));
        assert_eq!((book.waits.mean(), book.waits.most()), (Some(2.0), Some(3.0)));
        assert_eq!(book.bytes_integral, 6000.0);
    }

    // The queue drops the arriving packet, then the oldest one in favour of the next.
    #[test]
    fn what_is_thrown_away_leaves_the_queue() {
        let mut book = LinkBook::new(0, 1, 8000.0);
        book.enqueue(0.0, &packet(1));
        book.enqueue(1.0, &packet(2));
        book.lose(1.0, &packet(2));
        assert_eq!((book.queue(), book.length.most()), ((1, 1000), 1));
        book.enqueue(2.0, &packet(3));
        book.lose(2.0, &packet(1));
        book.dequeue(3.0, &packet(3));
        assert_eq!((book.queue(), book.dropped.packets), ((0, 0), 2));
        assert_eq!((book.length.mean(), book.length.most()), (Some(1.0), 1));
        assert_eq!(book.waits.mean(), Some(1.0));
    }
}
