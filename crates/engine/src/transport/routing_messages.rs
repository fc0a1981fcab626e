//! Routing agents: they carry numbered routing messages. The caller keeps the messages' contents.
//!
//! Source: ns-2.35's `Agent/rtProto/DV` and `Agent/rtProto/LS`, whose packets carry message numbers; the messages are
//! kept elsewhere.

use std::collections::VecDeque;

use crate::net::node::AgentId;
use crate::net::{Network, Upcall};
use crate::packet::{Address, PacketId, PacketKind};
use crate::transport::agent::{Agent, Endpoint, Entry};

/// The routing agents of the registry.
pub const ROUTING_AGENTS: &[Entry] = &[
    Entry {
        id: "rt_proto_dv",
        about: "carries numbered distance-vector routing messages",
        make: |id, _| RoutingAgent::make(id, PacketKind::RtProtoDv),
    },
    Entry {
        id: "rt_proto_ls",
        about: "carries numbered link-state routing messages",
        make: |id, _| RoutingAgent::make(id, PacketKind::RtProtoLs),
    },
];

struct RoutingAgent {
    end: Endpoint,
    /// Sender's node and message number of each received packet that is not taken yet.
    inbox: VecDeque<(i32, i32)>,
}

impl RoutingAgent {
    fn make(id: AgentId, kind: PacketKind) -> Box<dyn Agent> {
        Box::new(RoutingAgent { end: Endpoint::new(id, kind, 0), inbox: VecDeque::new() })
    }
}

fn numbers<const N: usize>(words: &[&str]) -> Result<[i32; N], String> {
    let read: Option<Vec<i32>> = words.iter().map(|word| word.trim().parse().ok()).collect();
    read.and_then(|list| list.try_into().ok()).ok_or_else(|| format!("{N} whole numbers are needed, not {words:?}"))
}

impl Agent for RoutingAgent {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let packet = &net.packets[id];
        let bytes = packet.size;
        self.inbox.push_back((packet.src.node, packet.seqno));
        net.notify(Upcall::Received(self.end.id, bytes));
        net.free(id);
    }

    /// `send` node port message bytes; `take` returns the sender's node and the number of the oldest message not taken
    /// yet.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match name {
            "send" => {
                let [node, port, message, bytes] = numbers(arguments)?;
                self.end.peer = Address { node, port };
                self.end.packet_size = bytes;
                let id = self.end.make_packet(net);
                net.packets[id].seqno = message;
                self.end.send(net, id);
                Ok(String::new())
            }
            "take" => {
                let (node, message) = self.inbox.pop_front().ok_or("no message has come")?;
                Ok(format!("{node} {message}"))
            }
            _ => Err(format!("a courier has no command {name}; it has send and take")),
        }
    }
}
