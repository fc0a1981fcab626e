//! Sending new data: which part of the write queue goes out now.
//!
//! Source: RFC 9293, sections 3.7.4 (Nagle) and 3.8.6.2.1 (silly-window avoidance); RFC 5681 (window); G. Minshall,
//! draft-minshall-nagle-01; Linux, net/ipv4/tcp_output.c (`tcp_write_xmit`, `tcp_tso_should_defer`, `tcp_tso_autosize`).
//! What it decides: segments go out while the congestion window, the peer's window, pacing and Nagle's algorithm allow it. A
//! segment is as long as the pacing rate sends in about 1 ms, or longer for short RTTs, and waits a little for an ACK
//! that would let it become longer.
//! Departures: the interface takes every segment at once. Not implemented: MTU probing, TCP small queues, urgent data.
//! Checked against: packetdrill's scripts.

use super::super::clock::Instant;
use super::super::segment::flag;
use super::super::{Socket, TcpState};
use super::pending::Pending;
use super::skb::Skb;
use super::{CaState, Sender};

/// Nagle's algorithm (Linux's `TCP_NAGLE_*` bits).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nagle(u8);

impl Nagle {
    /// Disabled by `TCP_NODELAY`.
    pub const OFF: Nagle = Nagle(1);
    /// Short segments wait (`TCP_CORK`, `MSG_MORE`).
    pub const CORK: Nagle = Nagle(2);
    /// Everything goes out now, even if corked.
    pub const PUSH: Nagle = Nagle(4);

    /// Whether any of these bits is set.
    fn has(self, bits: Nagle) -> bool {
        self.0 & bits.0 != 0
    }

    /// With these bits.
    pub fn with(self, bits: Nagle) -> Nagle {
        Nagle(self.0 | bits.0)
    }

    /// Without these bits.
    pub fn without(self, bits: Nagle) -> Nagle {
        Nagle(self.0 & !bits.0)
    }
}

/// How much [`Socket::write_xmit`] may send (Linux's `push_one`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// Whatever is allowed.
    All,
    /// At most one segment.
    One,
    /// At most one segment, even beyond the congestion window: a tail loss probe.
    Probe,
}

/// `sk_pacing_shift`: a segment lasts about 2^-10 s at the pacing rate.
const PACING_SHIFT: u32 = 10;

impl Sender {
    /// `tcp_minshall_check`: a small segment is out.
    fn minshall_check(&self) -> bool {
        self.snd_sml.after(self.snd_una) && !self.snd_sml.after(self.snd_nxt)
    }

    /// `tcp_nagle_check`: whether a segment must wait.
    fn nagle_check(&self, is_partial: bool, nagle: Nagle) -> bool {
        is_partial
            && (nagle.has(Nagle::CORK) || (nagle == Nagle::default() && self.packets_out > 0 && self.minshall_check()))
    }

    /// `tcp_nagle_test`: whether a single packet may go now.
    fn nagle_test(&self, skb: &Skb, mss: u32, nagle: Nagle) -> bool {
        nagle.has(Nagle::PUSH) || skb.flags & flag::FIN != 0 || !self.nagle_check(skb.len < mss, nagle)
    }

    /// `tcp_cwnd_test`: packets that the congestion window allows now, at most half of it.
    fn cwnd_test(&self) -> u32 {
        let (in_flight, cwnd) = (self.packets_in_flight(), self.snd_cwnd());
        if in_flight >= cwnd { 0 } else { (cwnd / 2).max(1).min(cwnd - in_flight) }
    }

    /// `tcp_snd_wnd_test`: whether the peer's window has room for the first packet of a segment.
    pub(super) fn snd_wnd_test(&self, skb: &Skb, mss: u32) -> bool {
        let end_seq = if skb.len > mss { skb.seq.add(mss) } else { skb.end_seq };
        !end_seq.after(self.wnd_end())
    }

    /// `tcp_mss_split_point`: bytes of the first segment of the queue that can go now.
    fn mss_split_point(&self, skb: &Skb, mss: u32, max_segs: u32, nagle: Nagle) -> u32 {
        let window = self.wnd_end().since(skb.seq) as u32;
        let max_len = mss * max_segs;
        if max_len <= window && self.write_queue.len() > 1 {
            return max_len;
        }
        let needed = skb.len.min(window);
        if max_len <= needed {
            return max_len;
        }
        let partial = needed % mss;
        if self.nagle_check(partial != 0, nagle) { needed - partial } else { needed }
    }

    /// `tcp_event_new_data_sent`: the first segment of the write queue was sent. Returns whether the RTO timer must be set.
    pub(super) fn event_new_data_sent(&mut self, skb: Skb) -> bool {
        self.snd_nxt = skb.end_seq;
        let was_empty = self.packets_out == 0;
        self.packets_out += skb.pcount;
        self.rtx_queue.push(skb);
        was_empty || self.pending == Some(Pending::LossProbe)
    }
}

impl Socket {
    /// `TCP_NODELAY`.
    pub(in super::super) fn set_nodelay(&mut self, now: Instant, is_on: bool) {
        if is_on {
            self.snd.nonagle = self.snd.nonagle.with(Nagle::OFF).with(Nagle::PUSH);
            self.push_pending(now);
        } else {
            self.snd.nonagle = self.snd.nonagle.without(Nagle::OFF);
        }
    }

    /// `TCP_CORK`.
    pub(in super::super) fn set_cork(&mut self, now: Instant, is_on: bool) {
        if is_on {
            self.snd.nonagle = self.snd.nonagle.with(Nagle::CORK);
            return;
        }
        self.snd.nonagle = self.snd.nonagle.without(Nagle::CORK);
        if self.snd.nonagle.has(Nagle::OFF) {
            self.snd.nonagle = self.snd.nonagle.with(Nagle::PUSH);
        }
        self.push_pending(now);
    }

    /// `tcp_push_pending_frames`, and `tcp_data_snd_check`: sends what may be sent.
    #[inline]
    pub(in super::super) fn push_pending(&mut self, now: Instant) {
        if !self.snd.write_queue.is_empty() {
            let (mss, nagle) = (self.current_mss(), self.snd.nonagle);
            self.push_pending_frames(now, mss, nagle);
        }
        self.check_space();
    }

    /// `__tcp_push_pending_frames`.
    pub(super) fn push_pending_frames(&mut self, now: Instant, mss: u32, nagle: Nagle) {
        if self.state != TcpState::Closed && self.write_xmit(now, mss, nagle, Push::All) {
            self.check_probe_timer(now);
        }
    }

    /// `tcp_tso_segs`: packets wanted in a segment.
    pub(super) fn tso_segs(&self, mss: u32) -> u32 {
        let gso_max_size = Sender::gso_max_size(self.config.gso_max_size);
        let mut bytes = self.snd.pacing_rate >> PACING_SHIFT;
        let halvings = self.snd.min_rtt_us() >> self.config.tso_rtt_log;
        if halvings < u32::BITS {
            bytes += u64::from(gso_max_size >> halvings);
        }
        let segments = bytes.min(u64::from(gso_max_size)) as u32 / mss;
        let control = &self.snd.control;
        let min_tso_segs = control.min_tso_segs(self.snd.pacing_rate).unwrap_or(self.config.min_tso_segs);
        segments.max(min_tso_segs).min(self.config.gso_max_segs).min(control.max_tso_segs())
    }

    /// `tcp_tso_should_defer`: whether a segment waits for ACKs that let it become longer. Returns that and whether it is
    /// the congestion window or the peer's window that limits it.
    fn tso_should_defer(&self, now: Instant, skb: &Skb, max_segs: u32) -> (bool, Limit) {
        let snd = &self.snd;
        const SEND_NOW: (bool, Limit) = (false, Limit::None);
        // Only less than 1 ms after the last transmission.
        let is_stale = now.0 >= snd.wstamp_ns + 1_000_000;
        if snd.ca_state >= CaState::Recovery || is_stale {
            return SEND_NOW;
        }
        let is_last = snd.write_queue.len() == 1;
        let send_win = snd.wnd_end().since(skb.seq) as u32;
        let cong_win = snd.snd_cwnd().saturating_sub(snd.packets_in_flight()).saturating_mul(snd.mss_cache);
        let limit = send_win.min(cong_win);
        if limit >= max_segs.saturating_mul(snd.mss_cache) || (!is_last && limit >= skb.len) {
            return SEND_NOW;
        }
        let chunk = snd.snd_wnd.min(snd.snd_cwnd().saturating_mul(snd.mss_cache));
        let is_enough = match self.config.tso_win_divisor {
            0 => limit > 3 * snd.mss_cache,
            divisor => limit >= chunk / divisor,
        };
        let Some(head) = snd.rtx_queue.head().filter(|_| !is_enough) else { return SEND_NOW };
        // An ACK that is expected later than in 1 ms or half an RTT is not waited for.
        let srtt_ns = i64::from(snd.rtt.srtt_us) * 125;
        let expected_ns = head.mstamp_ns as i64 + srtt_ns - now.0 as i64;
        if expected_ns > (srtt_ns / 2).min(1_000_000) {
            return SEND_NOW;
        }
        if cong_win < send_win {
            if cong_win <= skb.len {
                return (true, Limit::Cwnd);
            }
        } else if send_win <= skb.len {
            return (true, Limit::Rwnd);
        }
        (skb.flags & flag::FIN == 0 && !skb.eor, Limit::None)
    }

    /// `tcp_grow_skb`: fills the first segment of the write queue from the second.
    fn grow_skb(&mut self, amount: u32) {
        let [first, second] = [0, 1];
        let Some(next) = self.snd.write_queue.get(second).copied() else { return };
        let head = &mut self.snd.write_queue[first];
        let moved = amount.min(next.len);
        if head.eor || moved == 0 {
            return;
        }
        head.len += moved;
        head.end_seq = head.end_seq.add(moved);
        if moved == next.len {
            head.end_seq = next.end_seq;
            head.flags |= next.flags;
            head.eor = next.eor;
            self.snd.write_queue.remove(second);
            self.skb_freed(0);
        } else {
            let next = &mut self.snd.write_queue[second];
            next.seq = next.seq.add(moved);
            next.len -= moved;
        }
    }

    /// `tcp_write_xmit`: sends from the write queue. Returns whether there are data and nothing is in flight, so that a
    /// probe timer is needed.
    pub(super) fn write_xmit(&mut self, now: Instant, mss: u32, nagle: Nagle, push: Push) -> bool {
        let max_segs = self.tso_segs(mss);
        let (mut is_cwnd_limited, mut is_rwnd_limited) = (false, false);
        let mut sent_pkts = 0;
        while let Some(head) = self.snd.write_queue.front() {
            let head_len = head.len;
            if head.end_seq == head.seq || self.pacing_check(now) {
                break;
            }
            let mut cwnd_quota = self.snd.cwnd_test();
            if cwnd_quota == 0 {
                if push != Push::Probe {
                    break;
                }
                cwnd_quota = 1;
            }
            cwnd_quota = cwnd_quota.min(max_segs);
            let missing = (u64::from(cwnd_quota) * u64::from(mss)).saturating_sub(u64::from(head_len));
            if missing > 0 && self.snd.write_queue.len() > 1 {
                self.grow_skb(missing as u32);
            }
            let is_last = self.snd.write_queue.len() == 1;
            let head = &mut self.snd.write_queue[0];
            let tso_segs = head.set_tso_segs(mss);
            let skb = *head;
            if !self.snd.snd_wnd_test(&skb, mss) {
                is_rwnd_limited = true;
                break;
            }
            let mut limit = mss;
            if tso_segs == 1 {
                if !self.snd.nagle_test(&skb, mss, if is_last { nagle } else { Nagle::PUSH }) {
                    break;
                }
            } else {
                if push == Push::All
                    && let (true, why) = self.tso_should_defer(now, &skb, max_segs)
                {
                    is_cwnd_limited |= why == Limit::Cwnd;
                    is_rwnd_limited |= why == Limit::Rwnd;
                    break;
                }
                limit = self.snd.mss_split_point(&skb, mss, cwnd_quota, nagle);
            }
            let mut skb = skb;
            if skb.len > limit {
                let rest = skb.split(limit, mss);
                self.snd.write_queue[0] = rest;
                self.skb_was_split();
            } else {
                self.snd.write_queue.pop_front();
            }
            sent_pkts += skb.pcount;
            self.send_new(now, skb, mss);
            if push != Push::All {
                break;
            }
        }
        self.snd.chrono.set_rwnd_limited(now, is_rwnd_limited);
        is_cwnd_limited |= self.snd.packets_in_flight() >= self.snd.snd_cwnd();
        if sent_pkts > 0 || is_cwnd_limited {
            self.cwnd_validate(now, is_cwnd_limited);
        }
        if sent_pkts > 0 {
            if self.snd.in_cwnd_reduction() {
                self.snd.prr.prr_out += sent_pkts;
            }
            if push != Push::Probe {
                self.schedule_loss_probe(now, false);
            }
            return false;
        }
        self.snd.packets_out == 0 && !self.snd.write_queue.is_empty()
    }

    /// Sends a segment that was taken from the write queue.
    pub(super) fn send_new(&mut self, now: Instant, mut skb: Skb, mss: u32) {
        self.transmit_skb(now, &mut skb, true);
        if skb.len < skb.pcount * mss {
            self.snd.snd_sml = skb.end_seq; // `tcp_minshall_update`
        }
        self.snd.chrono.start_busy(now);
        if self.snd.event_new_data_sent(skb) {
            self.rearm_rto(now);
        }
    }

    /// `tcp_transmit_skb`: builds the header and sends. `keeps` if the segment is or will be in the retransmission queue.
    pub(super) fn transmit_skb(&mut self, now: Instant, skb: &mut Skb, keeps: bool) {
        let prior_wstamp = self.snd.wstamp_ns;
        self.snd.wstamp_ns = prior_wstamp.max(now.0);
        skb.mstamp_ns = self.snd.wstamp_ns;
        // A segment of several packets is pushed, but its retransmissions are not.
        let push = if skb.pcount > 1 { flag::PSH } else { 0 };
        let mut segment = self.header(now, skb.flags | push, skb.len);
        segment.seq = skb.seq;
        segment.gso_size = skb.gso_size;
        if skb.len > 0 {
            self.event_data_sent(now, skb);
        }
        self.emit(now, segment);
        if !keeps {
            return;
        }
        self.update_wstamp_after_send(skb.len, prior_wstamp);
        let in_flight = self.snd.packets_in_flight() + skb.pcount;
        let packets_out = self.snd.packets_out;
        self.snd.delivery.on_sent(skb, packets_out, in_flight);
    }

    /// `tcp_event_data_sent`: accounts for a segment with payload.
    fn event_data_sent(&mut self, now: Instant, skb: &Skb) {
        if self.snd.packets_in_flight() == 0 {
            self.on_tx_start(now);
        }
        self.snd.lsndtime = Some(now);
        self.snd.data_segs_out += skb.pcount;
        self.snd.bytes_sent += u64::from(skb.len);
    }

    /// `tcp_acceptable_seq`: the number of a segment without data: SND.NXT, unless the peer has shrunk its window.
    pub(in super::super) fn acceptable_seq(&self, rcv_wscale: u8) -> super::super::seq::SeqNum {
        let (end, next) = (self.snd.wnd_end(), self.snd.snd_nxt);
        let is_rounding = rcv_wscale > 0 && next.since(end) < 1 << rcv_wscale;
        if !end.before(next) || is_rounding { next } else { end }
    }

    /// Whether nothing waits to be sent or acknowledged.
    pub(in super::super) fn all_acked(&self) -> bool {
        self.snd.write_queue.is_empty() && self.snd.rtx_queue.is_empty()
    }
}

/// What limits a deferred segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    None,
    Cwnd,
    Rwnd,
}
