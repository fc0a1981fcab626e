//! The receivers of one-way TCP, as ns-2.35's TCP sinks: cumulative ACKs, delayed ACKs, echoes.
//!
//! Source: ns-2.35's `Agent/TCPSink`, `/DelAck`, `/Sack1`, `/Sack1/DelAck` and `/XCPSink`.
//! What it decides: the cumulative ACK (the highest packet received in order), the echoed timestamp, the ECN echo, and
//! whether an ACK waits for a second packet.
//! Departures: a packet without data is accepted without the message that ns-2 prints.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::xcp::XcpEnd;
use crate::event::timer::{TimerId, TimerOwner};
use crate::net::node::AgentId;
use crate::net::{Network, Upcall};
use crate::packet::header::{Header, QuickStartKind, QuickStartOption};
use crate::packet::{PacketId, PacketKind, flag};
use crate::params::{Params, Value};
use crate::transport::agent::{Agent, Endpoint, Entry};
use crate::transport::one_way::received::ReceivedPackets;
use crate::transport::one_way::sack_history::{HEADER_BLOCKS, SackHistory};

/// Acknowledges every packet (ns-2.35's TCPSink).
pub(crate) const SINK: Entry = Entry {
    id: "sink",
    about: "acknowledges every packet (ns-2.35's TCPSink)",
    make: |id, _| Box::new(Sink::new(id, None, Blocks::None)),
};

/// Acknowledges every second packet, or when its timer expires (RFC 1122, 4.2.3.2).
pub(crate) const SINK_DEL_ACK: Entry = Entry {
    id: "sink_del_ack",
    about: "acknowledges every second packet, or when its timer is due (RFC 1122, 4.2.3.2)",
    make: |id, net| Box::new(Sink::new(id, Some(DelayedAck::new(id, net)), Blocks::None)),
};

/// Acknowledges every packet, with SACK blocks (RFC 2018).
pub(crate) const SINK_SACK: Entry = Entry {
    id: "sink_sack",
    about: "acknowledges every packet, with SACK blocks (RFC 2018)",
    make: |id, _| Box::new(Sink::new(id, None, Blocks::Sack)),
};

/// Acknowledges every packet and returns the routers' feedback (Katabi, Handley and Rohrs 2002).
pub(crate) const SINK_XCP: Entry = Entry {
    id: "sink_xcp",
    about: "acknowledges every packet, and returns what routers said of it (Katabi, Handley and Rohrs 2002)",
    make: |id, _| Box::new(Sink { xcp: Some(Box::default()), ..Sink::new(id, None, Blocks::None) }),
};

/// Acknowledges every second packet, or when its timer expires, with SACK blocks (RFC 1122, RFC 2018).
pub(crate) const SINK_SACK_DEL_ACK: Entry = Entry {
    id: "sink_sack_del_ack",
    about: "acknowledges every second packet, or when its timer is due, with SACK blocks (RFC 1122, RFC 2018)",
    make: |id, net| Box::new(Sink::new(id, Some(DelayedAck::new(id, net)), Blocks::Sack)),
};

/// A delayed ACK.
struct DelayedAck {
    timer: TimerId,
    waiting: Option<PacketId>,
}

impl DelayedAck {
    fn new(id: AgentId, net: &mut Network) -> DelayedAck {
        DelayedAck { timer: net.add_timer(TimerOwner::Agent(id.0, 0)), waiting: None }
    }
}

enum Blocks {
    None,
    Sack,
}

/// A TCP receiver.
#[derive(Params)]
struct Sink {
    end: Endpoint,
    window: ReceivedPackets,
    sack: Option<SackHistory>,
    delayed: Option<DelayedAck>,
    xcp: Option<Box<XcpEnd>>,
    ts_to_echo: f64,
    last_ack_sent: i32,
    ecn_unacked: bool,
    last_reset_s: f64,
    /// Bytes received in order.
    #[param(state)]
    bytes: i32,
    /// Maximum number of SACK blocks per ACK.
    #[param(state)]
    max_sack_blocks: i32,
    /// Echo the timestamp of the packet that advanced the window, not of the last packet.
    #[param(state)]
    ts_echo_bugfix: bool,
    /// Select that packet by RFC 1323.
    #[param(state)]
    ts_echo_rfc1323: bool,
    /// The first SACK block reports a duplicate (D-SACK).
    #[param(state)]
    generate_dsacks: bool,
    #[param(state)]
    qs_enabled: bool,
    /// Immediately acknowledge a packet that fills a gap.
    #[param(state)]
    rfc2581_immediate_ack: bool,
    /// Immediately acknowledge the first packet.
    #[param(state)]
    syn_immediate_ack: bool,
    /// Immediately acknowledge this number of packets after the first, too.
    #[param(state)]
    quick_acks: i32,
    /// Immediately acknowledge a duplicate, even if it is the last packet in order.
    #[param(state)]
    duplicate_immediate_ack: bool,
    /// The ACK of a SYN is ECN-capable.
    #[param(state)]
    ecn_syn: bool,
    /// Maximum delay of an ACK, s.
    #[param(state)]
    interval: f64,
}

impl Sink {
    fn new(id: AgentId, delayed: Option<DelayedAck>, blocks: Blocks) -> Sink {
        let sack = match blocks {
            Blocks::None => None,
            Blocks::Sack => Some(SackHistory::default()),
        };
        Sink {
            end: Endpoint::new(id, PacketKind::Ack, 40),
            window: ReceivedPackets::default(),
            sack,
            delayed,
            xcp: None,
            ts_to_echo: 0.0,
            last_ack_sent: 0,
            ecn_unacked: false,
            last_reset_s: 0.0,
            bytes: 0,
            max_sack_blocks: HEADER_BLOCKS,
            ts_echo_bugfix: true,
            ts_echo_rfc1323: false,
            generate_dsacks: false,
            qs_enabled: false,
            rfc2581_immediate_ack: true,
            syn_immediate_ack: true,
            quick_acks: 0,
            duplicate_immediate_ack: false,
            ecn_syn: false,
            interval: 0.1,
        }
    }

    fn has(&self, name: &str) -> bool {
        name != "interval" || self.delayed.is_some()
    }

    fn note_timestamp(&mut self, seqno: i32, ts: f64) {
        let next_ack = self.last_ack_sent + 1;
        if (self.ts_echo_rfc1323 && seqno == next_ack) || (ts >= self.ts_to_echo && seqno <= next_ack) {
            self.ts_to_echo = ts;
        }
    }

    /// The ECN flags of the ACK for `packet`; the packet of a delayed ACK counts, too.
    fn ecn_flags(&mut self, packet: PacketId, net: &Network) -> u16 {
        let own = net.packets[packet].flags;
        let waiting = self.delayed.as_ref().and_then(|delayed| delayed.waiting).map_or(0, |id| net.packets[id].flags);
        // No ECN in use.
        if (own | waiting) & (flag::CONG_ACTION | flag::ECN_CAPABLE | flag::ECN_ECHO) == 0 {
            return 0;
        }
        let either = |test: &dyn Fn(u16) -> bool| test(own) || test(waiting);
        if either(&|flags| flags & flag::CONG_ACTION != 0) {
            self.ecn_unacked = false;
        }
        if either(&|flags| flags & flag::ECN_CAPABLE != 0 && flags & flag::MARKED != 0) {
            self.ecn_unacked = true;
        }
        let mut echo = 0;
        if self.ecn_unacked && either(&|flags| flags & flag::ECN_CAPABLE != 0) {
            echo |= flag::ECN_ECHO;
        }
        // A SYN that requests ECN.
        if either(&|flags| flags & flag::ECN_CAPABLE == 0 && flags & flag::ECN_ECHO != 0) {
            echo |= flag::ECN_ECHO;
            if self.ecn_syn {
                echo |= flag::ECN_CAPABLE;
            }
        }
        echo
    }

    fn acknowledge(&mut self, packet: PacketId, net: &mut Network) {
        let ack = self.end.make_packet(net);
        let flags = self.ecn_flags(packet, net);
        let received = net.packets[packet];
        let acked = self.window.in_order();
        let header = &mut net.packets[ack];
        header.seqno = acked;
        header.ts = header.made_at.secs();
        header.ts_echo = if self.ts_echo_bugfix { self.ts_to_echo } else { received.ts };
        header.fid = received.fid;
        header.flags |= flags;
        if let Some(sack) = &mut self.sack
            && let Some(blocks) = sack.blocks(&self.window, received.seqno, self.max_sack_blocks, self.generate_dsacks)
        {
            header.size += 8 * blocks.as_slice().len() as i32;
            net.packets.set_sack(ack, blocks);
            if self.generate_dsacks && self.max_sack_blocks == 1 && self.window.was_duplicate() {
                net.notify(Upcall::OneBlock(self.end.id));
            }
        }
        self.answer_quick_start(packet, ack, net);
        if let Some(xcp) = &mut self.xcp {
            xcp.hear(packet, net);
            xcp.answer(ack, net);
        }
        self.last_ack_sent = acked;
        self.end.send(net, ack);
    }

    /// Answers the Quick-Start request of a first packet with the approved rate.
    fn answer_quick_start(&self, packet: PacketId, ack: PacketId, net: &mut Network) {
        let (seqno, ttl) = (net.packets[packet].seqno, net.packets[packet].ttl);
        if self.qs_enabled
            && seqno == 0
            && let Some(&Header::QuickStart(option)) = net.packets.header(packet)
            && option.kind == QuickStartKind::Request
        {
            let answer = QuickStartOption { kind: QuickStartKind::Answer, hops: (ttl - option.hops) % 256, ..option };
            net.packets.set_header(ack, Header::QuickStart(answer));
        }
    }

    /// Whether the ACK for this packet may be delayed.
    fn may_wait(&self, seqno: i32) -> bool {
        let fills_gap = self.rfc2581_immediate_ack && seqno < self.window.highest();
        let opens = (self.syn_immediate_ack && seqno == 0) || (1..=self.quick_acks).contains(&seqno);
        let came_before = self.duplicate_immediate_ack && self.window.was_duplicate();
        seqno == self.window.in_order() && !fills_gap && !opens && !came_before
    }
}

impl Agent for Sink {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn holds_packets(&self) -> usize {
        usize::from(self.delayed.as_ref().is_some_and(|delayed| delayed.waiting.is_some()))
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        if !net.packets[packet].has_tcp_header() {
            let datagram = &mut net.packets[packet];
            (datagram.seqno, datagram.ts) = (0, 0.0);
        }
        let received = net.packets[packet];
        if received.ts < self.last_reset_s {
            // Sent to an earlier connection.
            if let Some(xcp) = &mut self.xcp {
                xcp.hear(packet, net);
            }
            net.free(packet);
            return;
        }
        self.note_timestamp(received.seqno, received.ts);
        if received.size <= 0 {
            net.notify(Upcall::NoBytes(self.end.id));
        }
        let in_order_bytes = self.window.take(received.seqno, received.size);
        if in_order_bytes != 0 {
            self.bytes = self.bytes.wrapping_add(in_order_bytes);
            net.notify(Upcall::Received(self.end.id, in_order_bytes));
        }
        let may_wait = self.may_wait(received.seqno);
        if let Some(delayed) = &mut self.delayed {
            if may_wait && !net.timer_runs(delayed.timer) {
                delayed.waiting = Some(packet);
                net.set_timer(delayed.timer, self.interval);
                return;
            }
            net.stop_timer(delayed.timer);
        }
        self.acknowledge(packet, net);
        if let Some(waiting) = self.delayed.as_mut().and_then(|delayed| delayed.waiting.take()) {
            net.free(waiting);
        }
        net.free(packet);
    }

    fn timer(&mut self, _which: u8, net: &mut Network) {
        let Some(packet) = self.delayed.as_ref().and_then(|delayed| delayed.waiting) else { return };
        self.acknowledge(packet, net);
        if let Some(delayed) = &mut self.delayed {
            delayed.waiting = None;
        }
        net.free(packet);
    }

    fn reset(&mut self, net: &mut Network) {
        if let Some(delayed) = &mut self.delayed {
            net.stop_timer(delayed.timer);
            if let Some(waiting) = delayed.waiting.take() {
                net.free(waiting);
            }
        }
        if let Some(sack) = &mut self.sack {
            sack.reset();
        }
        self.window.reset();
        self.last_reset_s = net.now().secs();
    }

    fn param(&self, name: &str) -> Option<Value> {
        let own = if self.has(name) { self.own_param(name) } else { None };
        own.or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let blocks_before = self.max_sack_blocks;
        let known = self.has(name) && self.set_own_param(name, value);
        if let Some(sack) = &mut self.sack
            && self.max_sack_blocks != blocks_before
        {
            self.max_sack_blocks = self.max_sack_blocks.min(HEADER_BLOCKS);
            sack.reset();
        }
        known || self.end.set_param(name, value)
    }

    fn command(&mut self, name: &str, _arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match name {
            "reset" => self.reset(net),
            // The window grows on demand.
            "resize_buffers" => {}
            _ => return Err(format!("a sink has no command {name}; it has reset")),
        }
        Ok(String::new())
    }
}
