//! Message agents: each packet carries a short text.
//!
//! Source: ns-2.35's `Agent/Message`, `Agent/MessagePassing`, and `Agent/UDP` where it carries data.

use std::collections::VecDeque;

use crate::net::{Network, Upcall};
use crate::packet::{Address, PacketId, PacketKind};
use crate::transport::agent::{Agent, Endpoint, Entry};

/// The message agents of the registry.
pub const MESSAGE_AGENTS: &[Entry] = &[
    Entry {
        id: "message",
        about: "sends words, one packet each time",
        make: |id, _| Box::new(Messenger { end: Endpoint::new(id, PacketKind::Message, 180), inbox: Inbox::default() }),
    },
    Entry {
        id: "message_passing",
        about: "sends words to any node, in packets of any size",
        make: |id, _| Box::new(Passer { end: Endpoint::new(id, PacketKind::Message, 1500), inbox: VecDeque::new() }),
    },
];

/// The longest text in a message, bytes.
const LONGEST: usize = 63;

/// Received texts that are not taken yet, each with its sender's node.
#[derive(Default)]
pub struct Inbox {
    kept: VecDeque<(i32, String)>,
}

impl Inbox {
    /// Keeps a packet's text, if it has one; returns whether it has.
    pub fn keep(&mut self, packet: PacketId, net: &Network) -> bool {
        let words = net.packets.words(packet);
        if let Some(words) = words {
            self.kept.push_back((net.packets[packet].src.node, words.to_owned()));
        }
        words.is_some()
    }

    /// Takes the oldest text; the result is the sender's node, a space, and the text.
    pub fn take(&mut self) -> Result<String, String> {
        let (node, words) = self.kept.pop_front().ok_or("no words have come")?;
        Ok(format!("{node} {words}"))
    }
}

struct Messenger {
    end: Endpoint,
    inbox: Inbox,
}

impl Agent for Messenger {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let bytes = net.packets[id].size;
        if self.inbox.keep(id, net) {
            net.notify(Upcall::Received(self.end.id, bytes));
        }
        net.free(id);
    }

    /// `send` text; `take` returns the sender's node, a space, and the oldest text not taken yet.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match (name, arguments) {
            ("send", [words]) => {
                let id = self.end.make_packet(net);
                if words.len() > LONGEST {
                    net.free(id);
                    return Err(format!("a message has at most {LONGEST} bytes of words"));
                }
                net.packets.set_words(id, words);
                self.end.send(net, id);
                Ok(String::new())
            }
            ("take", []) => self.inbox.take(),
            _ => Err(format!("message has no command {name}; it has send and take")),
        }
    }
}

struct Passer {
    end: Endpoint,
    /// Sender, bytes and text of each received packet that is not taken yet.
    inbox: VecDeque<(Address, i32, String)>,
}

impl Agent for Passer {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let packet = &net.packets[id];
        let (from, bytes) = (packet.src, packet.size);
        let words = net.packets.words(id).unwrap_or_default().to_owned();
        self.inbox.push_back((from, bytes, words));
        net.notify(Upcall::Received(self.end.id, bytes));
        net.free(id);
    }

    /// `send` node port bytes text; `take` returns the sender's node and port, the bytes and the text of the oldest
    /// packet not taken yet, separated by spaces.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match (name, arguments) {
            ("send", [node, port, bytes, words]) => {
                let whole = |text: &str| text.parse::<i32>().map_err(|_| format!("{text} is not a whole number"));
                let (dst, size) = (Address { node: whole(node)?, port: whole(port)? }, whole(bytes)?);
                let id = self.end.make_packet(net);
                (net.packets[id].dst, net.packets[id].size) = (dst, size);
                net.packets.set_words(id, words);
                self.end.send(net, id);
                Ok(String::new())
            }
            ("take", []) => {
                let (from, bytes, words) = self.inbox.pop_front().ok_or("no words have come")?;
                Ok(format!("{} {} {bytes} {words}", from.node, from.port))
            }
            _ => Err(format!("message_passing has no command {name}; it has send and take")),
        }
    }
}
