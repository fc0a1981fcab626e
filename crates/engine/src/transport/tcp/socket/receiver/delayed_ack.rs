//! When to acknowledge: delayed ACKs, quick ACKs, and compressed SACKs.
//!
//! Source: RFC 5681, 4.2 (delayed ACKs; immediate ACKs for gaps); Linux's `tcp_ack_snd_check`, `tcp_send_delayed_ack`,
//! `tcp_delack_timer_handler`, `tcp_measure_rcv_mss`, `tcp_enter_quickack_mode`, `tcp_event_data_recv`,
//! `tcp_cleanup_rbuf`, `tcp_compressed_ack_kick`.
//! What it decides: whether an ACK is sent now, after the delay `ato`, when the application reads, or together with others.
//! Departures: timers run at their exact time, without the rounding of the kernel's timer wheel.
//! Not implemented: nothing.
//! Checked against: packetdrill; the tests of [`super::super`].

use super::super::Socket;
use super::super::clock::{Duration, Instant};
use super::super::rx_opt::{TCP_MSS_DEFAULT, TCPOLEN_TSTAMP_ALIGNED};
use super::super::segment::{Segment, flag};
use super::super::seq::SeqNum;

/// Greatest delay of an ACK (`TCP_DELACK_MAX`: HZ/5).
pub(in super::super) const TCP_DELACK_MAX: Duration = Duration::from_millis(200);
/// Smallest MSS that is believed (`TCP_MIN_MSS`), bytes.
pub(in super::super) const TCP_MIN_MSS: u32 = 88;
/// Bytes of a TCP header without options.
pub(in super::super) const TCP_HEADER: u32 = 20;
/// Duplicate ACKs that are not held back, so that the peer's fast retransmit works (`TCP_FASTRETRANS_THRESH`).
const TCP_FASTRETRANS_THRESH: u8 = 3;

/// Why an ACK is due; bits of [`AckState::pending`] (Linux's `ICSK_ACK_*`).
pub(in super::super) mod pending {
    /// An ACK is owed.
    pub const SCHED: u8 = 1;
    /// The delayed-ACK timer runs.
    pub const TIMER: u8 = 2;
    /// A short or pushed segment arrived.
    pub const PUSHED: u8 = 4;
    /// A second one.
    pub const PUSHED2: u8 = 8;
    /// One immediate ACK.
    pub const NOW: u8 = 16;
    /// A segment was dropped for want of memory: offer no window.
    pub const NOMEM: u8 = 32;
}

/// State of acknowledging (`icsk_ack`), with Linux's names.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct AckState {
    /// Bits of [`pending`].
    pub(in super::super) pending: u8,
    /// ACKs that are still sent at once.
    pub(in super::super) quick: u32,
    /// Replies sent soon after data; from the threshold on, the connection counts as interactive.
    pub(in super::super) pingpong: u8,
    /// Delay of an ACK; zero before the first data.
    pub(in super::super) ato: Duration,
    /// When the delayed-ACK timer is due (`icsk_delack_timeout`).
    pub(in super::super) timeout: Instant,
    /// When it expires, at a tick or then.
    pub(in super::super) expiry: Instant,
    /// When data arrived last.
    pub(in super::super) lrcvtime: Instant,
    /// Payload of the last short segment, bytes.
    pub(in super::super) last_seg_size: u32,
    /// Estimate of the peer's segment size, bytes.
    pub(in super::super) rcv_mss: u32,
    /// ACKs held back (`compressed_ack`).
    pub(in super::super) compressed_ack: u8,
    /// When they are sent.
    pub(in super::super) compressed_ack_timer: Option<Instant>,
    /// Duplicate ACKs sent since `compressed_ack_rcv_nxt` changed.
    dup_ack_counter: u8,
    compressed_ack_rcv_nxt: SeqNum,
}

impl AckState {
    /// An ACK is owed (`inet_csk_schedule_ack`).
    #[inline]
    pub(in super::super) fn schedule(&mut self) {
        self.pending |= pending::SCHED;
    }

    /// Whether an ACK is owed (`inet_csk_ack_scheduled`).
    #[inline]
    pub(in super::super) fn is_scheduled(&self) -> bool {
        self.pending & pending::SCHED != 0
    }

    /// When the delayed-ACK timer expires, if it runs.
    pub(in super::super) fn delack_timeout(&self) -> Option<Instant> {
        (self.pending & pending::TIMER != 0).then_some(self.timeout)
    }

    /// When the delayed-ACK timer expires, if it runs.
    #[inline]
    pub(in super::super) fn delack_expiry(&self) -> Option<Instant> {
        self.delack_timeout().map(|_| self.expiry)
    }

    /// Stops the timer: the ACK was sent (`inet_csk_clear_xmit_timer`).
    pub(in super::super) fn clear(&mut self) {
        self.pending = 0;
    }

    /// A quick ACK was sent (`tcp_dec_quickack_mode`).
    pub(in super::super) fn dec_quickack_mode(&mut self, ato_min: Duration) {
        if self.quick > 0 {
            let packets = u32::from(self.is_scheduled());
            if packets >= self.quick {
                self.quick = 0;
                self.ato = ato_min;
            } else {
                self.quick -= packets;
            }
        }
    }
}

impl Socket {
    /// Whether the connection is interactive: it answers data soon after it arrives (`inet_csk_in_pingpong_mode`).
    #[inline]
    pub(in super::super) fn in_pingpong_mode(&self) -> bool {
        self.rcv.ack.pingpong >= self.config.pingpong_thresh
    }

    /// Sets the number of quick ACKs from the window (`tcp_incr_quickack`).
    pub(in super::super) fn incr_quickack(&mut self, max: u32) {
        let by_window = self.rcv.rcv_wnd / (2 * self.rcv.ack.rcv_mss.max(1));
        let quickacks = if by_window == 0 { 2 } else { by_window };
        self.rcv.ack.quick = self.rcv.ack.quick.max(quickacks.min(max));
    }

    /// The next `max` ACKs are sent at once (`tcp_enter_quickack_mode`).
    pub(in super::super) fn enter_quickack_mode(&mut self, max: u32) {
        self.incr_quickack(max);
        self.rcv.ack.pingpong = 0;
        self.rcv.ack.ato = self.config.delack_min;
    }

    /// First guess of the peer's segment size (`tcp_initialize_rcv_mss`): small, so that ACKs are not too rare.
    pub(in super::super) fn initialize_rcv_mss(&mut self) {
        let hint = self.rcv.advmss.min(self.snd.mss_cache).min(self.rcv.rcv_wnd / 2);
        self.rcv.ack.rcv_mss = hint.clamp(TCP_MIN_MSS, TCP_MSS_DEFAULT);
    }

    /// Bytes of the headers of our segments: with timestamps, if they are used (`tcp_header_len`).
    #[inline]
    pub(in super::super) fn tcp_header_len(&self) -> u32 {
        TCP_HEADER + if self.rx_opt.tstamp_ok { TCPOLEN_TSTAMP_ALIGNED } else { 0 }
    }

    /// Adapts the estimate of the peer's segment size (`tcp_measure_rcv_mss`).
    pub(super) fn measure_rcv_mss(&mut self, segment: &Segment) {
        let last_seg_size = std::mem::take(&mut self.rcv.ack.last_seg_size);
        let len = if segment.gso_size > 0 { segment.gso_size } else { segment.payload };
        if len >= self.rcv.ack.rcv_mss {
            if len != self.rcv.ack.rcv_mss {
                self.update_scaling_ratio(segment);
            }
            self.rcv.ack.rcv_mss = len.min(self.rcv.advmss);
            if segment.has(flag::PSH) {
                self.rcv.ack.pending |= pending::PUSHED;
            }
            return;
        }
        // A short segment may still be the largest that the peer sends; SACK blocks make sizes vary.
        let with_header = len + TCP_HEADER + segment.options.wire_len();
        let remnant = flag::FIN | flag::URG | flag::SYN | flag::PSH;
        if with_header >= TCP_MSS_DEFAULT + TCP_HEADER
            || (with_header >= TCP_MIN_MSS + TCP_HEADER && segment.flags & remnant == 0)
        {
            let size = with_header.saturating_sub(self.tcp_header_len());
            self.rcv.ack.last_seg_size = size;
            if size == last_seg_size {
                self.rcv.ack.rcv_mss = size;
                return;
            }
        }
        if self.rcv.ack.pending & pending::PUSHED != 0 {
            self.rcv.ack.pending |= pending::PUSHED2;
        }
        self.rcv.ack.pending |= pending::PUSHED;
    }

    /// Adapts the delay of ACKs to the time between segments (in `tcp_event_data_recv`).
    pub(super) fn update_ato(&mut self, now: Instant) {
        if self.rcv.ack.ato == Duration::ZERO {
            self.incr_quickack(self.config.max_quickacks);
            self.rcv.ack.ato = self.config.delack_min;
        } else {
            let half_min = Duration(self.config.delack_min.0 / 2);
            let gap = now.since(self.rcv.ack.lrcvtime);
            let half = Duration(self.rcv.ack.ato.0 / 2);
            if gap <= half_min {
                self.rcv.ack.ato = half + half_min;
            } else if gap < self.rcv.ack.ato {
                self.rcv.ack.ato = (half + gap).min(self.rto()).min(TCP_DELACK_MAX);
            } else if gap > self.rto() {
                // The peer did not restart its window after the pause, so it needs ACKs soon.
                self.incr_quickack(self.config.max_quickacks);
            }
        }
        self.rcv.ack.lrcvtime = now;
    }

    /// Sends an ACK now or later, if one is owed (`tcp_ack_snd_check`).
    #[inline]
    pub(in super::super) fn ack_snd_check(&mut self, now: Instant) {
        // If none is owed, a data segment carried it.
        if self.rcv.ack.is_scheduled() {
            self.send_owed_ack(now);
        }
    }

    fn send_owed_ack(&mut self, now: Instant) {
        if self.is_second_segment_due() || self.in_quickack_mode() || self.rcv.ack.pending & pending::NOW != 0 {
            self.send_ack(now);
        } else if self.rcv.out_of_order.is_empty() {
            self.send_delayed_ack(now);
        } else if !self.rx_opt.sack_ok || self.rcv.ack.compressed_ack >= self.config.comp_sack_nr {
            self.send_ack(now);
        } else {
            self.compress_ack(now);
        }
    }

    /// Whether more than one full segment is not acknowledged, and the window advances. If it does not, the ACK is sent
    /// when the application reads.
    fn is_second_segment_due(&mut self) -> bool {
        let unread = self.rcv.rcv_nxt.since(self.rcv.copied_seq).max(0) as u32;
        self.rcv.rcv_nxt.since(self.rcv.rcv_wup) > self.rcv.ack.rcv_mss as i32
            && (unread < self.rcv.rcvlowat || self.select_window() >= self.rcv.rcv_wnd)
    }

    /// Whether ACKs are sent at once (`tcp_in_quickack_mode`).
    #[inline]
    fn in_quickack_mode(&self) -> bool {
        self.config.quickack || (self.rcv.ack.quick > 0 && !self.in_pingpong_mode())
    }

    /// Holds back an ACK with SACK blocks for a small part of the RTT.
    fn compress_ack(&mut self, now: Instant) {
        let ack = &mut self.rcv.ack;
        if ack.compressed_ack_rcv_nxt != self.rcv.rcv_nxt {
            ack.compressed_ack_rcv_nxt = self.rcv.rcv_nxt;
            ack.dup_ack_counter = 0;
        }
        if ack.dup_ack_counter < TCP_FASTRETRANS_THRESH {
            ack.dup_ack_counter += 1;
            self.send_ack(now);
            return;
        }
        ack.compressed_ack += 1;
        if ack.compressed_ack_timer.is_some() {
            return;
        }
        let mut rtt_us = self.rcv.rcv_rtt_est.rtt_us; // times 8
        let srtt_us = self.srtt_us8();
        if srtt_us != 0 && srtt_us < rtt_us {
            rtt_us = srtt_us;
        }
        let delay = Duration(u64::from(rtt_us) * (1_000 >> 3) / 20).min(self.config.comp_sack_delay);
        self.rcv.ack.compressed_ack_timer = Some(now + delay);
    }

    /// Sends the ACKs that were held back, as one (`tcp_sack_compress_send_ack`).
    pub(in super::super) fn sack_compress_send_ack(&mut self, now: Instant) {
        if self.rcv.ack.compressed_ack > 0 {
            self.rcv.ack.compressed_ack = 0;
            self.rcv.ack.compressed_ack_timer = None;
            self.send_ack(now);
        }
    }

    /// The timer of ACKs that were held back expired (`tcp_compressed_ack_kick`).
    pub(in super::super) fn compressed_ack_timer(&mut self, now: Instant) {
        self.sack_compress_send_ack(now);
    }

    /// Longest delay of an ACK: less than the peer's smallest RTO (`tcp_delack_max`).
    pub(in super::super) fn delack_max(&self) -> Duration {
        let jiffy = self.config.jiffy();
        let from_rto_min = Duration(self.config.rto_min.0.max(2 * jiffy.0) - jiffy.0);
        TCP_DELACK_MAX.min(from_rto_min)
    }

    /// Starts or shortens the delayed-ACK timer (`tcp_send_delayed_ack`).
    pub(in super::super) fn send_delayed_ack(&mut self, now: Instant) {
        let mut ato = self.rcv.ack.ato;
        if ato > self.config.delack_min {
            let mut max_ato = Duration::from_millis(500);
            if self.in_pingpong_mode() || self.rcv.ack.pending & pending::PUSHED != 0 {
                max_ato = TCP_DELACK_MAX;
            }
            let srtt_us = self.srtt_us8() >> 3;
            if srtt_us != 0 {
                max_ato = max_ato.min(Duration::from_micros(u64::from(srtt_us)).max(self.config.delack_min));
            }
            ato = ato.min(max_ato);
        }
        ato = ato.min(self.delack_max());
        let mut timeout = now + ato;
        if let Some(running) = self.rcv.ack.delack_timeout() {
            if running <= now + Duration(ato.0 / 4) {
                self.send_ack(now);
                return;
            }
            timeout = timeout.min(running);
        }
        self.rcv.ack.pending |= pending::SCHED;
        self.set_delack_timer(now, timeout);
    }

    /// Starts the timer of delayed ACKs (`inet_csk_reset_xmit_timer`).
    pub(in super::super) fn set_delack_timer(&mut self, now: Instant, timeout: Instant) {
        self.rcv.ack.pending |= pending::TIMER;
        self.rcv.ack.timeout = timeout;
        self.rcv.ack.expiry = self.config.ticks().map_or(timeout, |ticks| ticks.expiry(now, timeout.since(now)));
    }

    /// The delayed-ACK timer expired (`tcp_delack_timer_handler`).
    pub(in super::super) fn delack_timer(&mut self, now: Instant) {
        if self.rcv.ack.compressed_ack > 0 {
            self.rcv.ack.pending &= !pending::TIMER;
            self.sack_compress_send_ack(now);
            return;
        }
        self.rcv.ack.pending &= !pending::TIMER;
        if !self.rcv.ack.is_scheduled() {
            return;
        }
        if self.in_pingpong_mode() {
            self.rcv.ack.pingpong = 0;
            self.rcv.ack.ato = self.config.delack_min;
        } else {
            // No segment came in time: wait longer next time.
            self.rcv.ack.ato = Duration(self.rcv.ack.ato.0 * 2).min(self.rto()).min(TCP_DELACK_MAX);
        }
        self.send_ack(now);
    }

    /// The application has read: sends an ACK if one was put off for that, or if the window has doubled
    /// (`tcp_cleanup_rbuf`).
    pub(in super::super) fn cleanup_rbuf(&mut self, now: Instant, has_copied: bool) {
        let mut is_time = false;
        let ack = &self.rcv.ack;
        if ack.is_scheduled() {
            let was_pushed =
                ack.pending & pending::PUSHED2 != 0 || (ack.pending & pending::PUSHED != 0 && !self.in_pingpong_mode());
            is_time = self.rcv.rcv_nxt.since(self.rcv.rcv_wup) > ack.rcv_mss as i32
                || (has_copied && was_pushed && self.rcv.rmem_alloc() == 0);
        }
        if has_copied && !is_time && !self.rcv.rcv_shutdown {
            let window = self.rcv.receive_window();
            if u64::from(window) * 2 <= u64::from(self.rcv.window_clamp) {
                let new = self.select_window();
                is_time = new > 0 && u64::from(new) >= 2 * u64::from(window);
            }
        }
        if is_time {
            self.send_ack(now);
        }
    }
}
