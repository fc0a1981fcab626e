//! Header prediction: the next data of a transfer in one direction, and ACKs without data.
//!
//! Source: V. Jacobson, 4BSD Header Prediction, ACM CCR 20(2), 1990; Linux, `tcp_rcv_established` (its fast path).
//! Contract: a function of this module takes a segment and returns `true`, or changes nothing and returns `false`. Where it
//! returns `true`, the socket is as [`Socket::on_segment`] would leave it. After data, it is as if the application had then
//! read all with [`Socket::receive`]; the event for that is left out.
//! Departures: none. Not implemented: prediction while SACK has something to report.
//! Checked against: the ordinary path, by the digests of every control (`tests/fast_path.rs`).

use super::clock::Instant;
use super::ecn_feedback::EcnFeedback;
use super::receiver::memory::truesize;
use super::segment::{Segment, flag};
use super::sender::AckFlags;
use super::{Socket, TcpState};

/// The bits of the AccECN counter, and of RFC 3168's echo.
const ACC_ECN: u16 = flag::ECE | flag::CWR | flag::AE;

impl Socket {
    /// Takes the next data and reads them for an application that reads at once and has nothing to say. `false`: the segment
    /// is not what was predicted.
    #[inline]
    pub fn take_predicted_data(&mut self, now: Instant, segment: &Segment) -> bool {
        let (payload, end_seq) = (segment.payload, segment.seq.add(segment.payload));
        let rcv = &self.rcv;
        let is_acc_ecn = self.ecn.mode == EcnFeedback::AccEcn;
        let ignored = if is_acc_ecn { flag::PSH | ACC_ECN } else { flag::PSH };
        let is_predicted = payload > 0
            && segment.flags & !ignored == flag::ACK
            && (!is_acc_ecn || self.snd.is_idle())
            && segment.gso_size == 0
            && self.is_in_order(segment)
            && segment.ack == self.snd.snd_una
            && u32::from(segment.window) << self.rx_opt.snd_wscale == self.snd.snd_wnd
            && payload <= rcv.receive_window()
            && !end_seq.after(rcv.rcv_mwnd_seq.max(rcv.rcv_nxt))
            && rcv.copied_seq == rcv.rcv_nxt
            && rcv.queue.is_empty()
            && rcv.out_of_order.is_empty()
            && rcv.sacks.eff_sacks() == 0
            && !rcv.fin_received
            && !rcv.rcv_shutdown
            && !self.is_dead
            && self.events.is_empty();
        if !is_predicted {
            return false;
        }
        self.count_predicted(now, segment);
        self.rcv.data_segs_in += 1;
        self.replace_ts_recent(now, segment);
        if is_acc_ecn {
            // What an ACK field means that acknowledges nothing new, with nothing out.
            self.snd.probes_out = 0;
            self.snd.rcv_tstamp = now;
            self.ecn_on_ack(now, segment, 0, 0);
        }
        self.rcv_rtt_measure_ts(now, segment);
        // The ACK is decided on while the data wait in the buffer.
        self.rcv.queue.hold(truesize(segment));
        self.rcv.rcv_nxt_update(end_seq);
        self.event_data_recv(now, segment);
        self.snd.snd_wl1 = segment.seq;
        self.ack_snd_check(now);
        self.rcv.queue.release();
        self.rcv.copied_seq = end_seq;
        self.rcv_space_adjust(now);
        self.cleanup_rbuf(now, true);
        true
    }

    /// Takes an ACK without data. `false`: the segment is not what was predicted.
    #[inline]
    pub fn take_predicted_ack(&mut self, now: Instant, segment: &Segment) -> bool {
        let is_predicted = segment.payload == 0 && segment.flags & !ACC_ECN == flag::ACK && self.is_in_order(segment);
        if !is_predicted {
            return false;
        }
        let keeps_ack = self.rcv.ack.is_scheduled() && self.is_fast_path_ack(segment);
        self.count_predicted(now, segment);
        if !self.on_ack(now, segment, AckFlags { update_ts_recent: true, no_challenge_ack: false }) {
            return true;
        }
        self.rcv_rtt_measure_ts(now, segment);
        if self.state != TcpState::Closed {
            self.push_pending(now);
            if !keeps_ack {
                self.ack_snd_check(now);
            }
        }
        true
    }

    /// Whether a segment of an established connection begins at RCV.NXT, with timestamps as agreed on and not older than those
    /// before, so that it is valid (`tcp_validate_incoming`).
    #[inline]
    fn is_in_order(&self, segment: &Segment) -> bool {
        let has_timestamps = match segment.options.timestamps {
            Some(timestamps) => timestamps.val.wrapping_sub(self.rx_opt.ts_recent) as i32 >= 0,
            None => false,
        };
        self.state == TcpState::Established
            && segment.seq == self.rcv.rcv_nxt
            && (has_timestamps || !self.rx_opt.tstamp_ok)
    }

    /// What a valid segment of one packet changes in any case.
    #[inline]
    fn count_predicted(&mut self, now: Instant, segment: &Segment) {
        self.mstamp = now;
        self.rcv.segs_in += 1;
        self.read_timestamps(segment);
        self.ecn_received_counters(segment);
    }
}
