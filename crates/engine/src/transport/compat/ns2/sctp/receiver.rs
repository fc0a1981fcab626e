//! The receiver of an association: which TSNs have arrived, and the order within streams.

use std::collections::BTreeSet;

use crate::packet::sctp::{Data, Sack};

/// An inbound stream.
#[derive(Clone, Debug, Default)]
pub struct InStream {
    /// Whether the peer may give chunks up.
    pub is_unreliable: bool,
    /// The stream sequence number to deliver next.
    pub next_ssn: u16,
    /// Chunks that wait, by stream sequence number.
    pub waiting: Vec<Data>,
}

impl InStream {
    /// A stream on which nothing has arrived.
    pub fn new(is_unreliable: bool) -> InStream {
        InStream { is_unreliable, ..InStream::default() }
    }
}

/// The state of the receiver.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    /// The receiver window, bytes.
    pub rwnd: u32,
    /// The cumulative TSN.
    pub cum_ack: u32,
    /// The highest TSN received.
    pub highest: u32,
    /// Blocks of TSNs beyond the cumulative one, first and last, in order.
    pub blocks: Vec<(u32, u32)>,
    /// TSNs received again since the last SACK, in order.
    duplicates: Vec<u32>,
    /// TSNs beyond the cumulative one that were delivered.
    pub delivered: BTreeSet<u32>,
    /// The same as blocks.
    delivered_blocks: Vec<(u32, u32)>,
    /// Inbound streams.
    pub streams: Vec<InStream>,
    /// The next DATA chunk is the first of its packet.
    pub start_of_packet: bool,
    /// Packets with data since the last SACK.
    pub packets_since_sack: u32,
    /// SACK is to be sent.
    pub sack_needed: bool,
}

impl Receiver {
    /// Returns to the initial state; the streams stay until the next handshake.
    pub fn start_over(&mut self, rwnd: u32) {
        let streams = std::mem::take(&mut self.streams);
        *self = Receiver { rwnd, streams, ..Receiver::default() };
    }

    /// The association has ended.
    pub fn close(&mut self) {
        self.blocks.clear();
        self.duplicates.clear();
    }

    /// Whether the TSN has arrived before.
    pub fn is_duplicate(&self, tsn: u32) -> bool {
        if tsn <= self.cum_ack {
            return true;
        }
        tsn <= self.highest && self.blocks.iter().any(|&(first, last)| first <= tsn && tsn <= last)
    }

    /// As ns-2: a block that begins right after the cumulative TSN stays in the list.
    fn advance_cum_ack(&mut self) {
        for &(first, last) in &self.blocks {
            if self.cum_ack.wrapping_add(1) != first {
                break;
            }
            self.cum_ack = last;
        }
    }

    /// Adds a TSN that is no duplicate to the blocks.
    pub fn add_tsn(&mut self, tsn: u32) {
        let mut low = self.cum_ack.wrapping_add(1);
        for place in 0..self.blocks.len() {
            let (first, last) = self.blocks[place];
            let high = first.wrapping_sub(1);
            if low > tsn || tsn > high {
                low = last.wrapping_add(1);
                continue;
            }
            let extends_cum_ack = low == self.cum_ack.wrapping_add(1);
            if high == low {
                // It fills the gap.
                self.blocks.remove(place);
                match place.checked_sub(1) {
                    Some(before) if !extends_cum_ack => self.blocks[before].1 = last,
                    _ => self.cum_ack = last,
                }
                self.advance_cum_ack();
            } else if tsn == high {
                self.blocks[place].0 = tsn;
                self.advance_cum_ack();
            } else if tsn == low {
                match place.checked_sub(1) {
                    Some(before) if !extends_cum_ack => self.blocks[before].1 = tsn,
                    _ => self.cum_ack = self.cum_ack.wrapping_add(1),
                }
                self.advance_cum_ack();
            } else {
                self.blocks.insert(place, (tsn, tsn));
            }
            return;
        }
        if tsn != low {
            self.blocks.push((tsn, tsn));
        } else if tsn == self.cum_ack.wrapping_add(1) {
            self.cum_ack = tsn;
            self.advance_cum_ack();
        } else if let Some(before) = self.blocks.last_mut() {
            before.1 = before.1.wrapping_add(1);
        }
    }

    /// Notes a TSN that has arrived before.
    pub fn add_duplicate(&mut self, tsn: u32) {
        if let Err(place) = self.duplicates.binary_search(&tsn) {
            self.duplicates.insert(place, tsn);
        }
    }

    /// Blocks of what was delivered beyond the cumulative TSN.
    pub fn rebuild_delivered_blocks(&mut self) {
        self.delivered.retain(|&tsn| tsn > self.cum_ack);
        self.delivered_blocks.clear();
        for &tsn in &self.delivered {
            match self.delivered_blocks.last_mut() {
                Some((_, last)) if last.wrapping_add(1) == tsn => *last = tsn,
                _ => self.delivered_blocks.push((tsn, tsn)),
            }
        }
    }

    fn has_room(size: u32, max_data: u32) -> bool {
        size + 4 < max_data
    }

    /// SACK with what has arrived; the duplicates in it are forgotten.
    pub fn make_sack(&mut self, max_data: u32) -> Sack {
        let mut sack = Sack { cumulative: self.cum_ack, arwnd: self.rwnd, ..Sack::default() };
        let mut size = 16;
        sack.words.extend([self.blocks.len() as u16, self.duplicates.len() as u16]);
        push_blocks(&mut sack.words, &self.blocks, self.cum_ack, &mut size, max_data);
        sack.duplicates = self.forget_duplicates(&mut size, max_data);
        sack
    }

    fn forget_duplicates(&mut self, size: &mut u32, max_data: u32) -> u16 {
        let mut told = 0;
        while told < self.duplicates.len() && Receiver::has_room(*size, max_data) {
            told += 1;
            *size += 4;
        }
        self.duplicates.drain(..told);
        told as u16
    }

    /// SACK with the blocks that were delivered, and those that were not.
    pub fn make_non_renegable_sack(&mut self, max_data: u32) -> Sack {
        let mut sack = Sack { cumulative: self.cum_ack, arwnd: self.rwnd, ..Sack::default() };
        let mut size = 20;
        let only_received = self.blocks_not_delivered();
        let (delivered, duplicates) = (self.delivered_blocks.len() as u16, self.duplicates.len() as u16);
        sack.words.extend([0, delivered, duplicates, 0]);
        let before = sack.words.len();
        push_blocks(&mut sack.words, &only_received, self.cum_ack, &mut size, max_data);
        sack.words[0] = ((sack.words.len() - before) / 2) as u16;
        push_blocks(&mut sack.words, &self.delivered_blocks, self.cum_ack, &mut size, max_data);
        sack.duplicates = self.forget_duplicates(&mut size, max_data);
        sack
    }

    /// The blocks without what was delivered of them.
    fn blocks_not_delivered(&self) -> Vec<(u32, u32)> {
        let mut parts = Vec::new();
        let mut delivered = self.delivered_blocks.iter().copied().peekable();
        for &(first, last) in &self.blocks {
            let mut from = first;
            while let Some(&(start, end)) = delivered.peek() {
                if start > last {
                    break;
                }
                delivered.next();
                if from < start {
                    parts.push((from, start - 1));
                }
                from = end.wrapping_add(1);
            }
            if from <= last {
                parts.push((from, last));
            }
        }
        parts
    }
}

fn push_blocks(words: &mut Vec<u16>, blocks: &[(u32, u32)], cum_ack: u32, size: &mut u32, max_data: u32) {
    for &(first, last) in blocks {
        if !Receiver::has_room(*size, max_data) {
            break;
        }
        words.extend([first.wrapping_sub(cum_ack) as u16, last.wrapping_sub(cum_ack) as u16]);
        *size += 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 4960, section 3.3.4: TSNs up to 12, 14, 15 and 17 have arrived.
    #[test]
    fn sack_has_the_blocks_of_the_rfc() {
        let mut receiver = Receiver::default();
        for tsn in (1..=12).chain([14, 15, 17]) {
            receiver.add_tsn(tsn);
        }
        receiver.add_duplicate(3);
        let sack = receiver.make_sack(1468);
        assert_eq!((sack.cumulative, sack.words, sack.duplicates), (12, vec![2, 1, 2, 3, 5, 5], 1));
        assert_eq!(receiver.make_sack(1468).duplicates, 0);
    }

    /// A TSN that fills a gap joins the blocks on both sides, or the first block to what is cumulatively acknowledged.
    #[test]
    fn a_tsn_joins_blocks() {
        let mut receiver = Receiver::default();
        for tsn in [1, 3, 5, 7, 6] {
            receiver.add_tsn(tsn);
        }
        assert_eq!((receiver.cum_ack, receiver.blocks.as_slice()), (1, &[(3, 3), (5, 7)][..]));
        receiver.add_tsn(4);
        assert_eq!(receiver.blocks, [(3, 7)]);
        receiver.add_tsn(2);
        assert_eq!((receiver.cum_ack, receiver.blocks.len()), (7, 0));
    }

    /// Only what was delivered is named as not to be reneged; the rest of a block stays one that may be.
    #[test]
    fn blocks_are_divided_by_what_was_delivered() {
        let mut receiver = Receiver { cum_ack: 10, blocks: vec![(12, 16), (18, 18)], ..Receiver::default() };
        receiver.delivered = BTreeSet::from([13, 14, 18]);
        receiver.rebuild_delivered_blocks();
        let sack = receiver.make_non_renegable_sack(1468);
        assert_eq!(sack.words, [2, 2, 0, 0, 2, 2, 5, 6, 3, 4, 8, 8]);
    }
}
