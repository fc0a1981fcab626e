//! Undoing a reduction that turns out to be spurious.
//!
//! Source: RFC 4015 and RFC 3522 (Eifel: timestamps); RFC 3708 (D-SACK); RFC 5682 (F-RTO); Linux, `tcp_try_undo_*`.
//! What it decides: whether the present recovery was due to late packets only, and what is restored: the window, the
//! threshold, and after a timeout the loss marks.
//! Departures, Linux's: the window before the reduction is restored, where RFC 4015 uses the flight size.
//! Not implemented: nothing.
//! Checked against: by hand, below; packetdrill's scripts.

use super::super::Socket;
use super::super::clock::Instant;
use super::super::segment::Segment;
use super::super::seq::SeqNum;
use super::skb::{Skb, tag};
use super::{CaState, Sender};

/// Whether an echoed timestamp is older than a transmission: modulo 2^32 (RFC 7323, 5.2).
fn is_before(tsecr: u32, when: u32) -> bool {
    (tsecr.wrapping_sub(when) as i32) < 0
}

/// `tcp_skb_spurious_retrans`: the segment was retransmitted, and the ACK echoes an earlier timestamp, `tsecr`.
#[inline]
pub(super) fn skb_spurious_retrans(tsecr: Option<u32>, skb: &Skb) -> bool {
    let sent_ms = || Instant(skb.mstamp_ns).as_millis() as u32;
    skb.has(tag::RETRANS) && tsecr.is_some_and(|tsecr| is_before(tsecr, sent_ms()))
}

impl Sender {
    /// `tcp_packet_delayed`: the ACK was caused by an original transmission, not by a retransmission. `tsecr` is the
    /// timestamp that it echoes.
    fn packet_delayed(&self, tsecr: Option<u32>) -> bool {
        match self.retrans_stamp {
            Some(retrans_stamp) => tsecr.is_some_and(|tsecr| is_before(tsecr, retrans_stamp)),
            // Nothing was retransmitted, except where the stamp was cleared without SACK.
            None => self.sack_ok || self.snd_una.before(self.high_seq),
        }
    }

    /// `tcp_may_undo`.
    fn may_undo(&self, tsecr: Option<u32>) -> bool {
        self.undo_marker.is_some() && (self.undo_retrans == 0 || self.packet_delayed(tsecr))
    }
}

impl Socket {
    /// `tcp_undo_cwnd_reduction`.
    fn undo_cwnd_reduction(&mut self, now: Instant, unmark_loss: bool) {
        if unmark_loss {
            for index in 0..self.snd.rtx_queue.len() {
                self.snd.rtx_queue[index].sacked &= !tag::LOST;
            }
            self.snd.lost_out = 0;
            self.snd.retransmit_hint = None;
        }
        if let Some(prior_ssthresh) = self.snd.prior_ssthresh {
            if !self.snd.own_response {
                self.snd.window.cwnd = self.snd.window.cwnd.max(self.snd.prior_cwnd);
            }
            if prior_ssthresh > self.snd.window.ssthresh {
                self.snd.window.ssthresh = prior_ssthresh;
                self.ecn_withdraw_cwr();
            }
            let path = self.path(now);
            self.snd.control.on_spurious_loss(&path, &mut self.snd.window);
        }
        self.snd.snd_cwnd_stamp = now;
        self.snd.undo_marker = None;
        self.snd.rack.advanced = true;
    }

    /// `tcp_is_non_sack_preventing_reopen`: without SACK, the state lasts until an ACK passes `high_seq` (RFC 6582).
    fn is_non_sack_preventing_reopen(&mut self) -> bool {
        let prevents = self.snd.snd_una == self.snd.high_seq && !self.snd.sack_ok;
        if prevents && !self.any_retrans_done() {
            self.snd.retrans_stamp = None;
        }
        prevents
    }

    /// `tcp_try_undo_recovery`: SND.UNA has reached `high_seq`. Returns whether the state must last.
    pub(super) fn try_undo_recovery(&mut self, now: Instant, segment: &Segment) -> bool {
        if self.snd.may_undo(self.rcv_tsecr(segment)) {
            self.undo_cwnd_reduction(now, false);
        } else {
            self.snd.rack.reo_wnd_persist = self.snd.rack.reo_wnd_persist.saturating_sub(1);
        }
        if self.is_non_sack_preventing_reopen() {
            return true;
        }
        self.set_ca_state(now, CaState::Open);
        self.snd.is_sack_reneg = false;
        false
    }

    /// `tcp_try_undo_dsack`: D-SACKs have reported all retransmissions as duplicates.
    pub(super) fn try_undo_dsack(&mut self, now: Instant) -> bool {
        let is_spurious = self.snd.undo_marker.is_some() && self.snd.undo_retrans == 0;
        if is_spurious {
            self.snd.rack.on_dsack_undo();
            self.undo_cwnd_reduction(now, false);
        }
        is_spurious
    }

    /// `tcp_try_undo_loss`: in Loss, an ACK shows that the timeout was spurious.
    pub(super) fn try_undo_loss(&mut self, now: Instant, segment: &Segment, frto_undo: bool) -> bool {
        if !frto_undo && !self.snd.may_undo(self.rcv_tsecr(segment)) {
            return false;
        }
        self.undo_cwnd_reduction(now, true);
        self.snd.retransmits = 0;
        if self.is_non_sack_preventing_reopen() {
            return true;
        }
        if frto_undo || self.snd.sack_ok {
            self.set_ca_state(now, CaState::Open);
            self.snd.is_sack_reneg = false;
        }
        true
    }

    /// `tcp_try_undo_partial`: an ACK in Recovery advances SND.UNA. Returns whether nothing else must be done with it.
    pub(super) fn try_undo_partial(&mut self, now: Instant, segment: &Segment, prior_snd_una: SeqNum) -> bool {
        if self.snd.undo_marker.is_none() || !self.snd.packet_delayed(self.rcv_tsecr(segment)) {
            return false;
        }
        self.snd.check_sack_reordering(prior_snd_una, self.config.max_reordering);
        if self.snd.retrans_out > 0 {
            return true;
        }
        if !self.any_retrans_done() {
            self.snd.retrans_stamp = None;
        }
        self.undo_cwnd_reduction(now, true);
        self.try_keep_open(now);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::config::Config;
    use super::*;

    // RFC 4015, 3.2: the echoed timestamp is older than the first retransmission. RFC 3708: each retransmission was a
    // duplicate.
    #[test]
    fn late_packets_differ_from_lost_ones() {
        let mut snd = Sender::new(&Config::default(), SeqNum(1));
        assert!(!snd.may_undo(Some(0)), "no recovery");
        snd.undo_marker = Some(SeqNum(1));
        (snd.undo_retrans, snd.retrans_stamp) = (2, Some(1_000));
        assert!(snd.may_undo(Some(999)) && !snd.may_undo(Some(1_000)) && !snd.may_undo(None));
        snd.undo_retrans = 0;
        assert!(snd.may_undo(None));
        assert!(is_before(u32::MAX, 5) && !is_before(5, u32::MAX));
    }
}
