//! Connection establishment of two-way TCP: segments in the states LISTEN and SYN-SENT.

use super::acks::Next;
use super::segment::{Segment, State, bit, reason};
use super::socket::FullTcp;
use crate::net::Network;
use crate::packet::flag;

impl FullTcp {
    /// Answers an unacceptable segment.
    pub fn refuse(&mut self, segment: &Segment, net: &mut Network) {
        if segment.has(bit::ACK) {
            self.send_segment(segment.ackno, 0, 0, 0, reason::NORMAL, net);
        } else {
            let ackno = segment.seqno + segment.len - i32::from(segment.has(bit::SYN));
            self.send_segment(0, ackno, bit::ACK, 0, reason::NORMAL, net);
        }
    }

    /// Processes a segment in the LISTEN state.
    pub fn take_while_listening(&mut self, segment: &mut Segment, net: &mut Network) -> Next {
        if segment.has(bit::ACK) {
            self.refuse(segment, net);
            return Next::Drop;
        }
        if !segment.has(bit::SYN) {
            return Next::Drop;
        }
        self.read_options(segment, net);
        self.irs = segment.seqno;
        let iss = self.set.iss;
        self.tcp.t_seqno.set(iss, &mut self.tcp.log);
        self.rcv_nxt = segment.seqno + segment.len + 1;
        self.pending.ack_now = true;
        if self.tcp.config.ecn && segment.echoes_mark() && segment.carries(flag::CONG_ACTION) {
            self.tcp.peer_marks = true;
        }
        if self.tcp.end.fid == 0 {
            self.tcp.end.fid = segment.fid;
        }
        self.state = State::SynReceived;
        segment.seqno += 1;
        Next::Bytes
    }

    /// Processes a segment in the SYN-SENT state.
    pub fn take_while_opening(&mut self, segment: &mut Segment, net: &mut Network) -> Next {
        let ackno = segment.ackno;
        if segment.has(bit::ACK) && (ackno <= self.set.iss || ackno > *self.tcp.maxseq) {
            self.refuse(segment, net);
            return Next::Drop;
        }
        if !segment.has(bit::SYN) {
            return Next::Drop;
        }
        let asks = self.tcp.config.ecn && segment.echoes_mark();
        let agrees = asks && !segment.carries(flag::CONG_ACTION);
        let marked = agrees && segment.carries(flag::MARKED);
        if segment.has(bit::ACK) && marked && self.set.ecn_syn_wait == 2 {
            self.tcp.set_retransmit_timer(net);
            self.send_segment(*self.tcp.t_seqno, self.rcv_nxt, bit::ACK | bit::ECN_ECHO, 0, reason::NORMAL, net);
            return Next::Drop;
        }
        self.irs = segment.seqno;
        self.rcv_nxt = segment.seqno + segment.len + 1;
        if !segment.has(bit::ACK) {
            if asks && !agrees {
                self.tcp.peer_marks = true;
            }
            self.pending.ack_now = true;
            self.tcp.stop_retransmit_timer(net);
            self.state = State::SynReceived;
            // Retransmit the SYN, now with an ACK.
            self.tcp.t_seqno.set(*self.tcp.t_seqno - 1, &mut self.tcp.log);
            segment.seqno += 1;
            return Next::Bytes;
        }
        if agrees {
            self.tcp.peer_marks = true;
            self.echo_marks |= marked;
        }
        self.tcp.ack.set(ackno, &mut self.tcp.log);
        let window = self.tcp.initial_window(net);
        self.tcp.cwnd.set(window, &mut self.tcp.log);
        if segment.len > 0 {
            self.pending.ack_later = true;
        } else {
            self.pending.ack_now = true;
        }
        if std::mem::take(&mut self.pending.fin) {
            self.state = State::FinWait1;
            segment.flags &= !bit::SYN;
        } else {
            self.state = State::Established;
        }
        // As if the application wrote its first data after the notification that the connection is open.
        self.send_segment(*self.tcp.t_seqno, self.rcv_nxt, bit::ACK, 0, reason::NORMAL, net);
        segment.seqno += 1;
        Next::NewAck
    }
}
