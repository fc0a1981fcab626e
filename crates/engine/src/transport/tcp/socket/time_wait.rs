//! TIME-WAIT, and FIN-WAIT-2 without an owner.
//!
//! Source: RFC 9293, 3.6.1 and 3.10.7.4; RFC 1122, 4.2.2.13; RFC 6191 (a new SYN in TIME-WAIT); Linux's `tcp_time_wait`,
//! `tcp_timewait_state_process`, `tcp_timewait_check_oow_rate_limit`.
//! What it decides: how late segments are answered after both sides have closed.
//! Departures: a SYN that would open a new connection ends this one and is answered by a RST: the owner makes a new
//! socket for it.
//! Not implemented: `tcp_rfc1337` (a RST ends TIME-WAIT), `tcp_tw_reuse`.
//! Checked against: packetdrill scripts of `close`; the tests of [`super`].

use super::clock::{Duration, Instant};
use super::request::in_window;
use super::segment::{Segment, Timestamps, flag};
use super::validate::oow_rate_limited;
use super::{Event, Socket, TcpState};

/// The small state that remains (`struct tcp_timewait_sock`).
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeWait {
    /// When it ends.
    pub deadline: Instant,
    /// Window offered last.
    rcv_wnd: u32,
    last_oow_ack_time: Option<Instant>,
}

impl Socket {
    /// Both sides have closed: waits for late segments (`tcp_time_wait`).
    pub(super) fn enter_time_wait(&mut self, now: Instant) {
        self.begin_time_wait(now, TcpState::TimeWait, self.config.time_wait);
        self.tell_end(Event::Closed);
    }

    /// The orphan waits for the peer's FIN for `timeout`.
    pub(super) fn enter_orphan_fin_wait2(&mut self, now: Instant, timeout: Duration) {
        let least = Duration(self.rto().0 * 7 / 2);
        self.begin_time_wait(now, TcpState::FinWait2, timeout.max(least));
    }

    fn begin_time_wait(&mut self, now: Instant, state: TcpState, timeout: Duration) {
        self.state = state;
        let rcv_wnd = self.rcv.receive_window();
        self.time_wait = Some(TimeWait { deadline: now + timeout, rcv_wnd, last_oow_ack_time: None });
        self.keepalive.timer = None;
        self.rcv.ack.clear();
        self.rcv.ack.compressed_ack_timer = None;
        self.rcv.ack.compressed_ack = 0;
        self.write_queue_purge();
    }

    /// A segment arrives (`tcp_timewait_state_process`).
    pub(super) fn timewait_state_process(&mut self, now: Instant, segment: &Segment) {
        let Some(time_wait) = self.time_wait else { return };
        let rcv_nxt = self.rcv.rcv_nxt;
        let is_rst = segment.has(flag::RST);
        let mut paws_reject = false;
        self.rx_opt.saw_tstamp = false;
        if self.rx_opt.ts_recent_stamp.is_some() {
            self.rx_opt.parse_timestamps(segment, self.handshake.ts_offset);
            paws_reject = self.rx_opt.saw_tstamp && self.rx_opt.paws_reject(now, is_rst);
        }
        if self.state == TcpState::FinWait2 {
            self.orphan_state_process(now, segment, time_wait, paws_reject);
            return;
        }
        if !paws_reject && segment.seq == rcv_nxt && (segment.seq_len() == 0 || is_rst) {
            if is_rst {
                self.done();
            } else {
                self.restart_time_wait(now);
                if self.rx_opt.saw_tstamp {
                    self.rx_opt.store_ts_recent(now);
                }
            }
            return;
        }
        let is_newer = segment.seq.after(rcv_nxt)
            || (self.rx_opt.saw_tstamp && (self.rx_opt.ts_recent.wrapping_sub(self.rx_opt.rcv_tsval) as i32) < 0);
        if segment.has(flag::SYN) && !is_rst && !segment.has(flag::ACK) && !paws_reject && is_newer {
            self.done();
            self.send_reset(segment);
            return;
        }
        if !is_rst {
            if paws_reject || segment.has(flag::ACK) {
                self.restart_time_wait(now);
            }
            self.send_timewait_ack(now, segment);
        }
    }

    /// A segment arrives in FIN-WAIT-2 without an owner.
    fn orphan_state_process(&mut self, now: Instant, segment: &Segment, time_wait: TimeWait, paws_reject: bool) {
        let rcv_nxt = self.rcv.rcv_nxt;
        let end = rcv_nxt.add(time_wait.rcv_wnd);
        if paws_reject || !in_window(segment.seq, segment.end_seq(), rcv_nxt, end) {
            self.send_timewait_ack(now, segment);
        } else if segment.has(flag::RST) {
            self.done();
        } else if segment.has(flag::SYN) && !segment.seq.before(rcv_nxt) {
            self.send_reset(segment);
            self.done();
        } else if !segment.has(flag::ACK) || !segment.end_seq().after(rcv_nxt) || segment.seq_len() == 0 {
            // A duplicate ACK.
        } else if !segment.has(flag::FIN) || segment.end_seq() != rcv_nxt.add(1) {
            // Data that nobody reads.
            self.send_reset(segment);
            self.done();
        } else {
            self.state = TcpState::TimeWait;
            self.rcv.rcv_nxt = segment.end_seq();
            if self.rx_opt.saw_tstamp {
                self.rx_opt.store_ts_recent(now);
            }
            self.restart_time_wait(now);
            self.tell_end(Event::Closed);
            self.timewait_ack(now);
        }
    }

    /// Waits for the whole time again.
    fn restart_time_wait(&mut self, now: Instant) {
        let deadline = now + self.config.time_wait;
        if let Some(time_wait) = &mut self.time_wait {
            time_wait.deadline = deadline;
        }
    }

    /// Sends an ACK, at a limited rate.
    fn send_timewait_ack(&mut self, now: Instant, segment: &Segment) {
        let limit = self.config.invalid_ratelimit;
        let Some(time_wait) = &mut self.time_wait else { return };
        if !oow_rate_limited(now, segment, limit, &mut time_wait.last_oow_ack_time) {
            self.timewait_ack(now);
        }
    }

    /// Sends an ACK without SACK blocks and without the bits of ECN (`tcp_v4_timewait_ack`).
    fn timewait_ack(&mut self, now: Instant) {
        let Some(time_wait) = &self.time_wait else { return };
        let window = (time_wait.rcv_wnd >> self.rx_opt.rcv_wscale).min(65_535) as u16;
        let timestamps = Timestamps { val: self.tsval(now), ecr: self.rx_opt.ts_recent };
        let mut ack = Segment {
            seq: self.snd.snd_nxt,
            ack: self.rcv.rcv_nxt,
            flags: flag::ACK,
            window,
            ecn: self.ecn_codepoint_of_ack(),
            ..Segment::default()
        };
        ack.options.timestamps = self.rx_opt.tstamp_ok.then_some(timestamps);
        self.segs_out += 1;
        self.outgoing.push_back(ack);
    }
}
