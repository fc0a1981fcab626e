//! RACK: detects losses by the time of transmission.
//!
//! Source: Y. Cheng, N. Cardwell, N. Dukkipati, P. Jha, RFC 8985, section 6; Linux, net/ipv4/tcp_recovery.c.
//! What it decides: a segment is lost if one sent later was delivered, and an RTT and the reordering window have passed
//! since its transmission. The window is a quarter of the min RTT, more after D-SACKs, and zero if nothing was ever
//! reordered and recovery runs or three segments were reported.
//! Departures, Linux's: the timer lasts 2 ms longer, and whole ticks. Not implemented: nothing.
//! Checked against: by hand, below.

use super::super::Socket;
use super::super::clock::Instant;
use super::super::seq::SeqNum;
use super::pending::Pending;
use super::rate::sent_after;
use super::rtt::{TIMEOUT_MIN_US, usecs_in_jiffies};
use super::skb::tag;
use super::{CaState, Sender};

/// `TCP_RACK_RECOVERY_THRESH`: recoveries that a wider window lasts (RFC 8985, 6.2, step 4).
const RECOVERY_THRESH: u8 = 16;

/// `tcp_recovery`, bit 1: the reordering window does not adapt.
const STATIC_REO_WND: u8 = 0x2;
/// `tcp_recovery`, bit 2: three reported segments do not make the window zero.
const NO_DUPTHRESH: u8 = 0x4;

/// The per-connection variables (RFC 8985, 5.3).
#[derive(Clone, Copy, Debug)]
pub struct Rack {
    /// `RACK.xmit_ts`: the send time of the delivered segment that was sent last, us.
    pub mstamp: u64,
    /// `RACK.end_seq`: the number after it.
    pub end_seq: SeqNum,
    /// `RACK.rtt`, us.
    pub rtt_us: u32,
    /// `RACK.reo_wnd_mult`.
    pub reo_wnd_steps: u8,
    /// `RACK.reo_wnd_persist`: recoveries until it becomes 1 again.
    pub reo_wnd_persist: u8,
    /// A D-SACK arrived that the window may have caused.
    pub dsack_seen: bool,
    /// A segment was delivered since the last search for losses.
    pub advanced: bool,
    /// Packets delivered when the window was last widened: the end of `RACK.dsack_round`.
    pub last_delivered: u32,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            mstamp: 0,
            end_seq: SeqNum(0),
            rtt_us: 0,
            reo_wnd_steps: 1,
            reo_wnd_persist: 0,
            dsack_seen: false,
            advanced: false,
            last_delivered: 0,
        }
    }
}

impl Rack {
    /// `tcp_rack_advance` (`RACK_update`): a segment is delivered.
    #[inline]
    pub fn advance(&mut self, sacked: u8, end_seq: SeqNum, xmit_us: u64, now_us: u64, min_rtt_us: u32) {
        let rtt_us = now_us.saturating_sub(xmit_us) as u32;
        if rtt_us < min_rtt_us && sacked & tag::RETRANS != 0 {
            return; // an earlier transmission was delivered
        }
        self.advanced = true;
        self.rtt_us = rtt_us;
        if sent_after(xmit_us, self.mstamp, end_seq, self.end_seq) {
            (self.mstamp, self.end_seq) = (xmit_us, end_seq);
        }
    }

    /// `tcp_rack_skb_timeout`: the time until a segment is lost, us; not positive if it is.
    #[inline]
    pub fn skb_timeout(&self, xmit_us: u64, reo_wnd_us: u32, now_us: u64) -> i64 {
        i64::from(self.rtt_us) + i64::from(reo_wnd_us) - now_us.saturating_sub(xmit_us) as i64
    }

    /// `tcp_rack_update_reo_wnd`: a D-SACK widens the window, once per round trip; 16 recoveries without one narrow it.
    /// `prior_delivered`: the packets delivered when the segment delivered last was sent.
    pub fn update_reo_wnd(&mut self, prior_delivered: u32, delivered: u32) {
        if (prior_delivered.wrapping_sub(self.last_delivered) as i32) < 0 {
            self.dsack_seen = false;
        }
        if self.dsack_seen {
            self.reo_wnd_steps = self.reo_wnd_steps.saturating_add(1);
            self.dsack_seen = false;
            self.last_delivered = delivered;
            self.reo_wnd_persist = RECOVERY_THRESH;
        } else if self.reo_wnd_persist == 0 {
            self.reo_wnd_steps = 1;
        }
    }

    /// A D-SACK has shown that a whole recovery was spurious: the wider window lasts longer.
    pub fn on_dsack_undo(&mut self) {
        self.reo_wnd_persist = (self.reo_wnd_persist + 1).min(RECOVERY_THRESH);
    }
}

impl Sender {
    /// `tcp_rack_reo_wnd`, us (RFC 8985, 6.2, step 4). `recovery` is the sysctl.
    pub(super) fn rack_reo_wnd(&self, recovery: u8) -> u32 {
        if self.reord_seen == 0 {
            let has_dupthresh = self.sacked_out >= self.reordering && recovery & NO_DUPTHRESH == 0;
            if self.ca_state >= CaState::Recovery || has_dupthresh {
                return 0;
            }
        }
        let steps = u64::from(self.min_rtt_us() >> 2) * u64::from(self.rack.reo_wnd_steps);
        steps.min(u64::from(self.rtt.srtt_us >> 3)) as u32
    }
}

impl Socket {
    /// `tcp_rack_update_reo_wnd`, for an ACK with a rate sample.
    pub(super) fn rack_update_reo_wnd(&mut self, prior_delivered: Option<u32>) {
        if let Some(prior_delivered) = prior_delivered
            && self.config.recovery & STATIC_REO_WND == 0
        {
            let delivered = self.snd.delivery.delivered;
            self.snd.rack.update_reo_wnd(prior_delivered, delivered);
        }
    }

    /// `tcp_rack_detect_loss`: marks lost segments; returns the time until the next may be, us, or 0.
    fn rack_detect_loss(&mut self, now: Instant) -> u64 {
        let reo_wnd_us = self.snd.rack_reo_wnd(self.config.recovery);
        let now_us = now.as_micros();
        let mut reo_timeout = 0;
        let mut next = self.snd.rtx_queue.earliest();
        while let Some(handle) = next {
            next = self.snd.rtx_queue.later(handle);
            let skb = *self.snd.rtx_queue.get(handle);
            if skb.has(tag::LOST) && !skb.has(tag::SACKED_RETRANS) {
                continue; // waits for its retransmission
            }
            let rack = &self.snd.rack;
            if !sent_after(rack.mstamp, skb.timestamp_us(), rack.end_seq, skb.end_seq) {
                break;
            }
            let remaining_us = rack.skb_timeout(skb.timestamp_us(), reo_wnd_us, now_us);
            if remaining_us <= 0 {
                self.mark_skb_lost(now, handle);
                self.snd.rtx_queue.unlist_handle(handle);
            } else {
                reo_timeout = reo_timeout.max(remaining_us as u64);
            }
        }
        reo_timeout
    }

    /// `tcp_rack_mark_lost`: after an ACK, marks lost segments and sets the reordering timer; returns whether it is set.
    pub(super) fn rack_mark_lost(&mut self, now: Instant) -> bool {
        if !std::mem::take(&mut self.snd.rack.advanced) {
            return false;
        }
        let timeout_us = self.rack_detect_loss(now);
        if timeout_us > 0 {
            let hz = self.config.hz;
            let timeout = usecs_in_jiffies(timeout_us + TIMEOUT_MIN_US, hz);
            self.snd.reset_xmit_timer(Pending::ReoTimeout, now, timeout.min(self.snd.rto));
        }
        timeout_us > 0
    }

    /// `tcp_rack_reo_timeout`: the reordering timer has expired.
    pub(super) fn rack_reo_timeout(&mut self, now: Instant) {
        let prior_inflight = self.snd.packets_in_flight();
        let lost = self.snd.delivery.lost;
        self.rack_detect_loss(now);
        if prior_inflight != self.snd.packets_in_flight() {
            if self.snd.ca_state != CaState::Recovery {
                self.enter_recovery(now, false);
                if !self.snd.own_response {
                    let newly_lost = self.snd.delivery.lost.wrapping_sub(lost);
                    self.snd.cwnd_reduction(1, newly_lost, false);
                }
            }
            self.xmit_retransmit_queue(now);
        }
        if self.snd.pending != Some(Pending::Retrans) {
            self.rearm_rto(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::config::Config;
    use super::*;

    // RFC 8985, 6.2, step 4, at a min RTT of 100 ms.
    #[test]
    fn the_reordering_window() {
        let mut snd = Sender::new(&Config::default(), SeqNum(0));
        snd.rtt_min.update(300_000_000, 0, 100_000);
        snd.rtt.srtt_us = 120_000 << 3;
        assert_eq!(snd.rack_reo_wnd(1), 25_000);
        snd.sacked_out = 3;
        assert_eq!(snd.rack_reo_wnd(1), 0, "DupThresh segments were reported and nothing was reordered");
        assert_eq!(snd.rack_reo_wnd(1 | NO_DUPTHRESH), 25_000);
        snd.reord_seen = 1;
        assert_eq!(snd.rack_reo_wnd(1), 25_000);
        snd.rack.dsack_seen = true;
        snd.rack.update_reo_wnd(0, 10);
        snd.rack.dsack_seen = true;
        snd.rack.update_reo_wnd(9, 20);
        assert_eq!(snd.rack_reo_wnd(1), 50_000, "once per round trip");
        for round in 1..9 {
            snd.rack.dsack_seen = true;
            snd.rack.update_reo_wnd(10 * round, 10 * (round + 1));
        }
        assert_eq!(snd.rack_reo_wnd(1), 120_000, "at most SRTT");
        snd.rack.reo_wnd_persist = 0;
        snd.rack.update_reo_wnd(200, 210);
        assert_eq!(snd.rack_reo_wnd(1), 25_000);
    }

    // 6.2, steps 2 and 5: a delivered retransmission younger than the min RTT does not advance RACK.
    #[test]
    fn an_ambiguous_retransmission_does_not_count() {
        let mut rack = Rack::default();
        rack.advance(0, SeqNum(1000), 10_000, 110_000, 100_000);
        assert_eq!((rack.mstamp, rack.rtt_us), (10_000, 100_000));
        rack.advance(tag::EVER_RETRANS, SeqNum(2000), 60_000, 110_000, 100_000);
        assert_eq!((rack.mstamp, rack.rtt_us), (10_000, 100_000));
        assert_eq!(rack.skb_timeout(5_000, 25_000, 110_000), 20_000);
        assert_eq!(rack.skb_timeout(5_000, 0, 110_000), -5_000);
    }
}
