//! The write queue: the application's bytes, collected in segments.
//!
//! Source: RFC 9293, section 3.9.1 (SEND); Linux, net/ipv4/tcp.c (`tcp_sendmsg_locked`, `tcp_push`, `tcp_mark_push`,
//! `forced_push`), tcp_output.c (`tcp_send_fin`, `tcp_connect`).
//! What it decides: the segments' limits, which of them have PSH, and when the queue is pushed. Bytes join the last
//! segment of the queue up to the size goal, unless it ends a record (`MSG_EOR`).
//! Departures: a segment's memory is its payload and a constant. Not implemented: autocorking, zero copy.
//! Checked against: packetdrill's scripts on Nagle, EOR and blocking writes.

use super::super::clock::Instant;
use super::super::segment::flag;
use super::super::{Event, SendFlags, Socket};
use super::output::Nagle;
use super::skb::Skb;

/// Memory of a segment besides its payload, bytes (`SKB_TRUESIZE` of its header).
const SKB_OVERHEAD: u64 = 1_280;

impl Socket {
    /// `forced_push`: half of the peer's largest window was written since the last PSH.
    fn forced_push(&self) -> bool {
        self.snd.write_seq.after(self.snd.pushed_seq.add(self.snd.max_window >> 1))
    }

    /// `tcp_mark_push`: the last segment has PSH.
    fn mark_push(&mut self) {
        if let Some(tail) = self.snd.write_queue.back_mut() {
            tail.flags |= flag::PSH;
        }
        self.snd.pushed_seq = self.snd.write_seq;
    }

    /// `sk_stream_memory_free`: whether the send buffer has room for a new segment.
    fn stream_memory_free(&self) -> bool {
        let notsent = self.snd.write_seq.since(self.snd.snd_nxt) as u32;
        self.snd.wmem_queued < u64::from(self.snd.sndbuf) && notsent < self.snd.notsent_lowat
    }

    /// `tcp_sendmsg`: appends bytes and pushes them; returns how many the send buffer took.
    pub(in super::super) fn queue_bytes(&mut self, now: Instant, bytes: u64, flags: SendFlags) -> u64 {
        self.rate_check_app_limited();
        let mss = self.current_mss();
        let size_goal = self.xmit_size_goal(mss);
        let mut copied = 0;
        let mut is_full = false;
        while copied < bytes {
            let room = match self.snd.write_queue.back() {
                Some(tail) if !tail.eor && tail.flags & flag::FIN == 0 => size_goal.saturating_sub(tail.len),
                _ => 0,
            };
            let room = if room > 0 {
                room
            } else {
                if !self.stream_memory_free() {
                    is_full = true;
                    break;
                }
                self.skb_entail(now);
                size_goal
            };
            let copy = u64::from(room).min(bytes - copied) as u32;
            self.append(copy, copied == 0);
            copied += u64::from(copy);
            if copied == bytes {
                if let Some(tail) = self.snd.write_queue.back_mut() {
                    tail.eor |= flags.eor;
                }
                break;
            }
            if self.snd.write_queue.back().is_some_and(|tail| tail.len < size_goal) {
                continue;
            }
            if self.forced_push() {
                self.mark_push();
                self.push_pending_frames(now, mss, Nagle::PUSH);
            } else if self.snd.write_queue.len() == 1 {
                self.write_xmit(now, mss, Nagle::PUSH, super::output::Push::One);
            }
        }
        if is_full {
            self.snd.nospace = true;
        }
        if copied > 0 {
            let (more, nagle) = if is_full { (false, Nagle::PUSH) } else { (flags.more, self.snd.nonagle) };
            self.push(now, more, mss, nagle);
        }
        copied
    }

    /// `tcp_skb_entail`: an empty segment at the end of the queue.
    fn skb_entail(&mut self, now: Instant) {
        let seq = self.snd.write_seq;
        self.snd.write_queue.push_back(Skb { seq, end_seq: seq, flags: flag::ACK, ..Skb::default() });
        self.snd.wmem_queued += SKB_OVERHEAD;
        self.snd.nonagle = self.snd.nonagle.without(Nagle::PUSH);
        self.slow_start_after_idle_check(now);
    }

    /// Appends bytes to the last segment.
    fn append(&mut self, bytes: u32, is_first: bool) {
        let snd = &mut self.snd;
        let Some(tail) = snd.write_queue.back_mut() else { return };
        if is_first {
            tail.flags &= !flag::PSH;
        }
        tail.len += bytes;
        tail.end_seq = tail.end_seq.add(bytes);
        tail.pcount = 0;
        snd.write_seq = snd.write_seq.add(bytes);
        snd.wmem_queued += u64::from(bytes);
    }

    /// `tcp_push`: marks the end of a write and sends what may be sent.
    fn push(&mut self, now: Instant, more: bool, mss: u32, nagle: Nagle) {
        if self.snd.write_queue.is_empty() {
            return;
        }
        if !more || self.forced_push() {
            self.mark_push();
        }
        self.push_pending_frames(now, mss, if more { Nagle::CORK } else { nagle });
    }

    /// `tcp_send_fin`: the FIN joins the last segment of the write queue, or gets one of its own.
    pub(in super::super) fn queue_fin(&mut self, now: Instant) {
        let seq = self.snd.write_seq;
        match self.snd.write_queue.back_mut() {
            Some(tail) => {
                tail.flags |= flag::FIN;
                tail.end_seq = tail.end_seq.add(1);
            }
            None => self.snd.write_queue.push_back(Skb {
                seq,
                end_seq: seq.add(1),
                flags: flag::ACK | flag::FIN,
                ..Skb::default()
            }),
        }
        self.snd.write_seq = seq.add(1);
        let mss = self.current_mss();
        self.push_pending_frames(now, mss, Nagle::OFF);
    }

    /// `tcp_connect`: sends a SYN, which stands in the retransmission queue.
    pub(in super::super) fn queue_syn(&mut self, now: Instant, flags: u16) {
        let seq = self.snd.write_seq;
        let mut skb = Skb { seq, end_seq: seq.add(1), flags: flag::SYN | flags, pcount: 1, ..Skb::default() };
        self.snd.write_seq = skb.end_seq;
        self.snd.retrans_stamp = Some(self.timestamp_ms(now));
        self.snd.packets_out += 1;
        self.transmit_skb(now, &mut skb, true);
        self.snd.rtx_queue.push(skb);
        self.snd.snd_nxt = self.snd.write_seq;
        self.snd.pushed_seq = self.snd.write_seq;
        let rto = self.snd.rto;
        self.snd.reset_xmit_timer(super::pending::Pending::Retrans, now, rto);
    }

    /// `tcp_send_synack` of a crossed SYN (RFC 9293, 3.5): the SYN in the retransmission queue is sent with ACK.
    pub(in super::super) fn send_crossed_synack(&mut self, now: Instant) {
        if self.snd.rtx_queue.is_empty() {
            return;
        }
        self.snd.rtx_queue[0].flags |= flag::ACK;
        let mut skb = self.snd.rtx_queue[0];
        self.transmit_skb(now, &mut skb, true);
        self.snd.rtx_queue[0] = skb;
        self.snd.rtx_queue.list_as_latest(0);
    }

    /// Memory of a segment that leaves the queues.
    pub(super) fn skb_freed(&mut self, payload: u32) {
        self.snd.wmem_queued = self.snd.wmem_queued.saturating_sub(SKB_OVERHEAD + u64::from(payload));
    }

    /// A segment was split: the second part has a header of its own.
    pub(super) fn skb_was_split(&mut self) {
        self.snd.wmem_queued += SKB_OVERHEAD;
    }

    /// `tcp_check_space`: wakes an application that waits for room, once a third of the buffer is free.
    #[inline]
    pub(in super::super) fn check_space(&mut self) {
        if self.snd.nospace {
            self.check_space_again();
        }
    }

    fn check_space_again(&mut self) {
        // `tcp_new_space`: a buffer that does not fill the window is too small.
        if self.snd.packets_in_flight() < self.snd.snd_cwnd() {
            self.sndbuf_expand();
        }
        let free = u64::from(self.snd.sndbuf).saturating_sub(self.snd.wmem_queued);
        let notsent = self.snd.write_seq.since(self.snd.snd_nxt) as u32;
        if free >= self.snd.wmem_queued / 2 && notsent.saturating_mul(2) < self.snd.notsent_lowat {
            self.snd.nospace = false;
            self.events.push_back(Event::Writable);
        }
    }

    /// `tcp_write_queue_purge`: drops everything that is queued.
    pub(in super::super) fn write_queue_purge(&mut self) {
        let snd = &mut self.snd;
        snd.write_queue.clear();
        snd.rtx_queue.clear();
        (snd.packets_out, snd.sacked_out, snd.lost_out, snd.retrans_out) = (0, 0, 0, 0);
        (snd.pending, snd.pacing_timer, snd.retransmit_hint) = (None, None, None);
        snd.wmem_queued = 0;
        snd.backoff = 0;
    }
}
