//! Agents: the ends of a conversation. A sender, a sink, a datagram socket.

use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::net::node::{AgentId, NodeId};
use crate::net::token_bucket::BucketId;
use crate::packet::{Address, Packet, PacketId, PacketKind, flag};
use crate::params::Value;
use crate::transport::external_control::Control;

/// Where packets have no flags: what a one-way sender sets in a packet's size to say that it has reduced its window.
pub(crate) const REDUCED_BYTE: i32 = 1 << 24;

/// What every agent has: its place, its peer, and what its packets have in common.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The agent's own number.
    pub id: AgentId,
    /// The node it sends from, while it is attached to one.
    pub outlet: Option<NodeId>,
    /// The node and port that its packets name as their source; -1 before it is attached.
    pub here: Address,
    /// Its peer's node and port; -1 while it has none.
    pub peer: Address,
    /// Flow id of its packets.
    pub fid: i32,
    /// Priority of its packets.
    pub prio: i32,
    /// Header flags of its packets.
    pub flags: i32,
    /// Hops that its packets may make.
    pub ttl: i32,
    /// What its packets are.
    pub kind: PacketKind,
    /// Bytes of its packets, unless it says otherwise.
    pub packet_size: i32,
    /// The token bucket that its packets pass on their way to the node, if there is one.
    pub bucket: Option<BucketId>,
}

impl Endpoint {
    /// An endpoint attached to no node.
    pub fn new(id: AgentId, kind: PacketKind, packet_size: i32) -> Endpoint {
        let nowhere = Address { node: -1, port: -1 };
        Endpoint {
            id,
            outlet: None,
            here: nowhere,
            peer: nowhere,
            fid: 0,
            prio: 0,
            flags: 0,
            ttl: 32,
            kind,
            packet_size,
            bucket: None,
        }
    }

    /// A new packet from here to the peer; it takes the next uid.
    #[inline]
    pub fn make_packet(&self, net: &mut Network) -> PacketId {
        let id = net.make_packet(Packet {
            size: self.packet_size,
            src: self.here,
            dst: self.peer,
            fid: self.fid,
            prio: self.prio,
            ttl: self.ttl,
            kind: self.kind,
            ..Packet::default()
        });
        if net.lacks_flags {
            let packet = &mut net.packets[id];
            (packet.kind, packet.size, packet.uid) = (PacketKind::Tcp, 0, packet.uid & !0xff);
        }
        id
    }

    /// Sends a packet from the agent's node. An agent without a node loses it.
    #[inline]
    pub fn send(&self, net: &mut Network, packet: PacketId) {
        if net.lacks_flags {
            let packet = &mut net.packets[packet];
            let bytes = [(0xff00, flag::PRIORITY), (REDUCED_BYTE, flag::CONG_ACTION)];
            packet.flags = bytes.into_iter().filter(|(byte, _)| packet.size & byte != 0).map(|(_, flag)| flag).sum();
        }
        match (self.outlet, self.bucket) {
            (Some(node), None) => net.send(node, packet),
            (Some(node), Some(bucket)) => net.pass_bucket(bucket, node, packet),
            (None, _) => net.free(packet),
        }
    }

    /// The parameters that every agent has.
    pub fn param(&self, name: &str) -> Option<Value> {
        Some(Value::Int(i64::from(match name {
            "node" => self.here.node,
            "port" => self.here.port,
            "peer_node" => self.peer.node,
            "peer_port" => self.peer.port,
            "fid" => self.fid,
            "prio" => self.prio,
            "flags" => self.flags,
            "ttl" => self.ttl,
            "packet_size" => self.packet_size,
            _ => return None,
        })))
    }

    /// Sets a parameter that every agent has; whether the name is known.
    pub fn set_param(&mut self, name: &str, value: Value) -> bool {
        let field = match name {
            "node" => &mut self.here.node,
            "port" => &mut self.here.port,
            "peer_node" => &mut self.peer.node,
            "peer_port" => &mut self.peer.port,
            "fid" => &mut self.fid,
            "prio" => &mut self.prio,
            "flags" => &mut self.flags,
            "ttl" => &mut self.ttl,
            "packet_size" => &mut self.packet_size,
            _ => return false,
        };
        *field = value.int() as i32;
        true
    }
}

/// An agent. `net` is all the world but the agents and applications.
pub trait Agent: Send + Sync {
    /// What every agent has.
    fn endpoint(&self) -> &Endpoint;

    /// The same, to be changed.
    fn endpoint_mut(&mut self) -> &mut Endpoint;

    /// A packet arrives. The agent owns it and frees it.
    fn receive(&mut self, packet: PacketId, net: &mut Network);

    /// Packets that it keeps for later.
    fn holds_packets(&self) -> usize {
        0
    }

    /// The invariant of its window or rate that does not hold, if any ([`crate::invariants`]).
    fn violation(&self) -> Option<String> {
        None
    }

    /// Its timer `which` is due.
    fn timer(&mut self, which: u8, net: &mut Network) {
        let _ = (which, net);
    }

    /// The application has `bytes` more to send; `None` means without end. `flags` are the source's own words
    /// (`"NEW_BURST"` at the start of a talk spurt).
    fn send_bytes(&mut self, bytes: Option<i64>, flags: &str, net: &mut Network) {
        let _ = (bytes, flags, net);
    }

    /// Bytes of a message of the usual size.
    fn message_bytes(&self) -> i32 {
        self.endpoint().packet_size
    }

    /// The application has `packets` more to send (TCP).
    fn advance(&mut self, packets: i32, net: &mut Network) {
        let _ = (packets, net);
    }

    /// The application ends the conversation.
    fn close(&mut self, net: &mut Network) {
        let _ = net;
    }

    /// Whoever was told that the conversation is over has heard it.
    fn end_was_heard(&mut self, net: &mut Network) {
        let _ = net;
    }

    /// The simulation starts: back to the initial state.
    fn reset(&mut self, net: &mut Network) {
        let _ = net;
    }

    /// From its next reset on a control from outside decides about its window; whether the agent is one that lets it.
    fn set_control(&mut self, control: Box<dyn Control>) -> bool {
        let _ = control;
        false
    }

    /// The value of a parameter or state variable, `None` for an unknown name.
    fn param(&self, name: &str) -> Option<Value> {
        self.endpoint().param(name)
    }

    /// Sets a parameter or state variable; whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.endpoint_mut().set_param(name, value)
    }

    /// Parameters were set, one or many: whoever sets them says so afterwards. What others have, too, may be kept once for
    /// all.
    fn was_set(&mut self, net: &mut Network) {
        let _ = net;
    }

    /// The observer hears, as `place`, of each change of a variable; whether the name is one that can be watched.
    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        let _ = (name, place);
        false
    }

    /// Tells the observer which watched variables were set by [`Agent::set_param`], and the present value of `name`.
    fn report(&mut self, name: Option<&str>, net: &mut Network) {
        let _ = (name, net);
    }

    /// A command by name, for what is neither a packet nor a parameter.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        let _ = (arguments, net);
        Err(format!("this agent has no command {name}"))
    }
}

/// One agent of a table.
pub struct Entry {
    /// Its id everywhere: `sack`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Makes one with its default parameters.
    pub make: fn(AgentId, &mut Network) -> Box<dyn Agent>,
}
