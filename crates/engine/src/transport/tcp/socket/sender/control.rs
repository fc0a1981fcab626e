//! The congestion control of a socket: its start, its choice by name, and the path statistics that it gets.
//!
//! Source: Linux, net/ipv4/tcp_cong.c and `tcp_init_transfer`; RFC 5681, section 3.1, and RFC 6298, section 5.7, for a
//! handshake with losses.
//! What it decides: the window at the start: the initial window, or one packet if the SYN was sent three times.
//! Departures: none. Not implemented: cached metrics of former connections.
//! Checked against: packetdrill's scripts.

use super::super::clock::{Duration, Instant};
use super::super::segment::Segment;
use super::super::{Socket, SocketError, SocketOption};
use super::flag::Flag;
use crate::transport::tcp::cc::model_log::ModelLog;
use crate::transport::tcp::cc::{self, Control, Path};
use crate::transport::tcp::controls;

/// `SOCK_MIN_SNDBUF`, bytes.
const MIN_SNDBUF: u32 = 4608;
/// `TCP_TIMEOUT_FALLBACK`: the RTO after a handshake without an RTT sample (RFC 6298, 5.7).
const TIMEOUT_FALLBACK: Duration = Duration::from_secs(3);

impl Socket {
    /// The path statistics for the control.
    pub(super) fn path(&self, now: Instant) -> Path {
        let snd = &self.snd;
        let min_rtt_us = snd.min_rtt_us();
        Path {
            now_s: now.as_secs_f64(),
            mss_bytes: f64::from(snd.mss_cache),
            in_flight: snd.packets_in_flight(),
            delivered: u64::from(snd.delivery.delivered),
            lost: u64::from(snd.delivery.lost),
            srtt_s: f64::from(snd.rtt.srtt_us) / 8e6,
            min_rtt_s: if min_rtt_us == u32::MAX { f64::INFINITY } else { f64::from(min_rtt_us) / 1e6 },
            is_limited: snd.is_cwnd_limited(),
            is_cwnd_full: snd.is_cwnd_limited,
            next_send_s: Instant(snd.wstamp_ns).as_secs_f64(),
            lacks_sack: !snd.sack_ok,
            is_recovering: snd.in_cwnd_reduction() && !snd.own_response,
            is_paced: self.needs_internal_pacing(),
            snd_una: snd.bytes_acked,
            snd_nxt: snd.bytes_acked + snd.snd_nxt.since(snd.snd_una) as u64,
            reordering: snd.reordering,
            seed: self.config.seed,
            packets_out: snd.packets_out,
            sacked_out: snd.sacked_out,
            max_packets_out: snd.max_packets_out,
            delivered_ce: u64::from(snd.delivery.delivered_ce),
            pacing_rate: snd.pacing_rate,
            has_ecn: self.ecn.is_negotiated(),
        }
    }

    /// The congestion control.
    pub fn control(&self) -> &dyn Control {
        &*self.snd.control
    }

    /// The congestion control, to set its parameters.
    pub fn control_mut(&mut self) -> &mut dyn Control {
        &mut *self.snd.control
    }

    /// Uses this congestion control, before the connection is opened.
    pub fn set_own_control(&mut self, control: Box<dyn Control>) {
        self.snd.control = control;
    }

    /// The congestion control, for another socket; this one gets the default.
    pub fn take_control(&mut self) -> Box<dyn Control> {
        std::mem::replace(&mut self.snd.control, (cc::CONTROLS[0].make)())
    }

    /// Adds the present state of the control's model to its course.
    pub fn log_model(&self, now_s: f64, log: &mut ModelLog) {
        log.note(now_s, &*self.snd.control, &self.snd.window, self.snd.packets_in_flight());
    }

    /// A message if the window, the threshold or the pacing rate is not a valid number.
    pub fn window_violation(&self) -> Option<String> {
        let cc::Window { cwnd, ssthresh, pacing_per_s, .. } = self.snd.window;
        let is_rate = |per_s: f64| per_s > 0.0 && per_s < f64::INFINITY;
        let is_valid = cwnd > 0.0 && ssthresh >= 0.0 && pacing_per_s.is_none_or(is_rate);
        (!is_valid).then(|| {
            format!(
                "a sender has a window of {cwnd} packets, a threshold of {ssthresh} and a rate of {pacing_per_s:?} packets/s"
            )
        })
    }

    /// `tcp_init_transfer`: the handshake is complete.
    pub(in super::super) fn init_sender(&mut self, now: Instant) {
        self.sync_mss();
        if let Some(rtt) = self.handshake.synack_rtt.take()
            && self.snd.rtt.srtt_us == 0
        {
            self.synack_rtt_meas(now, rtt.as_micros() as u32);
        }
        let snd = &mut self.snd;
        snd.delivery.delivered = snd.delivery.delivered.max(1); // the SYN or SYN-ACK
        (snd.pushed_seq, snd.snd_sml) = (snd.snd_una, snd.snd_una);
        snd.window.ssthresh = f64::INFINITY;
        if snd.rtt.srtt_us == 0 {
            snd.rtt.set_fallback(TIMEOUT_FALLBACK);
            snd.rto = TIMEOUT_FALLBACK;
        }
        let was_lost = snd.total_retrans > 1 && snd.undo_marker.is_some();
        snd.set_snd_cwnd(if was_lost { 1 } else { self.config.init_cwnd });
        snd.snd_cwnd_stamp = now;
        let path = self.path(now);
        self.snd.control.start(&path, &mut self.snd.window);
        self.snd.control_started = true;
        self.sndbuf_expand();
        self.snd.update_pacing_rate(&self.config);
    }

    /// `tcp_synack_rtt_meas`: the RTT of the SYN-ACK, if it was sent once, us.
    fn synack_rtt_meas(&mut self, now: Instant, rtt_us: u32) {
        self.take_rtt_sample(now, rtt_us, rtt_us, Flag::SYN_ACKED);
    }

    /// `tcp_set_congestion_control`.
    pub(in super::super) fn set_control(&mut self, now: Instant, name: &str) -> Result<(), SocketError> {
        let control = controls::named(name).ok_or(SocketError::Invalid)?;
        if self.snd.control_name == name {
            return Ok(());
        }
        self.snd.control = control;
        self.snd.control_name = name.to_owned();
        self.snd.window.pacing_per_s = None;
        if self.snd.control_started {
            let path = self.path(now);
            self.snd.control.start(&path, &mut self.snd.window);
        }
        Ok(())
    }

    /// `tcp_ca_needs_ecn`: the control needs to know of every mark (DCTCP).
    pub(in super::super) fn ca_needs_ecn(&self) -> bool {
        self.snd.control.feedback() == cc::Feedback::Exact
    }

    /// `tcp_ca_needs_accecn`: the control needs the number of marks (Prague). Its packets carry ECT(1) (RFC 9331).
    pub(in super::super) fn ca_needs_acc_ecn(&self) -> bool {
        self.snd.control.feedback() == cc::Feedback::Counted
    }

    /// The RTO, backoff included.
    pub(in super::super) fn rto(&self) -> Duration {
        self.snd.rto
    }

    /// 8 SRTT, us; 0 before the first sample.
    pub(in super::super) fn srtt_us8(&self) -> u32 {
        self.snd.rtt.srtt_us
    }

    /// Options of the sending half (`setsockopt`).
    pub(in super::super) fn set_sender_option(
        &mut self,
        now: Instant,
        option: SocketOption,
    ) -> Result<(), SocketError> {
        match option {
            SocketOption::NoDelay(is_on) => self.set_nodelay(now, is_on),
            SocketOption::Cork(is_on) => self.set_cork(now, is_on),
            SocketOption::SendBuffer(bytes) => {
                self.snd.sndbuf_locked = true;
                self.snd.sndbuf = bytes.saturating_mul(2).max(MIN_SNDBUF);
                self.check_space();
            }
            SocketOption::CongestionControl(name) => self.set_control(now, &name)?,
            SocketOption::MaxPacingRate(bytes_per_s) => self.set_max_pacing_rate(bytes_per_s),
            SocketOption::NotSentLowWater(bytes) => {
                self.snd.notsent_lowat = if bytes == 0 { self.config.notsent_lowat } else { bytes };
                self.check_space();
            }
            SocketOption::ThinLinearTimeouts(is_on) => self.snd.thin_lto = is_on,
            _ => return Err(SocketError::Invalid),
        }
        Ok(())
    }

    /// `tcp_sndbuf_expand`: the send buffer holds two windows.
    pub(super) fn sndbuf_expand(&mut self) {
        if self.snd.sndbuf_locked {
            return;
        }
        let snd = &mut self.snd;
        // Memory of a packet: its payload and headers, rounded up to a power of two, and Linux's records for it.
        let per_mss = (u32::from(snd.mss_clamp).max(snd.mss_cache) + 320 + 320).next_power_of_two() + 256;
        let nr_segs = self.config.init_cwnd.max(10).max(snd.snd_cwnd()).max(snd.reordering + 1);
        let sndmem = nr_segs.saturating_mul(2 * per_mss).min(self.config.wmem[2]);
        snd.sndbuf = snd.sndbuf.max(sndmem);
    }

    /// The peer's timestamp and the one that it echoes.
    pub(super) fn timestamps_of(&self, segment: &Segment) -> Option<(u32, u32)> {
        let timestamps = segment.options.timestamps?;
        Some((timestamps.val, self.rcv_tsecr(segment)?))
    }

    /// The one-way delay of the packet that the ACK acknowledges, s: the difference of the two timestamps.
    pub(super) fn one_way_delay_s(&self, segment: &Segment) -> Option<f64> {
        let timestamps = segment.options.timestamps?;
        let tsecr = self.rcv_tsecr(segment)?;
        Some(f64::from(timestamps.val.wrapping_sub(tsecr) as i32) / 1e3)
    }
}
