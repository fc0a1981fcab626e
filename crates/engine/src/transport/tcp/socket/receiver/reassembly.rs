//! The receive queue (in order) and the out-of-order queue.
//!
//! Source: Linux's `sk_receive_queue`, `out_of_order_queue`, `tcp_data_queue_ofo`, `tcp_prune_ofo_queue`
//! (net/ipv4/tcp_input.c).
//! What it decides: what is kept of overlapping segments, and which overlap is reported as a D-SACK block.
//! Departures: the out-of-order queue is a sorted array, not a tree; pieces that touch become one entry, whose memory is
//! that of both.
//! Not implemented: nothing.
//! Checked against: by hand, below.

use std::collections::VecDeque;

use super::super::segment::{SackBlock, Segment, flag};
use super::super::seq::SeqNum;
use super::memory::{buffer, collapsed_truesize};

/// A piece of received sequence space and the memory that it takes.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Skb {
    /// First sequence number.
    pub(in super::super) seq: SeqNum,
    /// The one after the last.
    pub(in super::super) end_seq: SeqNum,
    /// It ends with a FIN.
    pub(in super::super) has_fin: bool,
    /// Memory, bytes.
    pub(in super::super) truesize: u32,
    /// Free bytes at the end of that memory.
    tailroom: u32,
}

impl Skb {
    /// A piece of one segment.
    pub(in super::super) fn new(segment: &Segment) -> Skb {
        let (truesize, tailroom) = buffer(segment);
        Skb { seq: segment.seq, end_seq: segment.end_seq(), has_fin: segment.has(flag::FIN), truesize, tailroom }
    }

    /// Takes over a small piece that follows, if there is room for it (`tcp_try_coalesce`). Returns whether it did.
    fn try_coalesce(&mut self, from: &Skb) -> bool {
        let payload = (from.end_seq.since(from.seq) - i32::from(from.has_fin)) as u32;
        if self.end_seq != from.seq || self.has_fin || payload > self.tailroom {
            return false;
        }
        self.tailroom -= payload;
        self.end_seq = from.end_seq;
        self.has_fin = from.has_fin;
        true
    }
}

/// Received pieces: data in order that were not read (`push`, `read`), or data after gaps, sorted and without overlaps
/// (`insert`, `pop_in_order`). Reading and appending take constant time.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct SkbQueue {
    skbs: VecDeque<Skb>,
    truesize: u32,
}

impl SkbQueue {
    /// Appends what comes next; `rcv_nxt` is where the queue ended so far.
    pub(in super::super) fn push(&mut self, mut skb: Skb, rcv_nxt: SeqNum) {
        debug_assert!(!skb.seq.after(rcv_nxt) && skb.end_seq.after(rcv_nxt), "{skb:?} does not follow {rcv_nxt:?}");
        if self.skbs.back_mut().is_some_and(|tail| tail.try_coalesce(&skb)) {
            return;
        }
        skb.seq = rcv_nxt;
        self.truesize += skb.truesize;
        self.skbs.push_back(skb);
    }

    /// Removes up to `bytes` from the head, which begins at `copied_seq`, at most to the end of its first piece. Returns
    /// the bytes removed.
    pub(in super::super) fn read(&mut self, bytes: u32, copied_seq: SeqNum) -> u32 {
        let Some(head) = self.skbs.front() else { return bytes };
        let payload_end = if head.has_fin { head.end_seq.sub(1) } else { head.end_seq };
        let len = payload_end.since(copied_seq).max(0) as u32;
        let step = len.min(bytes);
        if step == len && !head.has_fin {
            self.truesize -= head.truesize;
            self.skbs.pop_front();
        }
        step
    }

    /// Accounts for a piece that is read before anything else arrives, in an empty queue.
    #[inline]
    pub(in super::super) fn hold(&mut self, truesize: u32) {
        debug_assert!(self.skbs.is_empty());
        self.truesize = truesize;
    }

    /// The piece of [`SkbQueue::hold`] was read.
    #[inline]
    pub(in super::super) fn release(&mut self) {
        self.truesize = 0;
    }

    /// Memory, bytes.
    #[inline]
    pub(in super::super) fn truesize(&self) -> u32 {
        self.truesize
    }

    /// Whether nothing is queued.
    #[inline]
    pub(in super::super) fn is_empty(&self) -> bool {
        self.skbs.is_empty()
    }

    /// Drops all.
    pub(in super::super) fn clear(&mut self) {
        self.skbs.clear();
        self.truesize = 0;
    }

    /// Copies what is queued into fewer, full buffers (`tcp_collapse`, `tcp_collapse_ofo_queue`).
    pub(in super::super) fn collapse(&mut self) {
        self.truesize = 0;
        for skb in &mut self.skbs {
            skb.truesize = skb.truesize.min(collapsed_truesize(skb.end_seq.since(skb.seq) as u32));
            self.truesize += skb.truesize;
        }
    }

    /// Inserts a piece. Returns what was in the queue already, as one block (RFC 2883, 4).
    pub(in super::super) fn insert(&mut self, skb: Skb) -> Option<SackBlock> {
        let (seq, end_seq) = (skb.seq, skb.end_seq);
        // Pieces that begin at or before `seq`; almost always all of them.
        let after = match self.skbs.back() {
            Some(last) if !seq.before(last.seq) => self.skbs.len(),
            _ => self.skbs.partition_point(|other| !seq.before(other.seq)),
        };
        let mut dsack: Option<SackBlock> = None;
        let extend = |dsack: &mut Option<SackBlock>, start: SeqNum, end: SeqNum| {
            match dsack {
                // A block that does not touch the first one is not reported (`tcp_dsack_extend`).
                Some(block) if !start.after(block.end) && !block.start.after(end) => {
                    block.start = block.start.min(start);
                    block.end = block.end.max(end);
                }
                Some(_) => {}
                None => *dsack = Some(SackBlock { start, end }),
            }
        };
        let mut at = after;
        let mut is_merged = false;
        if let Some(before) = after.checked_sub(1).and_then(|index| self.skbs.get_mut(index)) {
            if before.try_coalesce(&skb) {
                is_merged = true;
            } else if before.end_seq == seq && !before.has_fin {
                // One piece in the queue, but still two buffers.
                before.end_seq = end_seq;
                before.has_fin = skb.has_fin;
                before.truesize += skb.truesize;
                before.tailroom = skb.tailroom;
                self.truesize += skb.truesize;
                is_merged = true;
            } else if seq.before(before.end_seq) {
                if !end_seq.after(before.end_seq) {
                    return Some(SackBlock { start: seq, end: end_seq });
                }
                if seq.after(before.seq) {
                    extend(&mut dsack, seq, before.end_seq);
                    // No byte twice: the piece before gives up its end.
                    before.end_seq = seq;
                    before.has_fin = false;
                } else {
                    extend(&mut dsack, before.seq, before.end_seq);
                    self.truesize -= before.truesize;
                    self.skbs.remove(after - 1);
                    at -= 1;
                }
            }
        }
        if !is_merged {
            self.truesize += skb.truesize;
            self.skbs.insert(at, skb);
            at += 1;
        }
        // Pieces that the new one covers.
        while let Some(next) = self.skbs.get_mut(at) {
            if !end_seq.after(next.seq) {
                break;
            }
            if end_seq.before(next.end_seq) {
                extend(&mut dsack, next.seq, end_seq);
                next.seq = end_seq;
                break;
            }
            extend(&mut dsack, next.seq, next.end_seq);
            self.truesize -= next.truesize;
            self.skbs.remove(at);
        }
        self.check();
        dsack
    }

    /// Removes and returns the first piece if it begins at or before `rcv_nxt`.
    pub(in super::super) fn pop_in_order(&mut self, rcv_nxt: SeqNum) -> Option<Skb> {
        if self.skbs.front()?.seq.after(rcv_nxt) {
            return None;
        }
        let skb = self.skbs.pop_front()?;
        self.truesize -= skb.truesize;
        Some(skb)
    }

    /// Removes the last piece, to free memory.
    pub(in super::super) fn pop_last(&mut self) -> Option<Skb> {
        let skb = self.skbs.pop_back()?;
        self.truesize -= skb.truesize;
        Some(skb)
    }

    /// The last piece.
    pub(in super::super) fn last(&self) -> Option<&Skb> {
        self.skbs.back()
    }

    /// Sorted, without overlaps, and the memory adds up.
    fn check(&self) {
        debug_assert!(self.skbs.iter().zip(self.skbs.iter().skip(1)).all(|(a, b)| !a.end_seq.after(b.seq)));
        debug_assert_eq!(self.truesize, self.skbs.iter().map(|skb| skb.truesize).sum::<u32>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skb(seq: u32, end_seq: u32) -> Skb {
        Skb { seq: SeqNum(seq), end_seq: SeqNum(end_seq), has_fin: false, truesize: 1000, tailroom: 0 }
    }

    fn ranges(queue: &SkbQueue) -> Vec<(u32, u32)> {
        queue.skbs.iter().map(|skb| (skb.seq.0, skb.end_seq.0)).collect()
    }

    // RFC 2883, 4.1 to 4.3: the D-SACK block is the part that was received before.
    #[test]
    fn overlaps_are_reported_and_stored_once() {
        let mut queue = SkbQueue::default();
        let block = |start, end| Some(SackBlock { start: SeqNum(start), end: SeqNum(end) });
        assert_eq!(queue.insert(skb(300, 400)), None);
        assert_eq!(queue.insert(skb(100, 200)), None);
        assert_eq!(queue.insert(skb(120, 180)), block(120, 180), "all of it is there");
        assert_eq!(queue.insert(skb(150, 250)), block(150, 200), "the first half is there");
        assert_eq!(ranges(&queue), [(100, 150), (150, 250), (300, 400)]);
        assert_eq!(queue.insert(skb(250, 350)), block(300, 350), "the second half is there");
        assert_eq!(ranges(&queue), [(100, 150), (150, 350), (350, 400)]);
        assert_eq!(queue.insert(skb(90, 500)), block(100, 400), "it covers all");
        assert_eq!(ranges(&queue), [(90, 500)]);
        assert!(queue.pop_in_order(SeqNum(89)).is_none());
        assert_eq!(queue.pop_in_order(SeqNum(95)).map(|skb| skb.end_seq), Some(SeqNum(500)));
        assert_eq!(queue.truesize(), 0);
    }
}
