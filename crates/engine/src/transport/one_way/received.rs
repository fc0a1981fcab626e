//! The receive buffer of one-way TCP, as in ns-2.35's `Acker`: which packets have arrived.

use std::collections::VecDeque;

/// Initial size of ns-2's ring of received packets; it grows when packets arrive from further ahead.
const FIRST_SLOTS: i32 = 64;

/// The packets received.
pub struct ReceivedPackets {
    next: i32,
    highest: i32,
    /// Bytes of each packet from the next expected one on, 0 if missing. `None` while all is in order.
    #[expect(clippy::box_collection, reason = "a receiver that loses nothing has none")]
    beyond: Option<Box<VecDeque<i32>>>,
    /// Size of ns-2's ring, a power of two.
    slots: i32,
    /// The first packet in the ring since it last grew.
    ring_from: i32,
    was_duplicate: bool,
}

impl Default for ReceivedPackets {
    fn default() -> ReceivedPackets {
        ReceivedPackets { next: 0, highest: 0, beyond: None, slots: FIRST_SLOTS, ring_from: 0, was_duplicate: false }
    }
}

impl ReceivedPackets {
    /// The highest packet received in order, initially -1.
    pub fn in_order(&self) -> i32 {
        self.next - 1
    }

    /// The highest packet received, initially 0.
    pub fn highest(&self) -> i32 {
        self.highest
    }

    /// Whether the last packet was a duplicate.
    pub fn was_duplicate(&self) -> bool {
        self.was_duplicate
    }

    /// Whether the packet's ring slot is occupied. Slots are reused, so the result is exact only between the next
    /// expected packet and the highest received.
    pub fn holds(&self, seqno: i32) -> bool {
        // The last packet of this slot, up to `highest + 1`, whose slot is always clear.
        let last = self.highest + 1;
        let seqno = last - ((last - seqno) & (self.slots - 1));
        self.ring_from <= seqno && (seqno < self.next || self.bytes_of(seqno) != 0)
    }

    /// Bytes of a packet, 0 if missing; `seqno` is at or past the next expected packet.
    fn bytes_of(&self, seqno: i32) -> i32 {
        let beyond = self.beyond.as_ref();
        beyond.and_then(|beyond| beyond.get((seqno - self.next) as usize)).copied().unwrap_or(0)
    }

    pub(crate) fn reset(&mut self) {
        self.next = 0;
        self.highest = 0;
        self.ring_from = 0;
        self.beyond = None;
    }

    /// Stores a packet. Returns the bytes that are now in order.
    #[inline]
    pub(crate) fn take(&mut self, seqno: i32, size: i32) -> i32 {
        self.was_duplicate = seqno < self.next;
        let is_highest = seqno > self.highest;
        self.highest = self.highest.max(seqno);
        if seqno == self.next && self.beyond.as_ref().is_none_or(|beyond| beyond.is_empty()) {
            self.next += i32::from(size != 0);
            return size;
        }
        self.take_out_of_order(seqno, size, is_highest)
    }

    fn take_out_of_order(&mut self, seqno: i32, size: i32, is_highest: bool) -> i32 {
        while seqno + 1 - self.next >= self.slots - 1 {
            self.slots *= 2;
            self.ring_from = self.next;
        }
        if seqno < self.next {
            return 0;
        }
        self.was_duplicate |= !is_highest && self.bytes_of(seqno) != 0;
        let place = (seqno - self.next) as usize;
        let beyond = self.beyond.get_or_insert_default();
        if beyond.len() <= place {
            beyond.resize(place + 1, 0);
        }
        beyond[place] = size;
        let mut in_order_bytes = 0;
        while let Some(&bytes) = beyond.front().filter(|&&bytes| bytes != 0) {
            beyond.pop_front();
            self.next += 1;
            in_order_bytes += bytes;
        }
        in_order_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::ReceivedPackets;
    use crate::transport::one_way::sack_history::SackHistory;

    // Computed by hand after RFC 2018 section 4: packets 1, 3, 5 and 2 are lost, then 2 arrives.
    #[test]
    fn blocks_name_the_latest_run_first() {
        let mut window = ReceivedPackets::default();
        let mut history = SackHistory::default();
        let mut ack = |seqno| {
            window.take(seqno, 1000);
            history.blocks(&window, seqno, 3, false).map_or(vec![], |blocks| blocks.as_slice().to_vec())
        };
        assert_eq!(ack(0), []);
        assert_eq!(ack(4), [(4, 5)]);
        assert_eq!(ack(6), [(6, 7), (4, 5)]);
        assert_eq!(ack(2), [(2, 3), (6, 7), (4, 5)]);
        assert_eq!(ack(3), [(2, 5), (6, 7)]);
        assert_eq!(ack(1), [(6, 7)]);
        assert_eq!(ack(5), []);
    }

    #[test]
    fn a_far_packet_makes_the_window_grow() {
        let mut window = ReceivedPackets::default();
        assert_eq!(window.take(0, 10), 10);
        assert_eq!(window.take(200, 10), 0);
        for seqno in 1..199 {
            assert_eq!(window.take(seqno, 10), 10);
        }
        assert!(!window.was_duplicate());
        assert_eq!(window.take(199, 10), 20);
        assert_eq!(window.take(7, 10), 0);
        assert!(window.was_duplicate());
    }
}
