//! Retransmission: marking segments lost and sending them again.
//!
//! Source: RFC 5681, section 3.2; RFC 6675, section 5; Linux, `tcp_mark_skb_lost`, `tcp_retransmit_skb`,
//! `tcp_retrans_try_collapse`, `tcp_xmit_retransmit_queue`.
//! What it decides: which lost segment is sent next, how much of it, and whether small segments are merged for it.
//! Departures: none. Not implemented: nothing.
//! Checked against: packetdrill's scripts.

use super::super::Socket;
use super::super::clock::Instant;
use super::super::segment::{SackBlock, flag};
use super::pending::Pending;
use super::rtx_queue::Handle;
use super::skb::{Skb, tag};
use super::{CaState, Sender};
use crate::transport::tcp::cc;

impl Sender {
    /// `tcp_adjust_pcount`: a segment with these scoreboard bits stands for `decr` packets less than before.
    fn adjust_pcount(&mut self, sacked: u8, decr: i64) {
        let less = |count: &mut u32| *count = (i64::from(*count) - decr).max(0) as u32;
        less(&mut self.packets_out);
        if sacked & tag::SACKED_ACKED != 0 {
            less(&mut self.sacked_out);
        }
        if sacked & tag::SACKED_RETRANS != 0 {
            less(&mut self.retrans_out);
        }
        if sacked & tag::LOST != 0 {
            less(&mut self.lost_out);
        }
        if !self.sack_ok && decr > 0 {
            less(&mut self.sacked_out);
        }
    }

    /// Accounts for a segment that is marked lost; returns whether it was in flight until now.
    fn account_lost(&mut self, skb: &mut Skb) -> bool {
        if skb.has(tag::SACKED_ACKED) {
            return false;
        }
        // `tcp_verify_retransmit_hint`
        match self.retransmit_hint {
            None if self.retrans_out >= self.lost_out => self.retransmit_hint = Some(skb.seq),
            Some(hint) if skb.seq.before(hint) => self.retransmit_hint = Some(skb.seq),
            _ => {}
        }
        if !skb.has(tag::LOST) {
            self.lost_out += skb.pcount;
            skb.sacked |= tag::LOST;
        } else if skb.has(tag::SACKED_RETRANS) {
            skb.sacked &= !tag::SACKED_RETRANS;
            self.retrans_out -= skb.pcount;
        } else {
            return false;
        }
        self.delivery.lost = self.delivery.lost.wrapping_add(skb.pcount);
        true
    }
}

impl Socket {
    /// `tcp_mark_skb_lost`.
    pub(super) fn mark_skb_lost(&mut self, now: Instant, handle: Handle) {
        let mut skb = *self.snd.rtx_queue.get(handle);
        let is_new = self.snd.account_lost(&mut skb);
        *self.snd.rtx_queue.get_mut(handle) = skb;
        if is_new {
            self.notify_skb_loss_event(now, &skb);
        }
    }

    /// `tcp_mark_skb_lost`, for the segment at `index` of the retransmission queue.
    pub(super) fn mark_lost_at(&mut self, now: Instant, index: usize) {
        let mut skb = self.snd.rtx_queue[index];
        let is_new = self.snd.account_lost(&mut skb);
        self.snd.rtx_queue[index] = skb;
        if is_new {
            self.notify_skb_loss_event(now, &skb);
        }
    }

    /// `tcp_notify_skb_loss_event`: tells the congestion control.
    fn notify_skb_loss_event(&mut self, now: Instant, skb: &Skb) {
        if let Some(lost) = &mut self.snd.lost_ranges {
            lost.push(SackBlock { start: skb.seq, end: skb.end_seq });
        }
        let bytes_before = self.snd.bytes_acked.wrapping_add_signed(i64::from(skb.seq.since(self.snd.snd_una)));
        let seqno = bytes_before / u64::from(self.snd.mss_cache.max(1));
        let sent = cc::Rate {
            per_s: None,
            delivered: 0,
            prior_delivered: u64::from(skb.tx.delivered),
            lost: u64::from(self.snd.delivery.lost.wrapping_sub(skb.tx.lost)),
            marked: 0,
            seqno,
            end_seqno: seqno + u64::from(skb.pcount),
            in_flight: skb.tx.in_flight,
            is_app_limited: skb.tx.is_app_limited,
        };
        let path = self.path(now);
        self.snd.control.on_loss(&sent, &path, &mut self.snd.window);
    }

    /// `tcp_fragment` in the retransmission queue: splits the segment at `index` after `len` bytes.
    pub(super) fn fragment(&mut self, index: usize, len: u32, mss: u32) {
        let old = self.snd.rtx_queue[index];
        self.snd.rtx_queue.fragment(index, len, mss);
        self.skb_was_split();
        let new = self.snd.rtx_queue[index].pcount + self.snd.rtx_queue[index + 1].pcount;
        if old.pcount != new {
            self.snd.adjust_pcount(old.sacked, i64::from(old.pcount) - i64::from(new));
        }
    }

    /// `tcp_retrans_try_collapse`: merges following small segments into the one at `index`, up to `space` bytes.
    fn retrans_try_collapse(&mut self, index: usize, space: u32) {
        let can_collapse = |skb: &Skb| skb.pcount <= 1 && !skb.has(tag::SACKED_ACKED);
        let first = self.snd.rtx_queue[index];
        if !self.config.retrans_collapse || first.flags & flag::SYN != 0 || !can_collapse(&first) {
            return;
        }
        let wnd_end = self.snd.wnd_end();
        while index + 1 < self.snd.rtx_queue.len() {
            let (to, next) = (self.snd.rtx_queue[index], self.snd.rtx_queue[index + 1]);
            if to.eor || !can_collapse(&next) || to.len + next.len > space || next.end_seq.after(wnd_end) {
                break;
            }
            let skb = &mut self.snd.rtx_queue[index];
            skb.end_seq = next.end_seq;
            skb.len += next.len;
            skb.flags |= next.flags;
            skb.sacked |= next.sacked & tag::EVER_RETRANS;
            skb.eor = next.eor;
            if self.snd.retransmit_hint == Some(next.seq) {
                self.snd.retransmit_hint = Some(to.seq);
            }
            self.snd.adjust_pcount(next.sacked, i64::from(next.pcount));
            self.snd.rtx_queue.remove(index + 1);
            self.skb_freed(0);
        }
    }

    /// `__tcp_retransmit_skb`: sends up to `segs` packets of the segment at `index` again. Returns whether it was sent.
    pub(super) fn send_again(&mut self, now: Instant, index: usize, segs: u32) -> bool {
        let snd_una = self.snd.snd_una;
        let mut skb = self.snd.rtx_queue[index];
        if skb.seq.before(snd_una) && skb.flags & flag::SYN != 0 {
            skb.flags &= !flag::SYN;
            skb.seq = skb.seq.add(1);
        }
        if skb.seq.before(snd_una) {
            skb.trim_head((snd_una.since(skb.seq) as u32).min(skb.len));
        }
        self.snd.rtx_queue[index] = skb;
        let mss = self.current_mss();
        let mut avail_wnd = self.snd.wnd_end().since(skb.seq);
        if avail_wnd <= 0 {
            // The window was shrunk. At SND.UNA the retransmission is a window probe.
            if skb.seq != snd_una {
                return false;
            }
            avail_wnd = mss as i32;
        }
        let mut len = mss.saturating_mul(segs);
        if len > avail_wnd as u32 {
            len = avail_wnd as u32 / mss * mss;
            if len == 0 {
                len = avail_wnd as u32;
            }
        }
        if skb.len > len {
            self.fragment(index, len, mss);
        } else {
            let before = skb.pcount;
            let after = self.snd.rtx_queue[index].set_tso_segs(mss);
            if before != after {
                self.snd.adjust_pcount(skb.sacked, i64::from(before) - i64::from(after));
            }
            let space = (avail_wnd as u32).min(mss);
            if skb.len < space {
                self.retrans_try_collapse(index, space);
            }
        }
        let mut skb = self.snd.rtx_queue[index];
        if skb.flags & flag::SYN != 0 {
            self.ecn_clear_syn(&mut skb.flags);
        }
        self.snd.total_retrans += skb.pcount;
        self.snd.bytes_retrans += u64::from(skb.len);
        self.transmit_skb(now, &mut skb, true);
        skb.sacked |= tag::EVER_RETRANS;
        self.snd.rtx_queue[index] = skb;
        self.snd.rtx_queue.list_as_latest(index);
        true
    }

    /// `tcp_retransmit_skb`: sends the segment at `index` again and accounts for it. Returns whether it was sent.
    pub(super) fn retransmit_skb(&mut self, now: Instant, index: usize, segs: u32) -> bool {
        let is_sent = self.send_again(now, index, segs);
        let pcount = self.snd.rtx_queue[index].pcount;
        if is_sent {
            self.snd.rtx_queue[index].sacked |= tag::RETRANS;
            self.snd.retrans_out += pcount;
        }
        if self.snd.retrans_stamp.is_none() {
            let sent_at = Instant(self.snd.rtx_queue[index].mstamp_ns);
            self.snd.retrans_stamp = Some(self.timestamp_ms(sent_at));
        }
        self.snd.undo_retrans = self.snd.undo_retrans.max(0) + pcount as i32;
        is_sent
    }

    /// `tcp_xmit_retransmit_queue`: retransmits lost segments while the congestion window and pacing allow it.
    pub(super) fn xmit_retransmit_queue(&mut self, now: Instant) {
        if self.snd.packets_out == 0 {
            return;
        }
        let max_segs = self.tso_segs(self.current_mss());
        let mut index = self.snd.retransmit_hint.map_or(0, |hint| self.snd.rtx_queue.find(hint));
        let mut hole = false;
        let mut rearm_timer = false;
        while index < self.snd.rtx_queue.len() && !self.pacing_check(now) {
            let skb = self.snd.rtx_queue[index];
            if !hole {
                self.snd.retransmit_hint = Some(skb.seq);
            }
            let (cwnd, in_flight) = (self.snd.snd_cwnd(), self.snd.packets_in_flight());
            if cwnd <= in_flight || self.snd.retrans_out >= self.snd.lost_out {
                break;
            }
            if !skb.has(tag::LOST) {
                hole |= !skb.has(tag::SACKED_RETRANS | tag::SACKED_ACKED);
            } else if !skb.has(tag::SACKED_RETRANS | tag::SACKED_ACKED) {
                if !self.retransmit_skb(now, index, (cwnd - in_flight).min(max_segs)) {
                    break;
                }
                if self.snd.in_cwnd_reduction() {
                    self.snd.prr.prr_out += self.snd.rtx_queue[index].pcount;
                }
                rearm_timer |= index == 0 && self.snd.pending != Some(Pending::ReoTimeout);
            }
            index += 1;
        }
        if rearm_timer {
            let rto = self.snd.rto;
            self.snd.reset_xmit_timer(Pending::Retrans, now, rto);
        }
    }

    /// `tcp_any_retrans_done`: a retransmission is out, or the first segment was retransmitted.
    pub(super) fn any_retrans_done(&self) -> bool {
        self.snd.retrans_out > 0 || self.snd.rtx_queue.head().is_some_and(|skb| skb.has(tag::EVER_RETRANS))
    }

    /// `tcp_timeout_mark_lost`: the RTO expired. Marks lost what RACK does not consider sent too recently.
    pub(super) fn timeout_mark_lost(&mut self, now: Instant) {
        let is_reneg = self.snd.rtx_queue.head().is_some_and(|head| head.has(tag::SACKED_ACKED));
        if is_reneg {
            self.snd.sacked_out = 0;
            self.snd.is_sack_reneg = true;
        } else if !self.snd.sack_ok {
            self.snd.sacked_out = 0;
        }
        let now_us = now.as_micros();
        for index in 0..self.snd.rtx_queue.len() {
            if is_reneg {
                self.snd.rtx_queue[index].sacked &= !tag::SACKED_ACKED;
            } else if index != 0
                && self.config.recovery & 1 != 0
                && self.snd.rack.skb_timeout(self.snd.rtx_queue[index].timestamp_us(), 0, now_us) > 0
            {
                continue;
            }
            self.mark_lost_at(now, index);
        }
        self.snd.retransmit_hint = None;
    }

    /// `tcp_newreno_mark_lost` (RFC 6582, without SACK): three duplicate ACKs mark the first packet lost, and so does each
    /// ACK in recovery that does not end it.
    pub(super) fn newreno_mark_lost(&mut self, now: Instant, snd_una_advanced: bool) {
        let state = self.snd.ca_state;
        let is_due = (state < CaState::Recovery && self.snd.sacked_out >= self.snd.reordering)
            || (state == CaState::Recovery && snd_una_advanced);
        let Some(head) = self.snd.rtx_queue.head().copied() else { return };
        if !is_due || head.has(tag::LOST) {
            return;
        }
        if head.pcount > 1 && head.len > head.gso_size {
            self.fragment(0, head.gso_size, head.gso_size);
        }
        self.mark_lost_at(now, 0);
    }
}
