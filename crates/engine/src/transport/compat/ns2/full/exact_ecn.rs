//! The ECN echo and the window cut of DCTCP (RFC 8257) in two-way TCP. The estimate of congestion is in
//! [`super::dctcp`].

use super::segment::{Segment, bit, reason};
use super::socket::FullTcp;
use crate::net::Network;
use crate::packet::flag;

impl FullTcp {
    /// Echoes the CE mark of a data segment exactly. When the mark state changes, first sends the pending delayed ACK
    /// with the old state.
    pub fn echo_exactly(&mut self, segment: &Segment, net: &mut Network) {
        if segment.len == 0 || !self.tcp.config.ecn {
            return;
        }
        let is_marked = segment.carries(flag::MARKED) && segment.carries(flag::ECN_CAPABLE);
        if is_marked != self.echo_marks {
            if self.rcv_nxt > self.last_ack_sent && self.pending.ack_later {
                self.pending.ack_later = false;
                self.send_segment(*self.tcp.t_seqno, self.rcv_nxt, bit::ACK, 0, reason::NORMAL, net);
            }
            self.echo_marks = is_marked;
        }
    }

    /// Cuts the window for an ECN echo, once per window.
    pub fn handle_exact_echo(&mut self) {
        let tcp = &mut self.tcp;
        if !tcp.meets_mark(*tcp.ack) {
            return;
        }
        let left = self.dctcp.left_of(*tcp.cwnd).max(1.0);
        tcp.ssthresh.set((left as i32).max(2), &mut tcp.log);
        tcp.cwnd.set(left, &mut tcp.log);
        tcp.count_cut();
        tcp.necnresponses.set(*tcp.necnresponses + 1, &mut tcp.log);
    }
}
