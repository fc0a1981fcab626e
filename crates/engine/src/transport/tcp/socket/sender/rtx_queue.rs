//! The retransmission queue: the segments sent and not acknowledged, in the order of sequence numbers, and a second list of
//! them in the order of their last transmission.
//!
//! Source: Linux (`tcp_rtx_queue` and `tsorted_sent_queue`); RFC 8985, section 5.2, for the order of transmission.
//! What it decides: nothing; it finds segments. A segment is found by number in O(log n), removed from the front in O(1),
//! and split in O(n) moves of 4 bytes.
//! Departures: SACKed segments are not merged, since their lists cost nothing here. Not implemented: nothing.
//! Checked against: by hand, below.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

use super::super::seq::SeqNum;
use super::skb::Skb;

/// No segment, in a list.
const NONE: u32 = u32::MAX;

/// A place in the store, with the neighbours in the order of transmission.
#[derive(Clone, Copy, Debug)]
struct Node {
    skb: Skb,
    earlier: u32,
    later: u32,
    is_listed: bool,
}

/// A segment's name, valid until the segment is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(u32);

/// The retransmission queue.
#[derive(Debug, Default)]
pub struct RtxQueue {
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// Places in the order of sequence numbers.
    order: VecDeque<u32>,
    /// Ends of the list in the order of transmission.
    tsorted: Option<(u32, u32)>,
}

impl RtxQueue {
    /// Number of segments.
    #[inline]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are none (`tcp_rtx_queue_empty`).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The segment at SND.UNA (`tcp_rtx_queue_head`).
    #[inline]
    pub fn head(&self) -> Option<&Skb> {
        self.order.front().map(|&place| &self.nodes[place as usize].skb)
    }

    /// [`RtxQueue::head`], to change it.
    #[inline]
    pub fn head_mut(&mut self) -> Option<&mut Skb> {
        self.order.front().map(|&place| &mut self.nodes[place as usize].skb)
    }

    /// Appends a segment that was just sent.
    pub fn push(&mut self, skb: Skb) {
        let place = self.store(skb);
        self.order.push_back(place);
        self.list_last(place);
    }

    /// Removes the first segment.
    pub fn pop(&mut self) {
        if let Some(place) = self.order.pop_front() {
            self.unlist_place(place);
            self.free.push(place);
        }
    }

    /// Removes the segment at `index`.
    pub fn remove(&mut self, index: usize) {
        if let Some(place) = self.order.remove(index) {
            self.unlist_place(place);
            self.free.push(place);
        }
    }

    /// Removes all segments.
    pub fn clear(&mut self) {
        self.order.clear();
        self.nodes.clear();
        self.free.clear();
        self.tsorted = None;
    }

    /// Index of the first segment that ends after `seq`; the number of segments if there is none.
    pub fn find(&self, seq: SeqNum) -> usize {
        self.order.partition_point(|&place| !self.nodes[place as usize].skb.end_seq.after(seq))
    }

    /// `tcp_fragment` in the retransmission queue: splits the segment at `index` after `len` bytes of payload. The second
    /// part follows it in both lists.
    pub fn fragment(&mut self, index: usize, len: u32, mss: u32) {
        let place = self.order[index];
        let rest = self.nodes[place as usize].skb.split(len, mss);
        let rest_place = self.store(rest);
        self.order.insert(index + 1, rest_place);
        let Node { later, is_listed, .. } = self.nodes[place as usize];
        if !is_listed {
            return;
        }
        let node = &mut self.nodes[rest_place as usize];
        (node.earlier, node.later, node.is_listed) = (place, later, true);
        self.nodes[place as usize].later = rest_place;
        if later != NONE {
            self.nodes[later as usize].earlier = rest_place;
        } else if let Some((_, last)) = &mut self.tsorted {
            *last = rest_place;
        }
    }

    /// The segment at `index` was sent just now: moves it to the end of the order of transmission.
    pub fn list_as_latest(&mut self, index: usize) {
        let place = self.order[index];
        self.unlist_place(place);
        self.list_last(place);
    }

    /// Removes the segment at `index` from the order of transmission: it is delivered.
    pub fn unlist(&mut self, index: usize) {
        self.unlist_place(self.order[index]);
    }

    /// Removes a segment from the order of transmission: it is marked lost.
    pub fn unlist_handle(&mut self, handle: Handle) {
        self.unlist_place(handle.0);
    }

    /// The segment with the earliest transmission, of those listed.
    pub fn earliest(&self) -> Option<Handle> {
        self.tsorted.map(|(first, _)| Handle(first))
    }

    /// The next one in the order of transmission.
    pub fn later(&self, handle: Handle) -> Option<Handle> {
        let later = self.nodes[handle.0 as usize].later;
        (later != NONE).then_some(Handle(later))
    }

    /// The segment.
    pub fn get(&self, handle: Handle) -> &Skb {
        &self.nodes[handle.0 as usize].skb
    }

    /// The segment.
    pub fn get_mut(&mut self, handle: Handle) -> &mut Skb {
        &mut self.nodes[handle.0 as usize].skb
    }

    fn store(&mut self, skb: Skb) -> u32 {
        let node = Node { skb, earlier: NONE, later: NONE, is_listed: false };
        match self.free.pop() {
            Some(place) => {
                self.nodes[place as usize] = node;
                place
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    fn list_last(&mut self, place: u32) {
        let earlier = self.tsorted.map_or(NONE, |(_, last)| last);
        let node = &mut self.nodes[place as usize];
        (node.earlier, node.later, node.is_listed) = (earlier, NONE, true);
        if earlier != NONE {
            self.nodes[earlier as usize].later = place;
        }
        self.tsorted = Some((self.tsorted.map_or(place, |(first, _)| first), place));
    }

    fn unlist_place(&mut self, place: u32) {
        let node = &mut self.nodes[place as usize];
        if !std::mem::take(&mut node.is_listed) {
            return;
        }
        let (earlier, later) = (node.earlier, node.later);
        if earlier != NONE {
            self.nodes[earlier as usize].later = later;
        }
        if later != NONE {
            self.nodes[later as usize].earlier = earlier;
        }
        self.tsorted = self.tsorted.and_then(|(first, last)| {
            let first = if first == place { later } else { first };
            let last = if last == place { earlier } else { last };
            (first != NONE).then_some((first, last))
        });
    }
}

impl Index<usize> for RtxQueue {
    type Output = Skb;
    fn index(&self, index: usize) -> &Skb {
        &self.nodes[self.order[index] as usize].skb
    }
}

impl IndexMut<usize> for RtxQueue {
    fn index_mut(&mut self, index: usize) -> &mut Skb {
        let place = self.order[index];
        &mut self.nodes[place as usize].skb
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(count: u32) -> RtxQueue {
        let mut queue = RtxQueue::default();
        for number in 0..count {
            let seq = SeqNum(number * 1000);
            let mut skb = Skb { seq, end_seq: seq.add(1000), len: 1000, ..Skb::default() };
            skb.set_tso_segs(500);
            queue.push(skb);
        }
        queue
    }

    fn by_time(queue: &RtxQueue) -> Vec<u32> {
        std::iter::successors(queue.earliest(), |&handle| queue.later(handle))
            .map(|handle| queue.get(handle).seq.0)
            .collect()
    }

    #[test]
    fn both_orders_survive_splits_and_removals() {
        let mut queue = queue(4);
        assert_eq!((queue.find(SeqNum(0)), queue.find(SeqNum(1999)), queue.find(SeqNum(4000))), (0, 1, 4));
        queue.fragment(1, 500, 500);
        assert_eq!(by_time(&queue), [0, 1000, 1500, 2000, 3000]);
        queue.list_as_latest(0);
        queue.unlist(3);
        assert_eq!(by_time(&queue), [1000, 1500, 3000, 0]);
        queue.fragment(0, 500, 500);
        assert_eq!(by_time(&queue), [1000, 1500, 3000, 0, 500]);
        queue.pop();
        queue.pop();
        queue.remove(1);
        assert_eq!(by_time(&queue), [1000, 3000]);
        assert_eq!((queue.len(), queue[0].seq, queue.find(SeqNum(1500))), (3, SeqNum(1000), 1));
        queue.unlist(0);
        queue.pop();
        queue.pop();
        queue.pop();
        assert!(queue.is_empty() && queue.earliest().is_none());
    }
}
