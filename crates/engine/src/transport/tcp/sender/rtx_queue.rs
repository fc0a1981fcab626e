//! The retransmit queue: the segments that were sent and not acknowledged: where each is, when it was sent last, and what
//! the sender knew then.
//!
//! Source: RFC 6675, section 4, for what counts as in flight (`pipe`); RFC 8985, section 6.2, for the order of sending.
//! What it decides: which segments an ACK delivers, which of those marked lost comes next. The segments that may still be
//! found lost are linked in the order of their last sending, so that RACK looks at those alone that it may judge.
//! Departures: none. Not implemented: reneging; a receiver keeps what it has reported.
//! Checked against: by hand, below.

use std::collections::VecDeque;

use crate::transport::tcp::cc::Rate;

/// No segment.
const NONE: i32 = -1;

/// A segment that is outstanding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// When it was sent last, s.
    pub sent_s: f64,
    /// Since it was sent first it has been retransmitted.
    pub was_retransmitted: bool,
    /// Reported by SACK.
    pub is_sacked: bool,
    /// Marked lost.
    pub is_lost: bool,
    /// Marked lost, and retransmitted since.
    pub is_retransmitted: bool,
    /// What was known when it was sent last: of packets delivered, how many, when the last of them, and when the first
    /// packet of that interval was sent, s.
    pub delivered: u64,
    pub delivered_s: f64,
    pub first_sent_s: f64,
    /// Packets marked lost by then.
    pub lost: u64,
    /// Packets in flight with it.
    pub in_flight: u32,
    /// The application limited the sender then.
    pub is_app_limited: bool,
    /// The ones sent before and after it, among those that may be found lost.
    earlier: i32,
    later: i32,
    is_listed: bool,
}

impl Segment {
    /// What the sender knew when it sent it, as a control is told.
    pub fn as_rate(&self, lost: u64) -> Rate {
        Rate {
            per_s: None,
            delivered: 0,
            prior_delivered: self.delivered,
            lost: lost - self.lost,
            in_flight: self.in_flight,
            is_app_limited: self.is_app_limited,
        }
    }
}

/// What the sender knows when it sends a segment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sending {
    pub now_s: f64,
    pub delivered: u64,
    pub delivered_s: f64,
    pub first_sent_s: f64,
    pub lost: u64,
    pub is_app_limited: bool,
}

/// The outstanding segments.
#[derive(Debug)]
pub(super) struct RtxQueue {
    /// The first segment that is not acknowledged.
    first: i32,
    ring: VecDeque<Segment>,
    oldest: i32,
    newest: i32,
    sacked: u32,
    lost: u32,
    resent: u32,
    /// No segment below is marked lost and not retransmitted.
    next_lost: i32,
    /// The SACK blocks of the last ACK: what is in them is known.
    known: Vec<(i32, i32)>,
}

impl Default for RtxQueue {
    fn default() -> RtxQueue {
        RtxQueue {
            first: 0,
            ring: VecDeque::new(),
            oldest: NONE,
            newest: NONE,
            sacked: 0,
            lost: 0,
            resent: 0,
            next_lost: 0,
            known: Vec::new(),
        }
    }
}

impl RtxQueue {
    /// Forgets all; the next segment is number 0.
    pub fn reset(&mut self) {
        self.ring.clear();
        self.known.clear();
        (self.first, self.oldest, self.newest, self.next_lost) = (0, NONE, NONE, 0);
        (self.sacked, self.lost, self.resent) = (0, 0, 0);
    }

    /// The first segment that is not acknowledged.
    pub fn first(&self) -> i32 {
        self.first
    }

    /// One past the highest segment sent.
    pub fn next(&self) -> i32 {
        self.first + self.ring.len() as i32
    }

    /// Segments in flight: sent, not known to have arrived, not marked lost.
    pub fn in_flight(&self) -> u32 {
        self.ring.len() as u32 - self.sacked - self.lost + self.resent
    }

    /// Segments reported by SACK.
    pub fn sacked(&self) -> u32 {
        self.sacked
    }

    /// Whether nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// The segment, if it is outstanding.
    pub fn get(&self, seqno: i32) -> Option<&Segment> {
        self.ring.get(usize::try_from(seqno - self.first).ok()?)
    }

    fn at(&mut self, seqno: i32) -> &mut Segment {
        let index = (seqno - self.first) as usize;
        &mut self.ring[index]
    }

    /// A segment is sent, a new one or again. Whether it is retransmitted.
    pub fn send(&mut self, seqno: i32, sending: &Sending) -> bool {
        let again = seqno < self.next();
        if !again {
            debug_assert_eq!(seqno, self.next());
            self.ring.push_back(Segment {
                sent_s: 0.0,
                was_retransmitted: false,
                is_sacked: false,
                is_lost: false,
                is_retransmitted: false,
                delivered: 0,
                delivered_s: 0.0,
                first_sent_s: 0.0,
                lost: 0,
                in_flight: 0,
                is_app_limited: false,
                earlier: NONE,
                later: NONE,
                is_listed: false,
            });
        }
        self.unlist(seqno);
        let segment = self.at(seqno);
        segment.was_retransmitted |= again;
        let counts = segment.is_lost && !segment.is_retransmitted;
        segment.is_retransmitted |= counts;
        self.resent += u32::from(counts);
        let in_flight = self.in_flight();
        let segment = self.at(seqno);
        segment.sent_s = sending.now_s;
        segment.delivered = sending.delivered;
        segment.delivered_s = sending.delivered_s;
        segment.first_sent_s = sending.first_sent_s;
        segment.lost = sending.lost;
        segment.in_flight = in_flight;
        segment.is_app_limited = sending.is_app_limited;
        self.list(seqno);
        again
    }

    /// Takes in an ACK up to and with `ack` with these SACK blocks; `each` sees every segment that it newly delivers.
    pub fn take(&mut self, ack: i32, blocks: &[(i32, i32)], mut each: impl FnMut(i32, &Segment)) {
        while self.first <= ack && !self.ring.is_empty() {
            let seqno = self.first;
            self.deliver(seqno, &mut each);
            let segment = *self.at(seqno);
            self.sacked -= u32::from(segment.is_sacked);
            self.ring.pop_front();
            self.first += 1;
        }
        self.next_lost = self.next_lost.max(self.first);
        for &(from, after) in blocks {
            let mut seqno = from.max(self.first);
            while seqno < after.min(self.next()) {
                if let Some(&(_, end)) = self.known.iter().find(|&&(begin, end)| (begin..end).contains(&seqno)) {
                    seqno = end;
                    continue;
                }
                self.deliver(seqno, &mut each);
                seqno += 1;
            }
        }
        self.known.clear();
        self.known.extend_from_slice(blocks);
    }

    /// A segment has arrived: it is in flight no longer, and not lost.
    fn deliver(&mut self, seqno: i32, each: &mut impl FnMut(i32, &Segment)) {
        let segment = *self.at(seqno);
        if segment.is_sacked {
            return;
        }
        each(seqno, &segment);
        self.unlist(seqno);
        self.forgive(seqno);
        self.at(seqno).is_sacked = true;
        self.sacked += 1;
    }

    /// The segment is not marked lost any more.
    fn forgive(&mut self, seqno: i32) {
        let segment = self.at(seqno);
        let (was_lost, was_retransmitted) = (segment.is_lost, segment.is_retransmitted);
        (segment.is_lost, segment.is_retransmitted) = (false, false);
        self.lost -= u32::from(was_lost);
        self.resent -= u32::from(was_retransmitted);
    }

    /// The segment is marked lost (again, if it was retransmitted).
    pub fn mark_lost(&mut self, seqno: i32) {
        self.unlist(seqno);
        let segment = self.at(seqno);
        debug_assert!(!segment.is_sacked);
        let (was_lost, was_retransmitted) = (segment.is_lost, segment.is_retransmitted);
        (segment.is_lost, segment.is_retransmitted) = (true, false);
        self.lost += u32::from(!was_lost);
        self.resent -= u32::from(was_retransmitted);
        self.next_lost = self.next_lost.min(seqno);
    }

    /// No segment is marked lost any more: what was sent first is on its way.
    pub fn unmark_all_lost(&mut self) {
        let mut order: Vec<(f64, i32)> = Vec::new();
        for seqno in self.first..self.next() {
            self.unlist(seqno);
            self.forgive(seqno);
            if !self.at(seqno).is_sacked {
                order.push((self.at(seqno).sent_s, seqno));
            }
        }
        order.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
        for (_, seqno) in order {
            self.list(seqno);
        }
    }

    /// The lowest segment that is marked lost and was not retransmitted since.
    pub fn next_lost(&mut self) -> Option<i32> {
        if self.lost == self.resent {
            return None;
        }
        while self.next_lost < self.next() {
            let segment = *self.at(self.next_lost);
            if segment.is_lost && !segment.is_retransmitted {
                return Some(self.next_lost);
            }
            self.next_lost += 1;
        }
        None
    }

    /// Of the segments that may be found lost, the one sent first, and the one sent after `seqno`.
    pub fn oldest(&self) -> Option<i32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// See [`RtxQueue::oldest`].
    pub fn after(&self, seqno: i32) -> Option<i32> {
        self.get(seqno).map(|segment| segment.later).filter(|&later| later != NONE)
    }

    fn list(&mut self, seqno: i32) {
        let earlier = self.newest;
        let segment = self.at(seqno);
        (segment.earlier, segment.later, segment.is_listed) = (earlier, NONE, true);
        if earlier == NONE {
            self.oldest = seqno;
        } else {
            self.at(earlier).later = seqno;
        }
        self.newest = seqno;
    }

    fn unlist(&mut self, seqno: i32) {
        let segment = self.at(seqno);
        if !segment.is_listed {
            return;
        }
        segment.is_listed = false;
        let (earlier, later) = (segment.earlier, segment.later);
        if earlier == NONE {
            self.oldest = later;
        } else {
            self.at(earlier).later = later;
        }
        if later == NONE {
            self.newest = earlier;
        } else {
            self.at(later).earlier = earlier;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(count: i32) -> RtxQueue {
        let mut segments = RtxQueue::default();
        for seqno in 0..count {
            segments.send(seqno, &Sending { now_s: f64::from(seqno), ..Sending::default() });
        }
        segments
    }

    fn order(segments: &RtxQueue) -> Vec<i32> {
        std::iter::successors(segments.oldest(), |&seqno| segments.after(seqno)).collect()
    }

    // RFC 6675, section 4 (SetPipe), by hand: of 0..10, 1 and 2 are lost, 3 to 6 arrive, 1 is retransmitted.
    #[test]
    fn what_is_in_flight() {
        let mut segments = sent(10);
        let mut delivered = Vec::new();
        segments.take(0, &[(3, 5)], |seqno, _| delivered.push(seqno));
        segments.take(0, &[(3, 7)], |seqno, _| delivered.push(seqno));
        assert_eq!(delivered, [0, 3, 4, 5, 6]);
        assert_eq!(segments.in_flight(), 5);
        segments.mark_lost(2);
        segments.mark_lost(1);
        assert_eq!((segments.in_flight(), segments.next_lost()), (3, Some(1)));
        segments.send(1, &Sending { now_s: 10.0, ..Sending::default() });
        assert_eq!((segments.in_flight(), segments.next_lost()), (4, Some(2)));
        assert_eq!(order(&segments), [7, 8, 9, 1]);
        delivered.clear();
        segments.take(6, &[(9, 10)], |seqno, _| delivered.push(seqno));
        assert_eq!(delivered, [1, 2, 9]);
        assert_eq!((segments.in_flight(), segments.sacked(), segments.next_lost()), (2, 1, None));
        assert_eq!(order(&segments), [7, 8]);
    }

    #[test]
    fn a_segment_lost_again_is_sent_again() {
        let mut segments = sent(3);
        segments.mark_lost(0);
        segments.send(0, &Sending { now_s: 5.0, ..Sending::default() });
        assert_eq!((segments.in_flight(), segments.next_lost()), (3, None));
        segments.mark_lost(0);
        assert_eq!((segments.in_flight(), segments.next_lost()), (2, Some(0)));
        segments.mark_lost(1);
        segments.send(0, &Sending { now_s: 6.0, ..Sending::default() });
        segments.unmark_all_lost();
        assert_eq!((segments.in_flight(), segments.next_lost()), (3, None));
        assert_eq!(order(&segments), [1, 2, 0], "in the order of sending");
    }
}
