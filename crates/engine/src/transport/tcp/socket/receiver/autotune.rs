//! Autotuning of the receive buffer: it grows with what the application reads in a round trip.
//!
//! Source: W. Feng, M. Fisk, M. Gardner, E. Weigle, Dynamic Right-Sizing, 2002; Linux 6.18's `tcp_rcv_space_adjust`,
//! `tcp_rcvbuf_grow`, `tcp_rcv_rtt_measure`, `tcp_rcv_rtt_measure_ts`, `tcp_rcv_rtt_update`, and the ratio of window to
//! memory in `tcp_measure_rcv_mss`.
//! What it decides: the size of the receive buffer, and so the largest window.
//! Departures: none.
//! Not implemented: nothing.
//! Checked against: by hand, below; packetdrill's `tcp_info` for the RTT.

use super::super::Socket;
use super::super::clock::Instant;
use super::super::segment::Segment;
use super::super::seq::SeqNum;
use super::memory::truesize;

/// What the application has read per round trip (`rcvq_space`).
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct RcvqSpace {
    /// Bytes read in the last round trip.
    pub(in super::super) space: u32,
    /// Where the present round trip began.
    pub(in super::super) seq: SeqNum,
    /// When it began.
    pub(in super::super) time: Instant,
}

/// The RTT as the receiver sees it (`rcv_rtt_est`).
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct RcvRttEst {
    /// Eight times the RTT, µs; 0 before the first sample.
    pub(in super::super) rtt_us: u32,
    /// The sample is complete when this arrives.
    seq: SeqNum,
    /// When the sample began.
    time: Option<Instant>,
    /// Echoed timestamp of the last sample.
    pub(in super::super) last_tsecr: u32,
}

impl Socket {
    /// Takes an RTT sample, µs (`tcp_rcv_rtt_update`). `win_dep`: it is the time for a window, so an upper limit.
    fn rcv_rtt_update(&mut self, sample: u32, win_dep: bool) {
        let old = self.rcv.rcv_rtt_est.rtt_us;
        let scaled = sample.saturating_mul(8);
        if old == 0 || scaled < old {
            self.rcv.rcv_rtt_est.rtt_us = scaled;
        } else if !win_dep && self.rcv.rcv_nxt == self.rcv.copied_seq {
            // A sample taken while data waits for the application says more of the application than of the path.
            self.rcv.rcv_rtt_est.rtt_us = old - (old >> 3) + sample;
        }
    }

    /// RTT without timestamps: the time for a window of data (`tcp_rcv_rtt_measure`).
    pub(super) fn rcv_rtt_measure(&mut self, now: Instant) {
        if let Some(time) = self.rcv.rcv_rtt_est.time {
            if self.rcv.rcv_nxt.before(self.rcv.rcv_rtt_est.seq) {
                return;
            }
            let sample = now.since(time).as_micros().clamp(1, u64::from(u32::MAX)) as u32;
            self.rcv_rtt_update(sample, true);
        }
        self.rcv.rcv_rtt_est.seq = self.rcv.rcv_nxt.add(self.rcv.rcv_wnd);
        self.rcv.rcv_rtt_est.time = Some(now);
    }

    /// RTT from the echoed timestamp of a full segment (`tcp_rcv_rtt_measure_ts`).
    pub(in super::super) fn rcv_rtt_measure_ts(&mut self, now: Instant, segment: &Segment) {
        let tsecr = self.rx_opt.rcv_tsecr;
        if !self.rx_opt.saw_tstamp || tsecr == self.rcv.rcv_rtt_est.last_tsecr {
            return;
        }
        self.rcv.rcv_rtt_est.last_tsecr = tsecr;
        if segment.seq_len() >= self.rcv.ack.rcv_mss {
            let ms = self.timestamp_ms(now).wrapping_sub(tsecr);
            if ms > 0 && ms < i32::MAX as u32 / 1000 {
                self.rcv_rtt_update(ms * 1000, false);
            }
        }
    }

    /// The application has read: once per round trip, adapts the buffer (`tcp_rcv_space_adjust`).
    pub(in super::super) fn rcv_space_adjust(&mut self, now: Instant) {
        let rtt_us = self.rcv.rcv_rtt_est.rtt_us;
        let time = now.since(self.rcv.rcvq_space.time).as_micros();
        if rtt_us == 0 || time < u64::from(rtt_us >> 3) {
            return;
        }
        let copied = self.rcv.copied_seq.since(self.rcv.rcvq_space.seq);
        let unread = self.rcv.rcv_nxt.since(self.rcv.copied_seq);
        let copied = copied.saturating_sub(unread);
        if copied > self.rcv.rcvq_space.space as i32 {
            self.rcvbuf_grow(copied as u32);
        }
        self.rcv.rcvq_space.seq = self.rcv.copied_seq;
        self.rcv.rcvq_space.time = now;
    }

    /// Enlarges the buffer for `newval` bytes per round trip (`tcp_rcvbuf_grow`).
    pub(super) fn rcvbuf_grow(&mut self, newval: u32) {
        let oldval = std::mem::replace(&mut self.rcv.rcvq_space.space, newval);
        if !self.config.moderate_rcvbuf || self.rcv.rcvbuf_locked || oldval == 0 {
            return;
        }
        // What is measured is one round trip old; in slow start the peer doubles its rate.
        let mut rcvwin = u64::from(newval) * 2;
        rcvwin += 2 * (rcvwin * u64::from(newval.saturating_sub(oldval)) / u64::from(oldval));
        if let Some(last) = self.rcv.out_of_order.last() {
            rcvwin += last.end_seq.since(self.rcv.rcv_nxt).max(0) as u64;
        }
        let rcvbuf = self.space_from_win(rcvwin).min(u64::from(self.config.rmem[2])) as u32;
        if rcvbuf > self.rcv.rcvbuf {
            self.rcv.rcvbuf = rcvbuf;
            self.rcv.window_clamp = self.full_space().max(0) as u32;
        }
    }

    /// A segment larger than those before: adapts the ratio of window to memory (in `tcp_measure_rcv_mss`).
    pub(super) fn update_scaling_ratio(&mut self, segment: &Segment) {
        let old = self.rcv.scaling_ratio;
        let ratio = (u64::from(segment.payload) << 8) / u64::from(truesize(segment).max(1));
        self.rcv.scaling_ratio = ratio.clamp(1, 255) as u8;
        if self.rcv.scaling_ratio != old {
            self.set_window_clamp(self.full_space().max(0) as u32);
            self.rcv.rcvq_space.space = self.rcv.rcvq_space.space.min(self.rcv.window_clamp);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::config::Config;
    use super::*;

    // `tcp_rcvbuf_grow` by hand: from 14480 to 28960 bytes a round trip, the window must hold 2 * 28960 bytes and,
    // since the rate doubled, 2 * 57920 more: 173760, in a buffer twice as large.
    #[test]
    fn the_buffer_grows_with_what_is_read() {
        let mut socket = Socket::new(Config::default(), SeqNum(0), 0);
        socket.rcv.rcvq_space.space = 14_480;
        socket.rcvbuf_grow(28_960);
        assert_eq!(socket.rcv.rcvbuf, 2 * 173_760);
        assert_eq!(socket.rcv.window_clamp, 173_760);
    }
}
