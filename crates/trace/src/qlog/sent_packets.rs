//! Numbers of sent packets: which packet an ACK acknowledges.

use std::collections::VecDeque;

/// A range of sequence numbers, in the packet that carried it last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outstanding {
    start: i64,
    end: i64,
    packet: u64,
    is_acked: bool,
    is_lost: bool,
}

/// The packets sent and not acknowledged, in the order of sequence numbers. TCP says which bytes have arrived; they are
/// taken to have come in the packet that carried them last.
#[derive(Debug, Default)]
pub struct SentPackets {
    ranges: VecDeque<Outstanding>,
}

impl SentPackets {
    /// Packet `packet` carries the sequence numbers from `start` to `end`, without the latter. For a
    /// retransmission, returns whether any of them was marked lost.
    pub fn send(&mut self, start: i64, end: i64, packet: u64) -> Option<bool> {
        let mut was_lost = false;
        let next = self.ranges.back().map_or(start, |last| last.end);
        if start < next {
            self.split_at(start);
            self.split_at(end);
            let first = self.ranges.partition_point(|range| range.start < start);
            for range in self.ranges.iter_mut().skip(first).take_while(|range| range.start < end) {
                if !range.is_acked {
                    was_lost |= range.is_lost;
                    (range.packet, range.is_lost) = (packet, false);
                }
            }
        }
        if end > next {
            let start = start.max(next);
            self.ranges.push_back(Outstanding { start, end, packet, is_acked: false, is_lost: false });
        }
        (start < next).then_some(was_lost)
    }

    /// All before `ack` has arrived. Appends the packets that were not yet acknowledged.
    pub fn acknowledge(&mut self, ack: i64, packets: &mut Vec<u64>) {
        self.split_at(ack);
        let arrived = self.ranges.partition_point(|range| range.end <= ack);
        packets.extend(self.ranges.drain(..arrived).filter(|range| !range.is_acked).map(|range| range.packet));
    }

    /// A range above the acknowledgement has arrived (SACK). Appends the packets that were not yet acknowledged.
    pub fn acknowledge_range(&mut self, start: i64, end: i64, packets: &mut Vec<u64>) {
        self.split_at(start);
        self.split_at(end);
        for range in self.within(start, end) {
            if !std::mem::replace(&mut range.is_acked, true) {
                packets.push(range.packet);
            }
        }
    }

    /// A range is marked lost. Appends the packets for which that is new.
    pub fn lose(&mut self, start: i64, end: i64, packets: &mut Vec<u64>) {
        for range in self.within(start, end) {
            if !range.is_acked && !std::mem::replace(&mut range.is_lost, true) {
                packets.push(range.packet);
            }
        }
        packets.dedup();
    }

    /// Forgets all: a new connection begins.
    pub fn clear(&mut self) {
        self.ranges.clear();
    }

    fn within(&mut self, start: i64, end: i64) -> impl Iterator<Item = &mut Outstanding> {
        let first = self.ranges.partition_point(|range| range.start < start);
        self.ranges.iter_mut().skip(first).take_while(move |range| range.end <= end)
    }

    fn split_at(&mut self, at: i64) {
        let index = self.ranges.partition_point(|range| range.end <= at);
        if let Some(range) = self.ranges.get_mut(index)
            && range.start < at
        {
            let rest = Outstanding { start: at, ..*range };
            range.end = at;
            self.ranges.insert(index + 1, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acked(sent: &mut SentPackets, ack: i64) -> Vec<u64> {
        let mut packets = Vec::new();
        sent.acknowledge(ack, &mut packets);
        packets
    }

    #[test]
    fn an_ack_acknowledges_the_packet_that_carried_the_bytes_last() {
        let mut sent = SentPackets::default();
        for number in 0..5 {
            let start = 1000 * number as i64;
            assert_eq!(sent.send(start, start + 1000, number), None);
        }
        let mut packets = Vec::new();
        sent.acknowledge_range(2000, 4000, &mut packets);
        sent.acknowledge_range(2000, 4000, &mut packets);
        assert_eq!(packets, [2, 3]);
        packets.clear();
        sent.lose(1000, 2000, &mut packets);
        sent.lose(0, 2000, &mut packets);
        assert_eq!(packets, [1, 0]);
        // A retransmission of the halves of two packets.
        assert_eq!(sent.send(500, 1500, 5), Some(true));
        assert_eq!(acked(&mut sent, 1000), [0, 5]);
        assert_eq!(acked(&mut sent, 5000), [5, 1, 4]);
        assert_eq!(sent.send(5000, 6000, 6), None);
        assert_eq!(sent.send(5000, 6000, 7), Some(false));
    }
}
