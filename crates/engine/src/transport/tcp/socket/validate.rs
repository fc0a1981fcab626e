//! Whether a segment is acceptable: PAWS, sequence numbers, RST, SYN; and the rate limit of answers to those that are not.
//!
//! Source: RFC 9293, 3.10.7.4; RFC 5961, 3 (RST), 4 (SYN), 5 (ACK), 7 (rate limit); RFC 7323, 5; Linux's
//! `tcp_validate_incoming`, `tcp_sequence`, `tcp_send_dupack`, `tcp_send_challenge_ack`, `tcp_oow_rate_limited`,
//! `tcp_reset_check`.
//! What it decides: which segments are processed, which are answered by an ACK only, and which RST resets.
//! Departures: none.
//! Not implemented: the limit of challenge ACKs of a host (`tcp_challenge_ack_limit`; off by default).
//! Checked against: packetdrill scripts of `validate` and `ts_recent`; the tests of [`super`].

use super::Socket;
use super::TcpState;
use super::clock::{Duration, Instant};
use super::segment::{Segment, flag};

/// Whether an ACK that answers an invalid segment must wait (`tcp_oow_rate_limited`). Data without SYN is always
/// answered.
pub(super) fn oow_rate_limited(
    now: Instant,
    segment: &Segment,
    limit: Duration,
    last_oow_ack_time: &mut Option<Instant>,
) -> bool {
    if segment.seq_len() > 0 && !segment.has(flag::SYN) {
        return false;
    }
    is_rate_limited(now, limit, last_oow_ack_time)
}

/// Rate limit for all segments (`__tcp_oow_rate_limited`).
pub(super) fn is_rate_limited(now: Instant, limit: Duration, last_oow_ack_time: &mut Option<Instant>) -> bool {
    if last_oow_ack_time.is_some_and(|last| now.since(last) < limit) {
        return true;
    }
    *last_oow_ack_time = Some(now);
    false
}

impl Socket {
    /// Whether the segment is to be processed (`tcp_validate_incoming`). If not, it was answered.
    pub(super) fn validate_incoming(&mut self, now: Instant, segment: &Segment) -> bool {
        let is_rst = segment.has(flag::RST);
        self.read_timestamps(segment);
        if self.rx_opt.saw_tstamp && !is_rst && self.paws_discard(now, segment) {
            let is_old_ack = segment.seq_len() == 0 && segment.seq.before(self.rcv.rcv_nxt);
            if !is_old_ack {
                self.answer_unacceptable(now, segment);
            }
            return false;
        }
        if !self.is_in_sequence(segment) {
            if !is_rst {
                self.answer_unacceptable(now, segment);
            } else if self.is_reset_after_fin(segment) {
                self.reset_arrived(now);
            }
            return false;
        }
        if is_rst {
            let is_at_sack_end = || {
                let blocks = self.rcv.sacks.blocks();
                blocks.iter().map(|block| block.end).reduce(|a, b| a.max(b)) == Some(segment.seq)
            };
            if segment.seq == self.rcv.rcv_nxt
                || self.is_reset_after_fin(segment)
                || (self.rx_opt.sack_ok && is_at_sack_end())
            {
                self.reset_arrived(now);
            } else {
                self.send_challenge_ack(now);
            }
            return false;
        }
        if segment.has(flag::SYN) && !self.is_crossed_synack(segment) {
            let reflector = self.acc_ecn_challenge(segment);
            self.send_challenge_ack_with(now, reflector);
            return false;
        }
        true
    }

    /// Reads the timestamps of a segment, if they are used.
    #[inline]
    pub(super) fn read_timestamps(&mut self, segment: &Segment) {
        if self.rx_opt.tstamp_ok {
            self.rx_opt.parse_timestamps(segment, self.handshake.ts_offset);
        } else {
            self.rx_opt.saw_tstamp = false;
        }
    }

    /// Whether the segment touches the window (`tcp_sequence`). One that ends beyond it is accepted only if the
    /// application has read everything.
    fn is_in_sequence(&self, segment: &Segment) -> bool {
        if segment.end_seq().before(self.rcv.rcv_wup) {
            return false;
        }
        let wnd_end = self.rcv.rcv_mwnd_seq.max(self.rcv.rcv_nxt);
        // A FIN alone may be beyond.
        let fin = u32::from(segment.has(flag::FIN));
        if segment.end_seq().sub(fin).after(wnd_end) {
            return !segment.seq.after(wnd_end) && self.rcv.queue.is_empty();
        }
        true
    }

    /// A RST with the sequence number of the FIN before it, as some hosts send it (`tcp_reset_check`).
    fn is_reset_after_fin(&self, segment: &Segment) -> bool {
        segment.seq == self.rcv.rcv_nxt.sub(1)
            && matches!(self.state, TcpState::CloseWait | TcpState::LastAck | TcpState::Closing)
    }

    /// The SYN-ACK of a peer whose SYN crossed ours completes the handshake.
    fn is_crossed_synack(&self, segment: &Segment) -> bool {
        self.state == TcpState::SynReceived
            && segment.has(flag::ACK)
            && segment.seq_len() == 1
            && segment.end_seq() == self.rcv.rcv_nxt
            && segment.ack == self.snd.snd_nxt
    }

    /// Answers a segment that is old or outside of the window.
    fn answer_unacceptable(&mut self, now: Instant, segment: &Segment) {
        if segment.has(flag::SYN) {
            self.send_challenge_ack(now);
            return;
        }
        let limit = self.config.invalid_ratelimit;
        if !oow_rate_limited(now, segment, limit, &mut self.rcv.last_oow_ack_time) {
            self.send_dupack(now, segment);
        }
    }

    /// Sends an ACK for a segment that is not accepted, with a D-SACK block if its data was received
    /// (`tcp_send_dupack`).
    fn send_dupack(&mut self, now: Instant, segment: &Segment) {
        if segment.seq_len() > 0 && segment.seq.before(self.rcv.rcv_nxt) {
            self.enter_quickack_mode(self.config.max_quickacks);
            self.rcv_spurious_retrans(segment);
            self.dsack_set(segment.seq, segment.end_seq().min(self.rcv.rcv_nxt));
        }
        self.send_ack(now);
    }

    /// Sends a challenge ACK, unless one was sent shortly before (RFC 5961, 7; `tcp_send_challenge_ack`).
    pub(super) fn send_challenge_ack(&mut self, now: Instant) {
        self.send_challenge_ack_with(now, 0);
    }

    /// Sends a challenge ACK with further control bits.
    fn send_challenge_ack_with(&mut self, now: Instant, flags: u16) {
        if !is_rate_limited(now, self.config.invalid_ratelimit, &mut self.rcv.last_oow_ack_time) {
            self.send_ack_with(now, flags);
        }
    }
}
