//! The XCP endpoints: writing and reading the congestion header at sender and receiver.
//!
//! Source: draft-falk-xcp-spec; ns-2.35's `Agent/TCP/Reno/XCP`, `Agent/TCP/FullTcp/Newreno/XCP` and
//! `Agent/TCPSink/XCPSink`. The window rule is in [`window`], the routers are [`crate::queue::xcp`].

pub mod window;

use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::packet::header::{Header, XcpHeader};
use crate::packet::{PacketId, flag};
use crate::transport::compat::ns2::xcp::window::Xcp;
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::Connection;
use crate::transport::one_way::traced::Note;

/// One end of an XCP connection.
#[derive(Debug, Default)]
pub struct XcpEnd {
    law: Xcp,
    /// Feedback to return to the peer with the next packet, bytes/s.
    owed: f64,
    /// Where rates and windows are reported, if anywhere.
    pub remarks: Option<TraceId>,
}

impl XcpEnd {
    /// Resets the state for a new connection.
    pub fn forget(&mut self) {
        self.law.forget();
    }

    /// Adds an RTT sample of `rtt_s` seconds that ends now. With timestamps it is the difference of two clock readings
    /// in ticks.
    pub fn sample(&mut self, tcp: &Connection, rtt_s: f64, now_s: f64) {
        let tick_s = tcp.config.tcp_tick;
        let ticks = if tcp.config.timestamps {
            (now_s / tick_s) as i32 - ((now_s - rtt_s) / tick_s) as i32
        } else {
            tcp.ticks_of(rtt_s, now_s)
        };
        self.law.sample(ticks, tick_s);
    }

    /// Adds an RTT sample from a one-way sender's ACK of new data, if it completes one.
    pub fn sample_ack(&mut self, tcp: &Connection, ack: &ReceivedAck, now_s: f64) {
        if ack.flags & flag::NO_TIMESTAMP != 0 {
            return;
        }
        if tcp.config.timestamps {
            self.sample(tcp, now_s - ack.ts_echo, now_s);
        } else if tcp.timing && ack.seqno >= tcp.timed_seqno {
            self.sample(tcp, now_s - tcp.timed_at, now_s);
        }
    }

    /// Receiver: stores the routers' feedback of a packet.
    pub fn hear(&mut self, packet: PacketId, net: &Network) {
        self.owed += header(packet, net).map_or(0.0, |header| header.delta);
    }

    /// Sender: stores the routers' feedback, and changes the window by the feedback that the peer returns.
    pub fn obey(&mut self, tcp: &mut Connection, packet: PacketId, net: &Network) {
        let Some(header) = header(packet, net) else { return };
        self.owed += header.delta;
        self.remark(tcp, "XCP feedback", [header.returned, f64::from(header.controlling), 0.0]);
        let window = self.law.window(*tcp.cwnd, header.returned, tcp.end.packet_size, tcp.config.maxcwnd);
        tcp.cwnd.set(window, &mut tcp.log);
        self.remark(tcp, "XCP window", [window, 0.0, 0.0]);
    }

    /// Writes the header of a receiver's packet.
    pub fn answer(&mut self, packet: PacketId, net: &mut Network) {
        let header = XcpHeader { returned: std::mem::take(&mut self.owed), ..XcpHeader::default() };
        net.packets.set_header(packet, Header::Xcp(header));
    }

    /// Writes the header of a sender's packet; routers give feedback only to packets with data.
    pub fn ask(&mut self, tcp: &mut Connection, packet: PacketId, has_data: bool, net: &mut Network) {
        let (window, size) = (tcp.window(), tcp.end.packet_size);
        let (spacing_s, delta) = self.law.wish(window, size);
        let returned = std::mem::take(&mut self.owed);
        let rtt_s = self.law.srtt_s();
        let header = XcpHeader { asks: has_data, rtt_s, spacing_s, delta, returned, controlling: 0 };
        net.packets.set_header(packet, Header::Xcp(header));
        self.remark(tcp, "XCP throughput", [self.law.rate(window, size), 0.0, 0.0]);
    }

    fn remark(&self, tcp: &mut Connection, what: &'static str, fields: [f64; 3]) {
        if let Some(place) = self.remarks {
            tcp.log.note(Note::Happened(place, what, fields));
        }
    }
}

fn header(packet: PacketId, net: &Network) -> Option<XcpHeader> {
    match net.packets.header(packet) {
        Some(&Header::Xcp(header)) => Some(header),
        _ => None,
    }
}
