//! The sender's timer: retransmission timeout, tail loss probe, reordering timer and window probe, of which one runs at a
//! time; and the pacing timer.
//!
//! Source: RFC 6298, section 5; RFC 9293, sections 3.8.1, 3.8.3 (R1, R2) and 3.8.6.1 (zero-window probes); RFC 5482 (user
//! timeout); Linux, net/ipv4/tcp_timer.c.
//! What it decides: when each of them expires, the exponential backoff, and when the connection is given up.
//! Departures: timers last whole ticks but start anywhere between two. Not implemented: Fast Open; orphans' limits of memory.
//! Checked against: packetdrill's scripts.

use super::super::clock::{Duration, Instant};
use super::super::segment::flag;
use super::super::{Socket, SocketError, TcpState};
use super::output::Push;
use super::pending::Pending;
use super::rtt::{jiffies, usecs_in_jiffies};
use super::skb::Skb;

/// `TCP_RTO_MIN`: the time that a zero-window probe waits at least, and the base of the time to give up.
const RTO_MIN: Duration = Duration::from_millis(200);
/// `TCP_THIN_LINEAR_RETRIES`: timeouts of a thin stream without backoff.
const THIN_LINEAR_RETRIES: u8 = 6;

impl Socket {
    /// `tcp_ack_probe`: an ACK arrived while nothing was in flight. It may have opened the peer's window.
    pub(super) fn ack_probe(&mut self, now: Instant) {
        let Some(head) = self.snd.write_queue.front() else { return };
        if head.end_seq.after(self.snd.wnd_end()) {
            let when = self.probe0_when();
            let when = self.clamp_probe0_to_user_timeout(now, when);
            self.snd.reset_xmit_timer(Pending::Probe0, now, when);
        } else {
            self.snd.backoff = 0;
            self.snd.probes_tstamp = None;
            if self.snd.pending == Some(Pending::Probe0) {
                self.snd.pending = None;
            }
        }
    }

    /// When the sender's next timer expires.
    pub(in super::super) fn sender_next_timeout(&self) -> Option<Instant> {
        let timeout = self.snd.pending.map(|_| self.snd.timeout);
        match (timeout, self.snd.pacing_timer) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Runs the sender's timers that have expired (`tcp_write_timer_handler`, `tcp_pace_kick`).
    pub(in super::super) fn sender_on_timeout(&mut self, now: Instant) {
        if self.snd.pacing_timer.is_some_and(|at| at <= now) {
            self.snd.pacing_timer = None;
            self.pace_kick(now);
        }
        if self.snd.timeout > now {
            return;
        }
        match self.snd.pending {
            None => {}
            Some(Pending::ReoTimeout) => self.rack_reo_timeout(now),
            Some(Pending::LossProbe) => self.send_loss_probe(now),
            Some(Pending::Retrans) => {
                self.snd.pending = None;
                self.retransmit_timer(now);
            }
            Some(Pending::Probe0) => {
                self.snd.pending = None;
                self.probe_timer(now);
            }
        }
    }

    /// `tcp_tsq_write`: pacing lets the next packet go.
    fn pace_kick(&mut self, now: Instant) {
        if matches!(self.state, TcpState::Closed | TcpState::Listen | TcpState::SynSent | TcpState::TimeWait) {
            return;
        }
        if self.snd.lost_out > self.snd.retrans_out && self.snd.snd_cwnd() > self.snd.packets_in_flight() {
            self.xmit_retransmit_queue(now);
        }
        let (mss, nagle) = (self.current_mss(), self.snd.nonagle);
        self.write_xmit(now, mss, nagle, Push::All);
        self.check_space();
    }

    /// `tcp_rearm_rto` (RFC 6298, 5.1 to 5.3).
    pub(super) fn rearm_rto(&mut self, now: Instant) {
        if self.snd.packets_out == 0 {
            self.snd.pending = None;
            return;
        }
        let mut rto = self.snd.rto;
        if matches!(self.snd.pending, Some(Pending::ReoTimeout | Pending::LossProbe)) {
            // The RTO counts from the last transmission.
            rto = usecs_in_jiffies(self.rto_delta_us(now).max(1) as u64, self.config.hz);
        }
        self.snd.reset_xmit_timer(Pending::Retrans, now, rto.min(self.config.rto_max));
    }

    /// `tcp_set_xmit_timer`: a probe, or else the RTO.
    pub(super) fn set_xmit_timer(&mut self, now: Instant) {
        if !self.schedule_loss_probe(now, true) {
            self.rearm_rto(now);
        }
    }

    /// `tcp_retransmit_timer`: the RTO has expired (RFC 6298, 5.4 to 5.7).
    fn retransmit_timer(&mut self, now: Instant) {
        if self.snd.packets_out == 0 || self.snd.rtx_queue.is_empty() {
            return;
        }
        let is_opening = matches!(self.state, TcpState::SynSent | TcpState::SynReceived);
        if self.snd.snd_wnd == 0 && !self.is_orphan() && !is_opening {
            // The peer has shrunk its window to nothing: retransmissions are probes, and do not end the connection.
            if self.rtx_probe0_timed_out(now) {
                self.fail(SocketError::TimedOut);
                return;
            }
            self.enter_loss(now);
            self.retransmit_skb(now, 0, 1);
        } else {
            if self.write_timeout(now) {
                return;
            }
            self.enter_loss(now);
            self.update_rto_stats(now);
            self.retransmit_skb(now, 0, 1);
        }
        self.back_off(now);
    }

    /// Doubles the RTO (RFC 6298, 5.5), except for thin streams and the first SYNs.
    fn back_off(&mut self, now: Instant) {
        let is_thin = self.snd.packets_out < 4 && !self.snd.in_initial_slow_start();
        let snd = &mut self.snd;
        if self.state == TcpState::Established && snd.thin_lto && is_thin && snd.retransmits <= THIN_LINEAR_RETRIES {
            snd.backoff = 0;
            snd.rto = snd.rtt.rto(self.config.hz, self.config.rto_max).max(self.config.rto_min);
        } else if self.state != TcpState::SynSent || snd.total_rto > u16::from(self.config.syn_linear_timeouts) {
            snd.backoff = snd.backoff.saturating_add(1);
            snd.rto = Duration::from_nanos(snd.rto.0.saturating_mul(2)).min(self.config.rto_max);
        }
        let rto = self.clamp_rto_to_user_timeout(now);
        self.snd.reset_xmit_timer(Pending::Retrans, now, rto);
    }

    /// `tcp_update_rto_stats`.
    fn update_rto_stats(&mut self, now: Instant) {
        let snd = &mut self.snd;
        if snd.retransmits == 0 {
            snd.total_rto_recoveries += 1;
            snd.rto_stamp = Some(now.as_millis());
        }
        snd.retransmits = snd.retransmits.saturating_add(1);
        snd.total_rto += 1;
    }

    /// `tcp_model_timeout`: how long `boundary` retransmissions last, with an RTO of `base` at first, ms.
    fn model_timeout_ms(&self, boundary: u32, base: Duration) -> u64 {
        let rto_max = self.config.rto_max;
        let thresh = (rto_max.0 / base.0.max(1)).max(1).ilog2();
        let timeout_ns = if boundary <= thresh {
            ((2_u64 << boundary) - 1) * base.0
        } else {
            ((2_u64 << thresh) - 1) * base.0 + u64::from(boundary - thresh) * rto_max.0
        };
        timeout_ns / 1_000_000
    }

    /// `retransmits_timed_out`: whether as much time has passed since the first retransmission.
    fn retransmits_timed_out(&self, now: Instant, boundary: u32, timeout: Option<Duration>) -> bool {
        let Some(start) = self.snd.retrans_stamp.filter(|_| self.snd.retransmits > 0) else { return false };
        let is_opening = matches!(self.state, TcpState::SynSent | TcpState::SynReceived);
        let timeout_ms = timeout.map_or_else(
            || self.model_timeout_ms(boundary, if is_opening { self.config.rto_init } else { RTO_MIN }),
            Duration::as_millis,
        );
        i64::from(self.timestamp_ms(now).wrapping_sub(start) as i32) >= timeout_ms as i64
    }

    /// `tcp_write_timeout`: gives the connection up after too many retransmissions; returns whether it did.
    fn write_timeout(&mut self, now: Instant) -> bool {
        let mut expired = false;
        let retry_until;
        if matches!(self.state, TcpState::SynSent | TcpState::SynReceived) {
            retry_until = u32::from(self.syn_count.unwrap_or(self.config.syn_retries));
            let linear = if self.state == TcpState::SynSent { self.config.syn_linear_timeouts } else { 0 };
            expired = u32::from(self.snd.retransmits) >= retry_until + u32::from(linear);
        } else if self.is_orphan() {
            retry_until = self.orphan_retries(self.snd.rto < self.config.rto_max);
        } else {
            retry_until = u32::from(self.config.retries2);
        }
        if !expired {
            expired = self.retransmits_timed_out(now, retry_until, self.snd.user_timeout);
        }
        if expired {
            self.fail(SocketError::TimedOut);
        }
        expired
    }

    /// `tcp_orphan_retries`: retransmissions of a connection that the application has closed.
    fn orphan_retries(&self, is_alive: bool) -> u32 {
        match self.config.orphan_retries {
            0 if is_alive => 8,
            retries => u32::from(retries),
        }
    }

    /// `tcp_rtx_probe0_timed_out`: nothing was heard from a peer with a closed window for too long.
    fn rtx_probe0_timed_out(&self, now: Instant) -> bool {
        let head_ms = self.snd.rtx_queue.head().map_or(0, |head| self.timestamp_ms(Instant(head.mstamp_ns)));
        let since = self.snd.retrans_stamp.unwrap_or(head_ms);
        let rtx_delta = Duration::from_millis(u64::from(self.timestamp_ms(now).wrapping_sub(since)));
        let mut timeout = Duration::from_nanos(self.config.rto_max.0 * 2);
        if let Some(user_timeout) = self.snd.user_timeout {
            if rtx_delta > user_timeout {
                return true;
            }
            timeout = timeout.min(user_timeout);
        }
        self.snd.timeout.since(self.snd.rcv_tstamp) > timeout && rtx_delta > timeout
    }

    /// `tcp_clamp_rto_to_user_timeout`.
    fn clamp_rto_to_user_timeout(&self, now: Instant) -> Duration {
        let (Some(user_timeout), Some(start)) = (self.snd.user_timeout, self.snd.retrans_stamp) else {
            return self.snd.rto;
        };
        let elapsed = Duration::from_millis(u64::from(self.timestamp_ms(now).wrapping_sub(start)));
        if elapsed >= user_timeout {
            return jiffies(1, self.config.hz);
        }
        self.snd.rto.min(usecs_in_jiffies((user_timeout - elapsed).as_micros(), self.config.hz))
    }

    /// `tcp_probe0_base`: an RTO, but at least 200 ms.
    fn probe0_base(&self) -> Duration {
        self.snd.rto.max(RTO_MIN)
    }

    /// `tcp_probe0_when`: the time until the next window probe.
    pub(super) fn probe0_when(&self) -> Duration {
        let most = (self.config.rto_max.0 / RTO_MIN.0).max(1).ilog2() as u8 + 1;
        let backoff = self.snd.backoff.min(most);
        Duration::from_nanos(self.probe0_base().0 << backoff).min(self.config.rto_max)
    }

    /// `tcp_check_probe_timer`: data wait, nothing is in flight and no timer runs.
    pub(super) fn check_probe_timer(&mut self, now: Instant) {
        if self.snd.packets_out == 0 && self.snd.pending.is_none() {
            let base = self.probe0_base();
            self.snd.reset_xmit_timer(Pending::Probe0, now, base);
        }
    }

    /// `tcp_clamp_probe0_to_user_timeout`.
    pub(super) fn clamp_probe0_to_user_timeout(&self, now: Instant, when: Duration) -> Duration {
        let (Some(user_timeout), Some(since)) = (self.snd.user_timeout, self.snd.probes_tstamp) else { return when };
        let remaining = user_timeout - now.since(since);
        when.min(remaining.max(jiffies(2, self.config.hz)))
    }

    /// `tcp_probe_timer`: the window probe timer has expired.
    fn probe_timer(&mut self, now: Instant) {
        if self.snd.packets_out > 0 || self.snd.write_queue.is_empty() {
            (self.snd.probes_out, self.snd.probes_tstamp) = (0, None);
            return;
        }
        let mut is_over = false;
        match self.snd.probes_tstamp {
            None => self.snd.probes_tstamp = Some(now),
            Some(since) => is_over = self.snd.user_timeout.is_some_and(|timeout| now.since(since) >= timeout),
        }
        let mut max_probes = u32::from(self.config.retries2);
        if self.is_orphan() {
            let backoff = u32::from(self.snd.backoff).min(30);
            let is_alive = Duration::from_nanos(self.snd.rto.0 << backoff) < self.config.rto_max;
            max_probes = self.orphan_retries(is_alive);
            is_over |= !is_alive && u32::from(self.snd.backoff) >= max_probes;
        }
        if is_over || u32::from(self.snd.probes_out) >= max_probes {
            self.fail(SocketError::TimedOut);
        } else {
            self.send_probe0(now);
        }
    }

    /// `tcp_send_probe0` (RFC 9293, 3.8.6.1).
    fn send_probe0(&mut self, now: Instant) {
        self.write_wakeup(now);
        let snd = &mut self.snd;
        if snd.packets_out > 0 || snd.write_queue.is_empty() {
            (snd.probes_out, snd.backoff, snd.probes_tstamp) = (0, 0, None);
            return;
        }
        snd.probes_out = snd.probes_out.saturating_add(1);
        if snd.backoff < self.config.retries2 {
            snd.backoff += 1;
        }
        let when = self.clamp_probe0_to_user_timeout(now, self.probe0_when());
        self.snd.reset_xmit_timer(Pending::Probe0, now, when);
    }

    /// `tcp_write_wakeup`: sends what the window allows, or an old number that the peer must acknowledge. Used by window
    /// probes and keepalives.
    pub(in super::super) fn write_wakeup(&mut self, now: Instant) {
        if self.state == TcpState::Closed {
            return;
        }
        let wnd_end = self.snd.wnd_end();
        let Some(head) = self.snd.write_queue.front().copied().filter(|head| head.seq.before(wnd_end)) else {
            return self.xmit_probe_skb(now);
        };
        let mss = self.current_mss();
        let room = wnd_end.since(head.seq) as u32;
        self.snd.pushed_seq = self.snd.pushed_seq.max(head.end_seq);
        let mut skb = head;
        if room < head.end_seq.since(head.seq) as u32 || head.len > mss {
            skb.flags |= flag::PSH;
            let rest = skb.split(room.min(mss), mss);
            self.snd.write_queue[0] = rest;
            self.skb_was_split();
        } else {
            skb.set_tso_segs(mss);
            self.snd.write_queue.pop_front();
        }
        skb.flags |= flag::PSH;
        self.transmit_skb(now, &mut skb, true);
        self.snd.chrono.start_busy(now);
        if self.snd.event_new_data_sent(skb) {
            self.rearm_rto(now);
        }
    }

    /// `tcp_xmit_probe_skb`: a segment without data, one number below SND.UNA.
    fn xmit_probe_skb(&mut self, now: Instant) {
        let seq = self.snd.snd_una.sub(1);
        let mut skb = Skb { seq, end_seq: seq, flags: flag::ACK, pcount: 1, ..Skb::default() };
        self.transmit_skb(now, &mut skb, false);
    }

    /// `tcp_pacing_check`: whether pacing holds the next packet back; then its timer runs.
    #[inline]
    pub(super) fn pacing_check(&mut self, now: Instant) -> bool {
        if self.snd.wstamp_ns <= now.0 || !self.needs_internal_pacing() {
            return false;
        }
        if self.snd.pacing_timer.is_none() {
            self.snd.pacing_timer = Some(Instant(self.snd.wstamp_ns));
        }
        true
    }
}
