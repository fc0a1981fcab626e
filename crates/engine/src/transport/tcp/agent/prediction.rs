//! Packets that header prediction takes, without a copy of the segment.
//!
//! Contract: the agent is as its ordinary path leaves it. Predicted data find an application that has nothing to write and
//! reads at once, so that only the socket's segments and timers are left. Without the network's fast path there is no
//! prediction; `tests/fast_path.rs` compares both.

use super::{Backlog, TcpAgent};
use crate::net::{Network, Upcall};
use crate::packet::header::Header;
use crate::packet::{PacketId, flag};

impl TcpAgent {
    /// Takes a packet that the socket predicted; returns whether it was one.
    #[inline]
    pub(super) fn receive_predicted(&mut self, packet: PacketId, net: &mut Network) -> bool {
        let is_alone = net.has_fast_path()
            && self.settings.gro <= 0.0
            && !self.is_closing
            && self.trace.is_silent()
            && self.model_log.is_none();
        let Some(Header::Tcp(segment)) = net.packets.header(packet) else { return false };
        if !is_alone || net.packets[packet].has(flag::MARKED) {
            return false;
        }
        let (now, sent_s) = (TcpAgent::now(net), net.packets[packet].ts);
        let (seq, end_seq, payload) = (segment.seq, segment.end_seq(), segment.payload);
        let has_nothing_to_write = self.backlog == Backlog::Bytes(0) || !self.may_write;
        let is_data = payload > 0 && has_nothing_to_write && self.socket.take_predicted_data(now, segment);
        if !is_data && !self.socket.take_predicted_ack(now, segment) {
            return false;
        }
        self.note_timestamp(seq, end_seq, sent_s);
        net.free(packet);
        if is_data {
            self.bytes_received += i64::from(payload);
            net.notify(Upcall::Received(self.end.id, payload as i32));
            self.send_segments(now, net);
        } else {
            self.work(now, net);
        }
        true
    }
}
