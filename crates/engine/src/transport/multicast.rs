//! Agents of multicast routing: control messages, and packets inside packets.
//!
//! Source: ns-2.35's `Agent/Mcast/Control`, `Agent/Encapsulator` and `Agent/Decapsulator`. The caller keeps the
//! contents of control messages; packets carry their numbers.

use std::collections::VecDeque;

use crate::net::{Network, Upcall};
use crate::packet::{PacketId, PacketKind};
use crate::params::Value;
use crate::transport::agent::{Agent, Endpoint, Entry};

/// The agents of multicast routing in the registry.
pub const MULTICAST_AGENTS: &[Entry] = &[
    Entry {
        id: "multicast_control",
        about: "carries numbered messages of multicast routing",
        make: |id, _| Box::new(Control { end: Endpoint::new(id, PacketKind::Prune, 80), inbox: VecDeque::new() }),
    },
    Entry {
        id: "encapsulator",
        about: "puts each packet that it receives into one for its peer",
        make: |id, _| {
            let end = Endpoint::new(id, PacketKind::Encapsulated, 0);
            Box::new(Encapsulator { end, overhead: 20, is_on: true })
        },
    },
    Entry {
        id: "decapsulator",
        about: "takes packets out of those that it receives and sends them from its node",
        make: |id, _| Box::new(Decapsulator { end: Endpoint::new(id, PacketKind::Encapsulated, 0) }),
    },
];

/// The messages by the words that commands have for them.
const MESSAGES: [PacketKind; 5] =
    [PacketKind::Prune, PacketKind::Graft, PacketKind::GraftAck, PacketKind::Join, PacketKind::Assert];

struct Control {
    end: Endpoint,
    /// Type, interface and message number of each received packet that is not taken yet.
    inbox: VecDeque<(PacketKind, i32, i32)>,
}

impl Agent for Control {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let packet = &net.packets[id];
        let bytes = packet.size;
        self.inbox.push_back((packet.kind, packet.interface - 1, packet.seqno));
        net.notify(Upcall::Received(self.end.id, bytes));
        net.free(id);
    }

    /// `send` type message; `take` returns type, interface and number of the oldest message not taken yet.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match (name, arguments) {
            ("send", [kind, message]) => {
                let known = MESSAGES.into_iter().find(|known| known.name() == *kind);
                self.end.kind = known.ok_or("invalid control message")?;
                let message = message.parse().map_err(|_| format!("{message} is not a whole number"))?;
                let id = self.end.make_packet(net);
                net.packets[id].seqno = message;
                self.end.send(net, id);
                Ok(String::new())
            }
            ("take", []) => {
                let (kind, interface, message) = self.inbox.pop_front().ok_or("no message has come")?;
                Ok(format!("{} {interface} {message}", kind.name()))
            }
            _ => Err(format!("multicast_control has no command {name}; it has send and take")),
        }
    }
}

struct Encapsulator {
    end: Endpoint,
    /// Bytes that a packet grows by.
    overhead: i32,
    /// Otherwise packets are sent as they are.
    is_on: bool,
}

impl Agent for Encapsulator {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        if !self.is_on {
            self.end.send(net, id);
            return;
        }
        let outer = self.end.make_packet(net);
        let (size, ts) = (net.packets[id].size, net.packets[id].ts);
        let packet = &mut net.packets[outer];
        (packet.size, packet.ts, packet.kind) = (size + self.overhead, ts, PacketKind::Encapsulated);
        net.packets.encapsulate(outer, id);
        self.end.send(net, outer);
    }

    fn param(&self, name: &str) -> Option<Value> {
        match name {
            "overhead" => Some(Value::Int(self.overhead.into())),
            "status" => Some(Value::Int(self.is_on.into())),
            _ => self.end.param(name),
        }
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        match name {
            "overhead" => self.overhead = value.int() as i32,
            "status" => self.is_on = value.int() != 0,
            _ => return self.end.set_param(name, value),
        }
        true
    }
}

struct Decapsulator {
    end: Endpoint,
}

impl Agent for Decapsulator {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        match net.packets.decapsulate(id) {
            Some(inner) => {
                self.end.send(net, inner);
                net.free(id);
            }
            None => self.end.send(net, id),
        }
    }
}
