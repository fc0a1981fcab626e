//! RACK: a segment is lost when one that was sent sufficiently later has been delivered.
//!
//! Source: Y. Cheng, N. Cardwell, N. Dukkipati, P. Jha, RFC 8985, sections 5.3, 6.2 and 6.3.
//! What it decides: which segments are lost, by an ACK or by the reordering timer, and when to check again. While no
//! reordering has been seen, `DupThresh` SACKed segments above a hole are enough (6.2, step 4). After that the
//! reordering window is a quarter of the min RTT, or more if D-SACKs are received.
//! Departures: none. Not implemented: nothing.
//! Checked against: the RFC's rules by hand, below.

use super::min_rtt::MinRtt;
use super::rtx_queue::{RtxQueue, Segment};

/// Recoveries after which `reo_wnd_mult` is 1 again, the initial `reo_wnd_persist` (6.2, step 4).
const REO_WND_PERSIST: u32 = 16;
/// Linux's initial `reordering`, packets (`tcp_reordering`).
const REORDERING: u32 = 3;
/// Two instants that differ by less are equal: sums of rounded times are not exact.
const INSTANT_S: f64 = 1e-9;

/// The per-connection variables of RACK (5.3).
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// `RACK.xmit_ts`: send time of the delivered segment that was sent last, s. Negative infinity before the first.
    rack_xmit_ts_s: f64,
    /// `RACK.end_seq`: the number of that segment.
    rack_end_seq: i32,
    /// `RACK.rtt`: the RTT of the segment that was delivered last, s.
    rack_rtt_s: f64,
    /// `RACK.min_RTT`.
    pub min_rtt: MinRtt,
    /// `RACK.fack`: the highest segment delivered.
    rack_fack: i32,
    /// `RACK.reordering_seen`.
    reordering_seen: bool,
    /// How far segments were reordered, at most, packets (Linux's `reordering`).
    pub reordering: u32,
    /// `RACK.reo_wnd_mult`.
    reo_wnd_mult: u32,
    /// `RACK.reo_wnd_persist`: recoveries until `reo_wnd_mult` is 1 again.
    reo_wnd_persist: u32,
    /// `RACK.dsack_round`: until the ACK of this segment, no further D-SACK counts.
    dsack_round: Option<i32>,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            rack_xmit_ts_s: f64::NEG_INFINITY,
            rack_end_seq: -1,
            rack_rtt_s: 0.0,
            min_rtt: MinRtt::default(),
            rack_fack: -1,
            reordering_seen: false,
            reordering: REORDERING,
            reo_wnd_mult: 1,
            reo_wnd_persist: 0,
            dsack_round: None,
        }
    }
}

impl Rack {
    /// A segment is delivered by an ACK that echoes the timestamp `ts_echo` for it (6.2, steps 1 to 3).
    pub fn on_delivered(&mut self, seqno: i32, segment: &Segment, ts_echo: Option<f64>, now_s: f64) {
        self.detect_reordering(seqno, segment);
        self.update(seqno, segment, ts_echo, now_s);
    }

    /// `RACK_update`: the state for the segment sent last of those delivered (6.2, steps 1 and 2).
    fn update(&mut self, seqno: i32, segment: &Segment, ts_echo: Option<f64>, now_s: f64) {
        let rtt_s = now_s - segment.xmit_ts_s;
        if segment.retransmitted {
            // Step 2: the ACK may be of an earlier transmission.
            if ts_echo.is_some_and(|echo| echo < segment.xmit_ts_s) || rtt_s < self.min_rtt.get() {
                return;
            }
        }
        self.rack_rtt_s = rtt_s;
        if sent_after((segment.xmit_ts_s, seqno), self.last_sent()) {
            (self.rack_xmit_ts_s, self.rack_end_seq) = (segment.xmit_ts_s, seqno);
        }
    }

    /// `RACK_detect_reordering`: a segment below `fack` is delivered that was not retransmitted (6.2, step 3).
    fn detect_reordering(&mut self, seqno: i32, segment: &Segment) {
        if seqno > self.rack_fack {
            self.rack_fack = seqno;
        } else if !segment.retransmitted {
            self.reordering_seen = true;
            self.reordering = self.reordering.max((self.rack_fack + 1 - seqno) as u32);
        }
    }

    /// Send time, s, and number of the delivered segment that was sent last.
    fn last_sent(&self) -> (f64, i32) {
        (self.rack_xmit_ts_s, self.rack_end_seq)
    }

    /// `RACK_update_reo_wnd`, first part: a D-SACK widens the window at most once per round trip (6.2, step 4).
    pub fn update_reo_wnd(&mut self, has_dsack: bool, snd_una: i32, snd_nxt: i32) {
        if self.dsack_round.is_some_and(|dsack_round| snd_una >= dsack_round) {
            self.dsack_round = None;
        }
        if has_dsack && self.dsack_round.is_none() {
            self.dsack_round = Some(snd_nxt);
            self.reo_wnd_mult += 1;
            self.reo_wnd_persist = REO_WND_PERSIST;
        }
    }

    /// `RACK_update_reo_wnd`, second part: a recovery has ended (6.2, step 4).
    pub fn on_recovery_exit(&mut self) {
        self.reo_wnd_persist = self.reo_wnd_persist.saturating_sub(1);
        if self.reo_wnd_persist == 0 {
            self.reo_wnd_mult = 1;
        }
    }

    /// `RACK.reo_wnd`: the reordering window, s (6.2, step 4).
    pub fn reo_wnd_s(&self, in_recovery: bool, segs_sacked: u32, dup_thresh: u32, srtt_s: f64) -> f64 {
        if !self.reordering_seen && (in_recovery || segs_sacked >= dup_thresh) {
            return 0.0;
        }
        (f64::from(self.reo_wnd_mult) * self.min_rtt.get() / 4.0).min(srtt_s)
    }

    /// `RACK_detect_loss`: appends the lost segments to `lost`. Returns the timeout of the next check, s (6.2, step 5).
    pub fn detect_loss(&self, segments: &RtxQueue, reo_wnd_s: f64, now_s: f64, lost: &mut Vec<i32>) -> Option<f64> {
        let mut timeout_s = None;
        let mut next = segments.oldest();
        while let Some(seqno) = next
            && let Some(segment) = segments.get(seqno)
            && sent_after(self.last_sent(), (segment.xmit_ts_s, seqno))
        {
            let remaining_s = self.remaining_s(segment, reo_wnd_s, now_s);
            if remaining_s <= INSTANT_S {
                lost.push(seqno);
            } else {
                timeout_s = Some(remaining_s.max(timeout_s.unwrap_or(0.0)));
            }
            next = segments.after(seqno);
        }
        timeout_s
    }

    /// Whether a segment is lost when the retransmission timer expires (6.3, `RACK_mark_losses_on_RTO`).
    pub fn is_lost_on_rto(&self, segment: &Segment, reo_wnd_s: f64, now_s: f64) -> bool {
        self.remaining_s(segment, reo_wnd_s, now_s) <= INSTANT_S
    }

    /// The time until a segment counts as lost, s.
    fn remaining_s(&self, segment: &Segment, reo_wnd_s: f64, now_s: f64) -> f64 {
        segment.xmit_ts_s + self.rack_rtt_s + reo_wnd_s - now_s
    }
}

/// `RACK_sent_after`: compares two segments, each given by send time and number (6.2, step 2).
fn sent_after(one: (f64, i32), other: (f64, i32)) -> bool {
    one > other
}

#[cfg(test)]
mod tests {
    use super::super::rtx_queue::SendState;
    use super::*;

    const RTT_S: f64 = 0.1;

    /// Segments sent 1 ms apart.
    fn sent(count: i32) -> RtxQueue {
        let mut segments = RtxQueue::default();
        for seqno in 0..count {
            segments.send(seqno, &SendState { now_s: 0.001 * f64::from(seqno), ..SendState::default() });
        }
        segments
    }

    fn arrive(rack: &mut Rack, segments: &mut RtxQueue, now_s: f64, blocks: &[(i32, i32)]) {
        segments.on_ack(-1, blocks, |seqno, segment| {
            rack.on_delivered(seqno, segment, None, now_s);
            if !segment.retransmitted {
                rack.min_rtt.update(now_s - segment.xmit_ts_s, now_s);
            }
        });
    }

    fn find(rack: &Rack, segments: &RtxQueue, now_s: f64) -> (Vec<i32>, Option<f64>) {
        let mut lost = Vec::new();
        let reo_wnd_s = rack.reo_wnd_s(false, segments.segs_sacked(), 3, RTT_S);
        let timeout_s = rack.detect_loss(segments, reo_wnd_s, now_s, &mut lost);
        (lost, timeout_s)
    }

    // 6.2, steps 4 and 5: 0 is lost. With two segments above it RACK waits for a quarter of the RTT, with three it does
    // not.
    #[test]
    fn three_segments_above_a_hole_are_enough_while_nothing_was_reordered() {
        let (mut rack, mut segments) = (Rack::default(), sent(5));
        arrive(&mut rack, &mut segments, 0.101, &[(1, 2)]);
        arrive(&mut rack, &mut segments, 0.102, &[(1, 3)]);
        let (lost, timeout_s) = find(&rack, &segments, 0.102);
        // 0 was sent at 0 s; 0 + 0.1 + 0.025 - 0.102.
        assert!(lost.is_empty() && (timeout_s.unwrap() - 0.023).abs() < 1e-9);
        assert_eq!(find(&rack, &segments, 0.125).0, [0]);
        arrive(&mut rack, &mut segments, 0.103, &[(1, 4)]);
        assert_eq!(find(&rack, &segments, 0.103), (vec![0], None));
    }

    // Step 3: 0 is delivered after 1 and was sent once. After that, three segments above a hole are not enough.
    #[test]
    fn reordering_widens_the_window_and_dsacks_widen_it_further() {
        let (mut rack, mut segments) = (Rack::default(), sent(8));
        arrive(&mut rack, &mut segments, 0.101, &[(1, 2)]);
        arrive(&mut rack, &mut segments, 0.102, &[(0, 2)]);
        arrive(&mut rack, &mut segments, 0.106, &[(3, 7), (0, 2)]);
        let (lost, timeout_s) = find(&rack, &segments, 0.106);
        assert!(lost.is_empty() && timeout_s.is_some());
        assert_eq!(rack.reo_wnd_s(true, 7, 3, 1.0), 0.25 * rack.min_rtt.get());
        rack.update_reo_wnd(true, 0, 8);
        rack.update_reo_wnd(true, 2, 8);
        assert_eq!(rack.reo_wnd_s(true, 7, 3, 1.0), 0.5 * rack.min_rtt.get());
        rack.update_reo_wnd(true, 8, 12);
        assert_eq!(rack.reo_wnd_s(true, 7, 3, 1.0), 0.75 * rack.min_rtt.get());
        assert_eq!(rack.reo_wnd_s(true, 7, 3, 0.01), 0.01, "never more than a round trip");
        for _ in 0..16 {
            rack.on_recovery_exit();
        }
        assert_eq!(rack.reo_wnd_s(true, 7, 3, 1.0), 0.25 * rack.min_rtt.get());
    }

    // Linux sorts SACK blocks: two new blocks in one ACK, the higher one first (RFC 2018, 4), are not reordering. The
    // distance of reordered segments is Linux's metric: 2 below a highest SACKed segment of 5 was 4 segments late.
    #[test]
    fn two_new_blocks_in_one_ack_are_not_reordering() {
        let (mut rack, mut segments) = (Rack::default(), sent(8));
        arrive(&mut rack, &mut segments, 0.106, &[(5, 6), (1, 2)]);
        assert!(!rack.reordering_seen && rack.reordering == 3);
        arrive(&mut rack, &mut segments, 0.107, &[(2, 3), (5, 6)]);
        assert!(rack.reordering_seen && rack.reordering == 4);
    }

    // 6.2: a retransmission is lost when a segment sent after it has arrived.
    #[test]
    fn a_lost_retransmission_is_found() {
        let (mut rack, mut segments) = (Rack::default(), sent(5));
        arrive(&mut rack, &mut segments, 0.104, &[(1, 5)]);
        assert_eq!(find(&rack, &segments, 0.104).0, [0]);
        segments.mark_lost(0);
        segments.send(0, &SendState { now_s: 0.104, ..SendState::default() });
        segments.send(5, &SendState { now_s: 0.105, ..SendState::default() });
        assert!(find(&rack, &segments, 0.105).0.is_empty());
        arrive(&mut rack, &mut segments, 0.205, &[(1, 6)]);
        assert_eq!(find(&rack, &segments, 0.205).0, [0]);
    }
}
