//! What is counted on one link.

use std::collections::VecDeque;

use ackclock_engine::packet::{Packet, flag};

use super::PARTS;
use super::quantiles::{Quantiles, TimeAtValue};
use crate::columns::Rows;

/// Packets and their bytes.
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

/// The books of one link.
pub struct LinkBook {
    /// The node it leaves.
    pub from: i32,
    /// The node it enters.
    pub to: i32,
    /// Its present rate, bit/s.
    pub rate_bps: f64,
    offered: Tally,
    arrived: Tally,
    departed: Tally,
    received: Tally,
    dropped: Tally,
    lost: Tally,
    marked: u64,
    waiting: VecDeque<Waiting>,
    bytes_waiting: i64,
    most_bytes: i64,
    bytes_integral: f64,
    bytes_since_s: f64,
    length: TimeAtValue,
    /// Since when what came last has not been decided about.
    undecided_s: Option<f64>,
    waits: Quantiles,
    busy_s: f64,
    busy_until_s: f64,
    sampled_bytes: u64,
    sampled_drops: u64,
}

impl LinkBook {
    /// The books of an idle link.
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
            bytes_waiting: 0,
            most_bytes: 0,
            bytes_integral: 0.0,
            bytes_since_s: 0.0,
            length: TimeAtValue::default(),
            undecided_s: None,
            waits: Quantiles::default(),
            busy_s: 0.0,
            busy_until_s: 0.0,
            sampled_bytes: 0,
            sampled_drops: 0,
        }
    }

    /// Packets that wait now, and their bytes.
    pub fn queue(&self) -> (usize, i64) {
        (self.waiting.len(), self.bytes_waiting)
    }

    /// A packet comes to the link's head, in front of whatever may lose it there.
    pub fn offer(&mut self, packet: &Packet) {
        self.offered.add(packet);
    }

    fn length_changes(&mut self, now_s: f64) {
        self.bytes_integral += self.bytes_waiting as f64 * (now_s - self.bytes_since_s);
        self.bytes_since_s = now_s;
    }

    /// A packet comes to the queue. Its length counts once the queue has decided: it may throw away this packet or another.
    pub fn enqueue(&mut self, now_s: f64, packet: &Packet) {
        self.settle();
        self.arrived.add(packet);
        self.length_changes(now_s);
        self.bytes_waiting += i64::from(packet.size);
        let was_marked = packet.has(flag::MARKED);
        self.waiting.push_back(Waiting { uid: packet.uid, since_s: now_s, was_marked, bytes: packet.size });
        self.undecided_s = Some(now_s);
    }

    /// What came last has been taken in.
    fn settle(&mut self) {
        if let Some(since_s) = self.undecided_s.take() {
            self.length.set(since_s, self.waiting.len());
            self.most_bytes = self.most_bytes.max(self.bytes_waiting);
        }
    }

    /// The transmitter takes a packet.
    pub fn dequeue(&mut self, now_s: f64, packet: &Packet) {
        // Mostly it is the first, which is quickly found and taken.
        let place = match self.waiting.front() {
            Some(first) if first.uid == packet.uid => Some(0),
            _ => self.waiting.iter().position(|waiting| waiting.uid == packet.uid),
        };
        // A packet that the transmitter takes as it comes has never waited.
        if place.is_none_or(|place| place + 1 < self.waiting.len() || self.waiting[place].since_s < now_s) {
            self.settle();
        }
        self.undecided_s = None;
        let waited = match place {
            Some(0) => self.waiting.pop_front(),
            place => place.and_then(|place| self.waiting.remove(place)),
        };
        if let Some(waited) = waited {
            self.leaves(now_s, &waited);
            self.waits.add(now_s - waited.since_s);
            if packet.has(flag::MARKED) && !waited.was_marked {
                self.marked += 1;
            }
        }
        self.departed.add(packet);
        let lasts_s = 8.0 * f64::from(packet.size) / self.rate_bps;
        self.busy_s += lasts_s;
        self.busy_until_s = now_s + lasts_s;
    }

    fn leaves(&mut self, now_s: f64, packet: &Waiting) {
        self.length_changes(now_s);
        self.bytes_waiting -= i64::from(packet.bytes);
        self.length.set(now_s, self.waiting.len());
    }

    /// A packet has reached the far end.
    pub fn receive(&mut self, packet: &Packet) {
        self.received.add(packet);
    }

    /// A packet is lost: by the queue if it waits there, else on the wire.
    pub fn lose(&mut self, now_s: f64, packet: &Packet) {
        // What a drop-tail queue refuses is the one that came last.
        let place = self.waiting.iter().rposition(|waiting| waiting.uid == packet.uid);
        match place.and_then(|place| self.waiting.remove(place)) {
            Some(waited) => {
                self.undecided_s = None;
                self.leaves(now_s, &waited);
                self.most_bytes = self.most_bytes.max(self.bytes_waiting);
                self.dropped.add(packet);
            }
            None => self.lost.add(packet),
        }
    }

    /// The rate is another one from now on.
    pub fn set_rate(&mut self, rate_bps: f64) {
        self.rate_bps = rate_bps;
    }

    /// Appends a row of the series: `interval_s` ends at `at_s`.
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

    /// Appends the row of the table of links; `holds` is how many packets wait or are on the wire.
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
            .count("held_packets", holds)
            .real("throughput_bps", lasted((self.departed.bytes * 8) as f64))
            .real("utilisation", lasted(busy_s))
            .real("queue_mean_packets", self.length.mean())
            .real("queue_p50_packets", p50)
            .real("queue_p95_packets", p95)
            .real("queue_p99_packets", p99)
            .count("queue_most_packets", self.length.most() as u64)
            .real("queue_mean_bytes", lasted(self.bytes_integral))
            .count("queue_most_bytes", self.most_bytes.max(0) as u64)
            .real("queueing_delay_mean_s", self.waits.mean())
            .real("queueing_delay_p50_s", w50)
            .real("queueing_delay_p95_s", w95)
            .real("queueing_delay_p99_s", w99)
            .real("queueing_delay_most_s", self.waits.most())
            .end();
    }
}
