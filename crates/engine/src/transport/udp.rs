//! Datagram agents: UDP, a null sink, a loss monitor, and ping.
//!
//! Source: ns-2.35's `Agent/UDP`, `Agent/Null`, `Agent/LossMonitor` and `Agent/Ping`.

use std::collections::VecDeque;

use crate::net::{Network, Upcall};
use crate::packet::{PacketId, PacketKind, flag};
use crate::params::{Params, Value};
use crate::transport::agent::{Agent, Endpoint, Entry};
use crate::transport::message::Inbox;

/// The datagram agents of the registry.
pub const DATAGRAM_AGENTS: &[Entry] = &[
    Entry { id: "udp", about: "datagrams, a bigger message cut into several", make: |id, _| Box::new(Udp::new(id)) },
    Entry {
        id: "null",
        about: "throws away what it gets",
        make: |id, _| Box::new(Null { end: Endpoint::new(id, PacketKind::Udp, 0) }),
    },
    Entry {
        id: "ping",
        about: "asks its peer for an answer and tells the round-trip time",
        make: |id, _| {
            Box::new(Ping { end: Endpoint::new(id, PacketKind::Ping, 64), seqno: 0, answers: VecDeque::new() })
        },
    },
    Entry {
        id: "loss_monitor",
        about: "counts what it gets and what is missing",
        make: |id, _| Box::new(LossMonitor::new(id)),
    },
];

/// UDP sender and receiver.
#[derive(Params)]
pub struct Udp {
    end: Endpoint,
    seqno: i32,
    /// The ECN field of its packets, as numbered in RFC 3168: 0 for Not-ECT, 1 for ECT(1), 2 for ECT(0).
    #[param(state)]
    ecn: i32,
    inbox: Inbox,
}

impl Udp {
    /// Makes a UDP agent.
    pub fn new(id: crate::net::node::AgentId) -> Udp {
        Udp { end: Endpoint::new(id, PacketKind::Udp, 1000), seqno: -1, ecn: 0, inbox: Inbox::default() }
    }

    fn send(&mut self, bytes: i32, words: Option<&str>, flags: &str, net: &mut Network) {
        let id = self.end.make_packet(net);
        self.seqno += 1;
        let packet = &mut net.packets[id];
        packet.size = bytes;
        packet.payload = bytes;
        packet.seqno = self.seqno;
        packet.ts = packet.made_at.secs();
        if net.lacks_flags {
            // ns-2 takes the packet for one of TCP.
            packet.flags |= flag::WITHOUT_RTP;
        }
        if flags == "NEW_BURST" {
            packet.reason = 1;
        }
        match self.ecn {
            1 => packet.flags |= flag::ECN_CAPABLE | flag::ECT_1,
            2 => packet.flags |= flag::ECN_CAPABLE,
            _ => {}
        }
        if let Some(words) = words {
            net.packets.set_words(id, words);
        }
        self.end.send(net, id);
    }
}

impl Agent for Udp {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        let bytes = net.packets[packet].size;
        net.notify(Upcall::Received(self.end.id, bytes));
        if self.inbox.keep(packet, net) {
            net.notify(Upcall::Message(self.end.id));
        }
        net.free(packet);
    }

    fn send_bytes(&mut self, bytes: Option<i64>, flags: &str, net: &mut Network) {
        self.send_message(bytes, None, flags, net);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }

    /// `send` bytes text flags sends a datagram that carries a text; `take` returns the sender's node, a space, and the
    /// oldest text not taken yet.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match (name, arguments) {
            ("send", [bytes, words, flags]) => {
                let bytes: i64 = bytes.parse().map_err(|_| format!("{bytes} is not a number of bytes"))?;
                self.send_message(Some(bytes), Some(words), flags, net);
                Ok(String::new())
            }
            ("take", []) => self.inbox.take(),
            _ => Err(format!("udp has no command {name}; it has send and take")),
        }
    }
}

impl Udp {
    fn send_message(&mut self, bytes: Option<i64>, words: Option<&str>, flags: &str, net: &mut Network) {
        let Some(bytes) = bytes else {
            net.fail(crate::net::SimulationError::Broken("UDP cannot send an endless stream".into()));
            return;
        };
        let size = i64::from(self.end.packet_size);
        if size <= 0 {
            net.fail(crate::net::SimulationError::Broken(format!(
                "UDP's packet size is {size} bytes; it must be positive"
            )));
            return;
        }
        for sent in 1..=bytes / size {
            self.send(size as i32, words, flags, net);
            let left = bytes - sent * size;
            if left > 0 && net.multicast.must_wait() {
                // As in ns-2, all that becomes of a packet for a group comes before the next packet is made.
                net.send_rest(self.end.id, left, flags == "NEW_BURST");
                return;
            }
        }
        // A negative number of bytes is none, as in ns-2.
        if bytes % size > 0 {
            self.send((bytes % size) as i32, words, flags, net);
        }
        net.notify(Upcall::Idle(self.end.id));
    }
}

struct Null {
    end: Endpoint,
}

impl Agent for Null {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        net.free(packet);
    }
}

/// Sends echo requests and replies. A request has reason 0, a reply reason 1; the reply echoes the request's timestamp.
struct Ping {
    end: Endpoint,
    seqno: i32,
    answers: VecDeque<Answer>,
}

/// A reply that is not taken yet.
struct Answer {
    from: i32,
    seqno: i32,
    there_s: f64,
    back_s: f64,
    round_trip_s: f64,
}

impl Agent for Ping {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let got = net.packets[id];
        net.free(id);
        let now_s = net.now().secs();
        if got.reason == 0 {
            let answer = self.end.make_packet(net);
            let packet = &mut net.packets[answer];
            packet.reason = 1;
            packet.seqno = got.seqno;
            packet.ts = got.ts;
            packet.ts_echo = now_s;
            self.end.send(net, answer);
        } else {
            self.answers.push_back(Answer {
                from: got.src.node,
                seqno: got.seqno,
                there_s: got.ts_echo - got.ts,
                back_s: now_s - got.ts_echo,
                round_trip_s: now_s - got.ts,
            });
            net.notify(Upcall::Received(self.end.id, got.size));
        }
    }

    /// `send` sends a request. `take` returns the oldest reply not taken yet: the node, the request's number, and the
    /// forward delay, the backward delay and the RTT in milliseconds.
    fn command(&mut self, name: &str, _arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match name {
            "send" => {
                let question = self.end.make_packet(net);
                let packet = &mut net.packets[question];
                packet.seqno = self.seqno;
                packet.ts = packet.made_at.secs();
                self.seqno += 1;
                self.end.send(net, question);
                Ok(String::new())
            }
            "take" => {
                let Answer { from, seqno, there_s, back_s, round_trip_s } =
                    self.answers.pop_front().ok_or("no answer has come")?;
                let ms = |seconds: f64| format!("{:3.1}", seconds * 1000.0);
                Ok(format!("{from} {seqno} {} {} {}", ms(there_s), ms(back_s), ms(round_trip_s)))
            }
            _ => Err(format!("ping has no command {name}; it has send and take")),
        }
    }
}

/// Counts packets, bytes and gaps in the sequence numbers.
#[derive(Params)]
struct LossMonitor {
    end: Endpoint,
    #[param(state)]
    lost: i32,
    #[param(state)]
    packets: i32,
    #[param(state)]
    bytes: i32,
    #[param(state)]
    last_packet_time: f64,
    #[param(state)]
    expected: i32,
}

impl LossMonitor {
    fn new(id: crate::net::node::AgentId) -> LossMonitor {
        LossMonitor {
            end: Endpoint::new(id, PacketKind::Udp, 0),
            lost: 0,
            packets: 0,
            bytes: 0,
            last_packet_time: 0.0,
            expected: -1,
        }
    }
}

impl Agent for LossMonitor {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let packet = &net.packets[id];
        // Without headers of flags, the mark says nothing of the RTP header.
        let seqno = if packet.has_rtp_header() || net.lacks_flags { packet.seqno } else { 0 };
        self.bytes += packet.size;
        self.packets += 1;
        if self.expected >= 0 && seqno > self.expected {
            self.lost += seqno - self.expected;
            net.notify(Upcall::Lost(self.end.id));
        }
        self.last_packet_time = net.now().secs();
        self.expected = seqno + 1;
        net.free(id);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }

    fn command(&mut self, name: &str, _arguments: &[&str], _net: &mut Network) -> Result<String, String> {
        match name {
            "clear" => {
                self.expected = -1;
                Ok(String::new())
            }
            _ => Err(format!("loss_monitor has no command {name}; it has clear")),
        }
    }
}
