//! A segment arrives: the order of processing, by state.
//!
//! Source: RFC 9293, 3.10.7; Linux's `tcp_v4_do_rcv`, `tcp_rcv_established`, `tcp_rcv_state_process`.
//! What it decides: which part of the socket sees a segment, and the changes of state that its ACK causes.
//! Departures: none.
//! Not implemented: urgent data; data on a SYN.
//! Checked against: packetdrill; the tests of [`super`].

use super::clock::Instant;
use super::ecn_feedback::EcnFeedback;
use super::rx_opt::TCPOLEN_TSTAMP_ALIGNED;
use super::segment::{Segment, flag};
use super::sender::AckFlags;
use super::{Event, Socket, TcpState};

impl Socket {
    /// Processes a segment in whatever state the socket is.
    pub(super) fn segment_arrives(&mut self, now: Instant, segment: &Segment) {
        match self.state {
            TcpState::Closed => self.send_reset(segment),
            TcpState::Listen => self.listen_state_process(now, segment),
            TcpState::SynReceived if self.handshake.request.is_some() => {
                if self.check_req(now, segment) {
                    self.count_segment(segment);
                    self.state_process(now, segment);
                }
            }
            _ if self.time_wait.is_some() => self.timewait_state_process(now, segment),
            TcpState::SynSent => {
                self.count_segment(segment);
                self.synsent_state_process(now, segment);
            }
            TcpState::Established => {
                self.count_segment(segment);
                self.rcv_established(now, segment);
            }
            _ => {
                self.count_segment(segment);
                self.state_process(now, segment);
            }
        }
    }

    /// Counts a segment (`tcp_segs_in`).
    fn count_segment(&mut self, segment: &Segment) {
        let packets = segment.packets();
        self.rcv.segs_in += packets;
        if segment.payload > 0 {
            self.rcv.data_segs_in += packets;
        }
    }

    /// A segment arrives in ESTABLISHED (`tcp_rcv_established`).
    fn rcv_established(&mut self, now: Instant, segment: &Segment) {
        if segment.flags & (flag::ACK | flag::RST | flag::SYN) == 0 {
            return;
        }
        if !self.validate_incoming(now, segment) {
            return;
        }
        self.ecn_received_counters(segment);
        if self.is_predicted_data(segment) {
            self.rcv_predicted_data(now, segment);
            return;
        }
        let keeps_ack = self.rcv.ack.is_scheduled() && self.is_fast_path_ack(segment);
        if !self.on_ack(now, segment, AckFlags { update_ts_recent: true, no_challenge_ack: false }) {
            return;
        }
        self.rcv_rtt_measure_ts(now, segment);
        self.data_queue(now, segment);
        if self.state != TcpState::Closed {
            self.push_pending(now);
            if !keeps_ack {
                self.ack_snd_check(now);
            }
        }
    }

    /// Whether a segment is an ACK that says nothing else, which Linux takes without a look at the ACKs that it owes itself
    /// (the fast path of `tcp_rcv_established`, `__tcp_fast_path_on`). An ACK that is owed then waits for its timer, though
    /// that be about to expire.
    pub(super) fn is_fast_path_ack(&self, segment: &Segment) -> bool {
        let expected = if self.ecn.mode == EcnFeedback::AccEcn { self.expected_ace_flags() } else { 0 };
        segment.payload == 0
            && segment.flags & !flag::PSH == flag::ACK | expected
            && segment.seq == self.rcv.rcv_nxt
            && !segment.ack.after(self.snd.snd_nxt)
            && u32::from(segment.window) << self.rx_opt.snd_wscale == self.snd.snd_wnd
            && segment.options.timestamps.is_some() == self.rx_opt.tstamp_ok
            && segment.options.sack_blocks().is_empty()
            && segment.options.acc_ecn.is_none()
            && self.rcv.out_of_order.is_empty()
            && self.rcv.rcv_wnd > 0
    }

    /// Whether a segment is the next data and changes nothing else but SND.UNA (header prediction).
    fn is_predicted_data(&self, segment: &Segment) -> bool {
        segment.payload > 0
            && segment.flags & !flag::PSH == flag::ACK
            && segment.seq == self.rcv.rcv_nxt
            && segment.payload <= self.rcv.receive_window()
            && self.rcv.out_of_order.is_empty()
            && !segment.ack.before(self.snd.snd_una)
            && !segment.ack.after(self.snd.snd_nxt)
            && u32::from(segment.window) << self.rx_opt.snd_wscale == self.snd.snd_wnd
            && segment.options.sack_blocks().is_empty()
            && self.ecn.mode != EcnFeedback::AccEcn
    }

    /// Predicted data: it is queued before its ACK is processed, so that what the ACK lets out acknowledges the data.
    fn rcv_predicted_data(&mut self, now: Instant, segment: &Segment) {
        self.replace_ts_recent(now, segment);
        self.rcv_rtt_measure_ts(now, segment);
        self.data_queue(now, segment);
        if segment.ack == self.snd.snd_una {
            self.snd.snd_wl1 = segment.seq;
        } else {
            self.on_ack(now, segment, AckFlags::default());
            self.push_pending(now);
        }
        if self.state != TcpState::Closed {
            self.ack_snd_check(now);
        }
    }

    /// A segment arrives in another synchronized state, or completes the handshake (`tcp_rcv_state_process`).
    fn state_process(&mut self, now: Instant, segment: &Segment) {
        if segment.flags & (flag::ACK | flag::RST | flag::SYN) == 0 || !self.validate_incoming(now, segment) {
            return;
        }
        self.acc_ecn_note_progress();
        let is_syn_recv = self.state == TcpState::SynReceived;
        let is_acceptable = segment.has(flag::ACK)
            && !(is_syn_recv && segment.ack.before(self.handshake.iss.add(1)))
            && self.on_ack(now, segment, AckFlags { update_ts_recent: true, no_challenge_ack: true });
        if !is_acceptable {
            if is_syn_recv {
                self.send_reset(segment);
            } else if segment.has(flag::ACK) {
                self.send_challenge_ack(now);
            }
            return;
        }
        let all_acked = self.snd.snd_una == self.snd.write_seq;
        if self.state == TcpState::FinWait1 && all_acked && self.enter_fin_wait2(now, segment) {
            return;
        }
        match self.state {
            TcpState::SynReceived => self.handshake_completed(now, segment),
            TcpState::Closing if all_acked => {
                self.enter_time_wait(now);
                return;
            }
            TcpState::LastAck if all_acked => {
                self.done();
                return;
            }
            _ => {}
        }
        self.segment_text(now, segment);
        if self.state != TcpState::Closed && self.time_wait.is_none() {
            self.push_pending(now);
            self.ack_snd_check(now);
        }
    }

    /// The ACK of our SYN arrived in SYN-RECEIVED: the connection is established.
    fn handshake_completed(&mut self, now: Instant, segment: &Segment) {
        if self.rx_opt.tstamp_ok {
            self.rcv.advmss -= TCPOLEN_TSTAMP_ALIGNED;
        }
        self.try_undo_spurious_syn();
        self.state = TcpState::Established;
        self.init_transfer(now);
        self.rcv.copied_seq = self.rcv.rcv_nxt;
        self.snd.snd_una = segment.ack;
        self.snd.snd_wnd = u32::from(segment.window) << self.rx_opt.snd_wscale;
        self.snd.snd_wl1 = segment.seq;
        self.initialize_rcv_mss();
        if self.ecn.mode == EcnFeedback::AccEcn {
            self.acc_ecn_third_ack(segment);
        }
        self.events.push_back(Event::Connected);
        if self.send_shutdown {
            self.send_fin_if_open(now);
        }
    }

    /// Payload and FIN, by state (RFC 9293, 3.10.7.4, seventh and eighth).
    fn segment_text(&mut self, now: Instant, segment: &Segment) {
        match self.state {
            TcpState::CloseWait | TcpState::Closing | TcpState::LastAck if !segment.seq.before(self.rcv.rcv_nxt) => {}
            TcpState::CloseWait
            | TcpState::Closing
            | TcpState::LastAck
            | TcpState::FinWait1
            | TcpState::FinWait2
            | TcpState::Established => {
                let fin = u32::from(segment.has(flag::FIN));
                let has_new = segment.seq_len() > 0 && segment.end_seq().sub(fin).after(self.rcv.rcv_nxt);
                if self.state != TcpState::Established && self.rcv.rcv_shutdown && has_new {
                    // RFC 9293, 3.6.1: data that nobody reads any more resets the connection.
                    self.send_reset(segment);
                    self.reset_arrived(now);
                    return;
                }
                self.data_queue(now, segment);
            }
            _ => {}
        }
    }
}
