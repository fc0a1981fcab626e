//! Segments of the socket as packets: cut to one MSS each (segmentation offload), and sent from the agent's node.

use super::TcpAgent;
use crate::net::Network;
use crate::packet::SackBlocks;
use crate::packet::header::Header;
use crate::packet::segment::{Segment, flag};
use crate::transport::tcp::agent_trace::bits;
use crate::transport::tcp::socket::clock::Instant;

impl TcpAgent {
    /// Sends the socket's segments, and sets the timer.
    #[inline]
    pub(super) fn send_segments(&mut self, now: Instant, net: &mut Network) {
        if self.socket.has_segments() {
            let segments = self.socket.take_segments();
            for segment in &segments {
                self.transmit(segment, net);
            }
            self.socket.give_back(segments);
        }
        self.set_timer(now, net);
    }

    /// Sends a segment, cut into packets of one MSS.
    fn transmit(&mut self, segment: &Segment, net: &mut Network) {
        if segment.gso_size == 0 {
            self.send_packet(segment, net);
            return;
        }
        let mut rest = *segment;
        let is_acc_ecn = self.socket.sends_acc_ecn();
        while let Some(first) = rest.cut(is_acc_ecn) {
            self.send_packet(&first, net);
        }
        rest.gso_size = 0;
        self.send_packet(&rest, net);
    }

    fn send_packet(&mut self, segment: &Segment, net: &mut Network) {
        let id = self.end.make_packet(net);
        let header_len = segment.header_len() as i32;
        let now_s = net.now().secs();
        let packet = &mut net.packets[id];
        packet.header_len = header_len;
        packet.payload = segment.payload as i32;
        packet.size = segment.payload as i32 + header_len;
        packet.seqno = segment.seq.since(self.iss);
        packet.tcp_flags = segment.flags as u8;
        packet.ackno = if segment.has(flag::ACK) { segment.ack.since(self.irs) } else { 0 };
        (packet.ts, packet.ts_echo) = (now_s, self.ts_recent_s);
        packet.flags = bits(segment);
        packet.set_ecn(segment.ecn);
        if segment.has(flag::ACK) {
            self.last_ack_sent = segment.ack;
        }
        if !segment.options.sack_blocks().is_empty() {
            let mut blocks = SackBlocks::default();
            for block in segment.options.sack_blocks() {
                blocks.push(block.start.since(self.irs), block.end.since(self.irs));
            }
            net.packets.set_sack(id, blocks);
        }
        net.packets.set_header(id, Header::Tcp(*segment));
        self.trace.sent(segment, net);
        self.end.send(net, id);
    }
}
