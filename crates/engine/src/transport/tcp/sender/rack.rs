//! RACK: a segment is lost when one that was sent sufficiently later has arrived.
//!
//! Source: Y. Cheng, N. Cardwell, N. Dukkipati, P. Jha, RFC 8985, section 6.
//! What it decides: which segments an ACK or the reordering timer shows to be lost, and when to look again. Before reordering
//! has been seen, three segments above a hole are enough (RFC 6675's rule, 6.2 step 4); after that a quarter of the least
//! round trip, and more as duplicates are reported.
//! Departures: none. Not implemented: nothing.
//! Checked against: the RFC's rules by hand, below.

use super::rtx_queue::{RtxQueue, Segment};

/// Recoveries for which a reordering window that duplicates have widened is kept (6.2, step 4).
const PERSISTENCE: u32 = 16;
/// Two instants that differ by less are one: sums of rounded times are not exact.
const INSTANT_S: f64 = 1e-9;

/// What it keeps.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// Of the segments delivered, the one sent last: when, and which.
    last: Option<(f64, i32)>,
    /// Its round trip, s.
    rtt_s: f64,
    /// The least round trip, s.
    pub min_rtt_s: f64,
    /// The highest segment delivered.
    forward: i32,
    is_reordering: bool,
    multiplier: u32,
    persistence: u32,
    /// Until the ACK of so many, no further duplicate counts.
    duplicates_until: Option<i32>,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            last: None,
            rtt_s: 0.0,
            min_rtt_s: f64::INFINITY,
            forward: -1,
            is_reordering: false,
            multiplier: 1,
            persistence: 0,
            duplicates_until: None,
        }
    }
}

impl Rack {
    /// A segment is delivered by an ACK that echoes `ts_echo` for it.
    pub fn delivered(&mut self, seqno: i32, segment: &Segment, ts_echo: Option<f64>, now_s: f64) {
        if seqno > self.forward {
            self.forward = seqno;
        } else if !segment.was_retransmitted {
            self.is_reordering = true;
        }
        let rtt_s = now_s - segment.sent_s;
        if segment.was_retransmitted {
            // It may be the first sending that has arrived (step 2).
            if ts_echo.is_some_and(|echo| echo < segment.sent_s) || rtt_s < self.min_rtt_s {
                return;
            }
        } else {
            self.min_rtt_s = self.min_rtt_s.min(rtt_s);
        }
        self.rtt_s = rtt_s;
        if self.last.is_none_or(|last| (segment.sent_s, seqno) > last) {
            self.last = Some((segment.sent_s, seqno));
        }
    }

    /// An ACK up to before `first` came, with or without a report of a duplicate, before `next` is sent (step 4).
    pub fn take_duplicate(&mut self, is_duplicate: bool, first: i32, next: i32) {
        if self.duplicates_until.is_some_and(|until| first >= until) {
            self.duplicates_until = None;
        }
        if is_duplicate && self.duplicates_until.is_none() {
            self.duplicates_until = Some(next);
            self.multiplier += 1;
            self.persistence = PERSISTENCE;
        }
    }

    /// A recovery has ended.
    pub fn recovered(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.multiplier = 1;
        }
    }

    /// How much later a segment must have been sent than one that is to be marked lost, s.
    pub fn window_s(&self, is_recovering: bool, sacked: u32, threshold: u32, srtt_s: f64) -> f64 {
        if !self.is_reordering && (is_recovering || sacked >= threshold) {
            return 0.0;
        }
        (f64::from(self.multiplier) * self.min_rtt_s / 4.0).min(srtt_s)
    }

    /// Puts those that are lost into `lost`; how long until more may be, s (step 5).
    pub fn find(&self, segments: &RtxQueue, window_s: f64, now_s: f64, lost: &mut Vec<i32>) -> Option<f64> {
        let last = self.last?;
        let mut wait_s = None;
        let mut next = segments.oldest();
        while let Some(seqno) = next
            && let Some(segment) = segments.get(seqno)
            && (segment.sent_s, seqno) < last
        {
            let remaining_s = segment.sent_s + self.rtt_s + window_s - now_s;
            if remaining_s <= INSTANT_S {
                lost.push(seqno);
            } else {
                wait_s = Some(remaining_s.max(wait_s.unwrap_or(0.0)));
            }
            next = segments.after(seqno);
        }
        wait_s
    }

    /// Whether the timer's end shows a segment to be lost (6.3): it was not sent only now.
    pub fn is_overdue(&self, segment: &Segment, window_s: f64, now_s: f64) -> bool {
        segment.sent_s + self.rtt_s + window_s - now_s <= INSTANT_S
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtx_queue::Sending;
    use super::*;

    const RTT_S: f64 = 0.1;

    /// Segments sent 1 ms apart.
    fn sent(count: i32) -> RtxQueue {
        let mut segments = RtxQueue::default();
        for seqno in 0..count {
            segments.send(seqno, &Sending { now_s: 0.001 * f64::from(seqno), ..Sending::default() });
        }
        segments
    }

    fn arrive(rack: &mut Rack, segments: &mut RtxQueue, now_s: f64, blocks: &[(i32, i32)]) {
        segments.take(-1, blocks, |seqno, segment| rack.delivered(seqno, segment, None, now_s));
    }

    fn find(rack: &Rack, segments: &RtxQueue, now_s: f64) -> (Vec<i32>, Option<f64>) {
        let mut lost = Vec::new();
        let window_s = rack.window_s(false, segments.sacked(), 3, RTT_S);
        let wait_s = rack.find(segments, window_s, now_s, &mut lost);
        (lost, wait_s)
    }

    // 6.2, step 4 and 5: 0 is lost; with two above it RACK waits for a quarter of the round trip, with three for nothing.
    #[test]
    fn three_segments_above_a_hole_are_enough_while_nothing_was_reordered() {
        let (mut rack, mut segments) = (Rack::default(), sent(5));
        arrive(&mut rack, &mut segments, 0.101, &[(1, 2)]);
        arrive(&mut rack, &mut segments, 0.102, &[(1, 3)]);
        let (lost, wait_s) = find(&rack, &segments, 0.102);
        // 0 was sent at 0 s; 0 + 0.1 + 0.025 - 0.102.
        assert!(lost.is_empty() && (wait_s.unwrap() - 0.023).abs() < 1e-9);
        assert_eq!(find(&rack, &segments, 0.125).0, [0]);
        arrive(&mut rack, &mut segments, 0.103, &[(1, 4)]);
        assert_eq!(find(&rack, &segments, 0.103), (vec![0], None));
    }

    // Step 3: 0 comes after 1, never retransmitted: from then on three above a hole are not enough.
    #[test]
    fn reordering_widens_the_window_and_duplicates_widen_it_further() {
        let (mut rack, mut segments) = (Rack::default(), sent(8));
        arrive(&mut rack, &mut segments, 0.101, &[(1, 2)]);
        arrive(&mut rack, &mut segments, 0.102, &[(0, 2)]);
        arrive(&mut rack, &mut segments, 0.106, &[(3, 7), (0, 2)]);
        let (lost, wait_s) = find(&rack, &segments, 0.106);
        assert!(lost.is_empty() && wait_s.is_some());
        assert_eq!(rack.window_s(true, 7, 3, 1.0), 0.25 * rack.min_rtt_s);
        rack.take_duplicate(true, 0, 8);
        rack.take_duplicate(true, 2, 8);
        assert_eq!(rack.window_s(true, 7, 3, 1.0), 0.5 * rack.min_rtt_s);
        rack.take_duplicate(true, 8, 12);
        assert_eq!(rack.window_s(true, 7, 3, 1.0), 0.75 * rack.min_rtt_s);
        assert_eq!(rack.window_s(true, 7, 3, 0.01), 0.01, "never more than a round trip");
        for _ in 0..16 {
            rack.recovered();
        }
        assert_eq!(rack.window_s(true, 7, 3, 1.0), 0.25 * rack.min_rtt_s);
    }

    // 6.2: a retransmission is lost when something sent after it has arrived.
    #[test]
    fn a_lost_retransmission_is_found() {
        let (mut rack, mut segments) = (Rack::default(), sent(5));
        arrive(&mut rack, &mut segments, 0.104, &[(1, 5)]);
        assert_eq!(find(&rack, &segments, 0.104).0, [0]);
        segments.mark_lost(0);
        segments.send(0, &Sending { now_s: 0.104, ..Sending::default() });
        segments.send(5, &Sending { now_s: 0.105, ..Sending::default() });
        assert_eq!(find(&rack, &segments, 0.105).0, []);
        arrive(&mut rack, &mut segments, 0.205, &[(1, 6)]);
        assert_eq!(find(&rack, &segments, 0.205).0, [0]);
    }
}
