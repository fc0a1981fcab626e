//! The retransmission queue: the outstanding segments, with the state of each at its last transmission.
//!
//! Source: RFC 6675, section 4, for the packets in flight (`pipe`); RFC 8985, sections 5.2 and 6.2, for the segments and
//! their order of transmission; draft-cheng-iccrg-delivery-rate-estimation, 3.1.2, for the state of a segment.
//! What it decides: which segments an ACK delivers, and which lost segment is retransmitted next. The segments that may still
//! be lost are linked in the order of their last transmission, so that RACK visits only those.
//! Departures: none. Not implemented: SACK reneging; a receiver keeps what it has reported.
//! Checked against: by hand, below.

use std::collections::VecDeque;

use crate::transport::tcp::cc::Rate;

/// No segment, in the linked list.
const NONE: i32 = -1;

/// An outstanding segment (RFC 8985, 5.2).
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// `Segment.xmit_ts`, and `P.sent_time` of the delivery rate: the time of the last transmission, s.
    pub xmit_ts_s: f64,
    /// `Segment.retransmitted`: it was sent more than once.
    pub retransmitted: bool,
    /// Reported by SACK.
    pub is_sacked: bool,
    /// `Segment.lost`: marked lost.
    pub is_lost: bool,
    /// Marked lost and then retransmitted (counts in Linux's `retrans_out`).
    pub is_retrans_out: bool,
    /// `P.delivered`: packets delivered at its last transmission.
    pub delivered: u64,
    /// `P.delivered_time`: when the last of them was delivered, s.
    pub delivered_time_s: f64,
    /// `P.first_sent_time`: when the first packet of the sending interval was sent, s.
    pub first_sent_time_s: f64,
    /// `P.lost`: packets marked lost at its last transmission.
    pub lost: u64,
    /// Linux's `tx.delivered_ce`: packets reported with CE at its last transmission.
    pub delivered_ce: u64,
    /// `P.tx_in_flight`: packets in flight at its last transmission, including itself.
    pub tx_in_flight: u32,
    /// `P.is_app_limited`: the rate was application-limited at its last transmission.
    pub is_app_limited: bool,
    /// Its neighbours in transmission order, among the segments that may still be lost.
    earlier: i32,
    later: i32,
    is_listed: bool,
}

impl Segment {
    /// The state at its last transmission, for a congestion control that learns that segment `seqno` is lost.
    pub fn as_rate(&self, seqno: i32, lost: u64) -> Rate {
        Rate {
            per_s: None,
            delivered: 0,
            prior_delivered: self.delivered,
            lost: lost - self.lost,
            marked: 0,
            seqno: seqno.max(0) as u64,
            in_flight: self.tx_in_flight,
            is_app_limited: self.is_app_limited,
        }
    }
}

/// The connection state that a segment stores at its transmission.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SendState {
    pub now_s: f64,
    pub delivered: u64,
    pub delivered_time_s: f64,
    pub first_sent_time_s: f64,
    pub lost: u64,
    pub delivered_ce: u64,
    pub is_app_limited: bool,
}

/// The outstanding segments.
#[derive(Debug)]
pub(super) struct RtxQueue {
    /// SND.UNA: the first segment that is not acknowledged.
    snd_una: i32,
    /// The segments from SND.UNA to before SND.NXT.
    ring: VecDeque<Segment>,
    /// The ends of the list in transmission order.
    oldest: i32,
    newest: i32,
    /// Segments that SACK has reported.
    sacked_out: u32,
    /// Segments marked lost.
    lost_out: u32,
    /// Segments marked lost and then retransmitted.
    retrans_out: u32,
    /// No segment below this one waits for retransmission.
    retransmit_hint: i32,
    /// The SACK blocks of the last ACK: the segments in them are marked already.
    last_sack_blocks: Vec<(i32, i32)>,
    /// Scratch space: the SACK blocks of an ACK in ascending order.
    sorted_blocks: Vec<(i32, i32)>,
}

impl Default for RtxQueue {
    fn default() -> RtxQueue {
        RtxQueue {
            snd_una: 0,
            ring: VecDeque::new(),
            oldest: NONE,
            newest: NONE,
            sacked_out: 0,
            lost_out: 0,
            retrans_out: 0,
            retransmit_hint: 0,
            last_sack_blocks: Vec::new(),
            sorted_blocks: Vec::new(),
        }
    }
}

impl RtxQueue {
    /// Removes all segments; the next one is number 0.
    pub fn reset(&mut self) {
        self.ring.clear();
        self.last_sack_blocks.clear();
        (self.snd_una, self.oldest, self.newest, self.retransmit_hint) = (0, NONE, NONE, 0);
        (self.sacked_out, self.lost_out, self.retrans_out) = (0, 0, 0);
    }

    /// SND.UNA: the first segment that is not acknowledged.
    pub fn snd_una(&self) -> i32 {
        self.snd_una
    }

    /// SND.NXT: one past the highest segment sent.
    pub fn snd_nxt(&self) -> i32 {
        self.snd_una + self.ring.len() as i32
    }

    /// `pipe` (RFC 6675, 4): segments sent that are neither delivered nor marked lost.
    pub fn in_flight(&self) -> u32 {
        self.ring.len() as u32 - self.sacked_out - self.lost_out + self.retrans_out
    }

    /// `RACK.segs_sacked`: segments that SACK has reported.
    pub fn segs_sacked(&self) -> u32 {
        self.sacked_out
    }

    /// Whether nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// The segment, if it is outstanding.
    pub fn get(&self, seqno: i32) -> Option<&Segment> {
        self.ring.get(usize::try_from(seqno - self.snd_una).ok()?)
    }

    fn at(&mut self, seqno: i32) -> &mut Segment {
        let index = (seqno - self.snd_una) as usize;
        &mut self.ring[index]
    }

    /// A segment is sent. Returns whether it is a retransmission.
    pub fn send(&mut self, seqno: i32, state: &SendState) -> bool {
        let is_retransmission = seqno < self.snd_nxt();
        if !is_retransmission {
            debug_assert_eq!(seqno, self.snd_nxt());
            self.ring.push_back(Segment {
                xmit_ts_s: 0.0,
                retransmitted: false,
                is_sacked: false,
                is_lost: false,
                is_retrans_out: false,
                delivered: 0,
                delivered_time_s: 0.0,
                first_sent_time_s: 0.0,
                lost: 0,
                delivered_ce: 0,
                tx_in_flight: 0,
                is_app_limited: false,
                earlier: NONE,
                later: NONE,
                is_listed: false,
            });
        }
        self.unlist(seqno);
        let segment = self.at(seqno);
        segment.retransmitted |= is_retransmission;
        let was_waiting = segment.is_lost && !segment.is_retrans_out;
        segment.is_retrans_out |= was_waiting;
        self.retrans_out += u32::from(was_waiting);
        let in_flight = self.in_flight();
        let segment = self.at(seqno);
        segment.xmit_ts_s = state.now_s;
        segment.delivered = state.delivered;
        segment.delivered_time_s = state.delivered_time_s;
        segment.first_sent_time_s = state.first_sent_time_s;
        segment.lost = state.lost;
        segment.delivered_ce = state.delivered_ce;
        segment.tx_in_flight = in_flight;
        segment.is_app_limited = state.is_app_limited;
        self.list(seqno);
        is_retransmission
    }

    /// Processes an ACK up to `ack`, inclusive, with SACK blocks. Calls `on_delivered` for each newly delivered
    /// segment.
    pub fn on_ack(&mut self, ack: i32, blocks: &[(i32, i32)], mut on_delivered: impl FnMut(i32, &Segment)) {
        while self.snd_una <= ack && !self.ring.is_empty() {
            let seqno = self.snd_una;
            self.mark_delivered(seqno, &mut on_delivered);
            let segment = *self.at(seqno);
            self.sacked_out -= u32::from(segment.is_sacked);
            self.ring.pop_front();
            self.snd_una += 1;
        }
        self.retransmit_hint = self.retransmit_hint.max(self.snd_una);
        // Ascending, as in Linux: otherwise a lower block that is also new would look like reordering.
        let mut sorted = std::mem::take(&mut self.sorted_blocks);
        sorted.extend_from_slice(blocks);
        sorted.sort_unstable();
        for &(from, after) in &sorted {
            let mut seqno = from.max(self.snd_una);
            while seqno < after.min(self.snd_nxt()) {
                if let Some(&(_, end)) =
                    self.last_sack_blocks.iter().find(|&&(begin, end)| (begin..end).contains(&seqno))
                {
                    seqno = end;
                    continue;
                }
                self.mark_delivered(seqno, &mut on_delivered);
                seqno += 1;
            }
        }
        sorted.clear();
        self.sorted_blocks = sorted;
        self.last_sack_blocks.clear();
        self.last_sack_blocks.extend_from_slice(blocks);
    }

    /// A segment is delivered: it is no longer in flight or lost.
    fn mark_delivered(&mut self, seqno: i32, on_delivered: &mut impl FnMut(i32, &Segment)) {
        let segment = *self.at(seqno);
        if segment.is_sacked {
            return;
        }
        on_delivered(seqno, &segment);
        self.unlist(seqno);
        self.unmark_lost(seqno);
        self.at(seqno).is_sacked = true;
        self.sacked_out += 1;
    }

    /// Removes a segment's loss mark.
    fn unmark_lost(&mut self, seqno: i32) {
        let segment = self.at(seqno);
        let (was_lost, was_retrans_out) = (segment.is_lost, segment.is_retrans_out);
        (segment.is_lost, segment.is_retrans_out) = (false, false);
        self.lost_out -= u32::from(was_lost);
        self.retrans_out -= u32::from(was_retrans_out);
    }

    /// Marks a segment, or its retransmission, lost.
    pub fn mark_lost(&mut self, seqno: i32) {
        self.unlist(seqno);
        let segment = self.at(seqno);
        debug_assert!(!segment.is_sacked);
        let (was_lost, was_retrans_out) = (segment.is_lost, segment.is_retrans_out);
        (segment.is_lost, segment.is_retrans_out) = (true, false);
        self.lost_out += u32::from(!was_lost);
        self.retrans_out -= u32::from(was_retrans_out);
        self.retransmit_hint = self.retransmit_hint.min(seqno);
    }

    /// Removes all loss marks: the original transmissions are late, not lost.
    pub fn unmark_all_lost(&mut self) {
        let mut by_xmit_ts: Vec<(f64, i32)> = Vec::new();
        for seqno in self.snd_una..self.snd_nxt() {
            self.unlist(seqno);
            self.unmark_lost(seqno);
            if !self.at(seqno).is_sacked {
                by_xmit_ts.push((self.at(seqno).xmit_ts_s, seqno));
            }
        }
        by_xmit_ts.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
        for (_, seqno) in by_xmit_ts {
            self.list(seqno);
        }
    }

    /// The lowest segment that is marked lost and not yet retransmitted.
    pub fn next_to_retransmit(&mut self) -> Option<i32> {
        if self.lost_out == self.retrans_out {
            return None;
        }
        while self.retransmit_hint < self.snd_nxt() {
            let segment = *self.at(self.retransmit_hint);
            if segment.is_lost && !segment.is_retrans_out {
                return Some(self.retransmit_hint);
            }
            self.retransmit_hint += 1;
        }
        None
    }

    /// The segment with the earliest transmission, among those that may still be lost.
    pub fn oldest(&self) -> Option<i32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// The segment after `seqno` in transmission order.
    pub fn after(&self, seqno: i32) -> Option<i32> {
        self.get(seqno).map(|segment| segment.later).filter(|&later| later != NONE)
    }

    /// Appends a segment to the list in transmission order.
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

    /// Removes a segment from the list in transmission order.
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
            segments.send(seqno, &SendState { now_s: f64::from(seqno), ..SendState::default() });
        }
        segments
    }

    fn order(segments: &RtxQueue) -> Vec<i32> {
        std::iter::successors(segments.oldest(), |&seqno| segments.after(seqno)).collect()
    }

    // RFC 6675, section 4 (SetPipe), by hand: of 0..10, 1 and 2 are lost, 3 to 6 are delivered, 1 is retransmitted.
    #[test]
    fn the_packets_in_flight() {
        let mut segments = sent(10);
        let mut delivered = Vec::new();
        segments.on_ack(0, &[(3, 5)], |seqno, _| delivered.push(seqno));
        segments.on_ack(0, &[(3, 7)], |seqno, _| delivered.push(seqno));
        assert_eq!(delivered, [0, 3, 4, 5, 6]);
        assert_eq!(segments.in_flight(), 5);
        segments.mark_lost(2);
        segments.mark_lost(1);
        assert_eq!((segments.in_flight(), segments.next_to_retransmit()), (3, Some(1)));
        segments.send(1, &SendState { now_s: 10.0, ..SendState::default() });
        assert_eq!((segments.in_flight(), segments.next_to_retransmit()), (4, Some(2)));
        assert_eq!(order(&segments), [7, 8, 9, 1]);
        delivered.clear();
        segments.on_ack(6, &[(9, 10)], |seqno, _| delivered.push(seqno));
        assert_eq!(delivered, [1, 2, 9]);
        assert_eq!((segments.in_flight(), segments.segs_sacked(), segments.next_to_retransmit()), (2, 1, None));
        assert_eq!(order(&segments), [7, 8]);
    }

    #[test]
    fn a_lost_retransmission_is_retransmitted() {
        let mut segments = sent(3);
        segments.mark_lost(0);
        segments.send(0, &SendState { now_s: 5.0, ..SendState::default() });
        assert_eq!((segments.in_flight(), segments.next_to_retransmit()), (3, None));
        segments.mark_lost(0);
        assert_eq!((segments.in_flight(), segments.next_to_retransmit()), (2, Some(0)));
        segments.mark_lost(1);
        segments.send(0, &SendState { now_s: 6.0, ..SendState::default() });
        segments.unmark_all_lost();
        assert_eq!((segments.in_flight(), segments.next_to_retransmit()), (3, None));
        assert_eq!(order(&segments), [1, 2, 0], "in the order of transmission");
    }
}
