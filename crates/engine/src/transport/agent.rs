//! Agents: the endpoints of a flow, such as a sender, a sink or a datagram socket.
use std::any::Any;

use crate::measure::endpoint_stats::Progress;
use crate::measure::frames::FrameStats;
use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::net::node::{AgentId, NodeId};
use crate::net::token_bucket::BucketId;
use crate::packet::{Address, Packet, PacketId, PacketKind, flag};
use crate::params::{Parameter, Value};
use crate::registry;
use crate::transport::external_control::ExternalCongestionOps;

/// For packets without flags: a one-way sender sets this bit in the packet's size to report a window reduction (CWR).
pub(crate) const REDUCED_BYTE: i32 = 1 << 24;

/// The state that all agents share: addresses, and the header fields of their packets.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The agent's id.
    pub id: AgentId,
    /// The node that it is attached to, if any.
    pub outlet: Option<NodeId>,
    /// Source address of its packets; -1 before it is attached.
    pub here: Address,
    /// The peer's address; -1 without a peer.
    pub peer: Address,
    /// Flow id of its packets.
    pub fid: i32,
    /// Priority of its packets.
    pub prio: i32,
    /// DiffServ code point of its packets, 0 to 63.
    pub dscp: i32,
    /// Header flags of its packets.
    pub flags: i32,
    /// Time to live of its packets, hops.
    pub ttl: i32,
    /// Packet type of its packets.
    pub kind: PacketKind,
    /// Default size of its packets, bytes.
    pub packet_size: i32,
    /// The token bucket that shapes its packets, if any.
    pub bucket: Option<BucketId>,
}

impl Endpoint {
    /// Makes an endpoint that is not attached.
    pub fn new(id: AgentId, kind: PacketKind, packet_size: i32) -> Endpoint {
        let nowhere = Address { node: -1, port: -1 };
        Endpoint {
            id,
            outlet: None,
            here: nowhere,
            peer: nowhere,
            fid: 0,
            prio: 0,
            dscp: 0,
            flags: 0,
            ttl: 32,
            kind,
            packet_size,
            bucket: None,
        }
    }

    /// Makes a packet from here to the peer; it takes the next uid.
    #[inline]
    pub fn make_packet(&self, net: &mut Network) -> PacketId {
        let id = net.make_packet(Packet {
            size: self.packet_size,
            src: self.here,
            dst: self.peer,
            fid: self.fid,
            prio: self.prio,
            dscp: (self.dscp & 0x3f) as u8,
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

    /// Sends a packet from the agent's node. Without a node, the packet is freed.
    #[inline]
    pub fn send(&self, net: &mut Network, packet: PacketId) {
        if net.lacks_flags {
            let packet = &mut net.packets[packet];
            let bytes = [(0xff00, flag::PRIORITY), (REDUCED_BYTE, flag::CONG_ACTION)];
            let read = bytes.into_iter().filter(|(byte, _)| packet.size & byte != 0).map(|(_, flag)| flag);
            packet.flags = read.sum::<u16>() | packet.flags & flag::WITHOUT_RTP;
        }
        net.count_send(self.id, packet);
        match (self.outlet, self.bucket) {
            (Some(node), None) => net.send(node, packet),
            (Some(node), Some(bucket)) => net.pass_bucket(bucket, node, packet),
            (None, _) => net.free(packet),
        }
    }

    /// A parameter that all agents have.
    pub fn param(&self, name: &str) -> Option<Value> {
        Some(Value::Int(i64::from(match name {
            "node" => self.here.node,
            "port" => self.here.port,
            "peer_node" => self.peer.node,
            "peer_port" => self.peer.port,
            "fid" => self.fid,
            "prio" => self.prio,
            "dscp" => self.dscp,
            "flags" => self.flags,
            "ttl" => self.ttl,
            "packet_size" => self.packet_size,
            _ => return None,
        })))
    }

    /// Sets a parameter that all agents have; returns whether the name is known.
    pub fn set_param(&mut self, name: &str, value: Value) -> bool {
        let field = match name {
            "node" => &mut self.here.node,
            "port" => &mut self.here.port,
            "peer_node" => &mut self.peer.node,
            "peer_port" => &mut self.peer.port,
            "fid" => &mut self.fid,
            "prio" => &mut self.prio,
            "dscp" => &mut self.dscp,
            "flags" => &mut self.flags,
            "ttl" => &mut self.ttl,
            "packet_size" => &mut self.packet_size,
            _ => return false,
        };
        *field = value.int() as i32;
        true
    }
}

/// An agent. `net` is the simulation without the agents and applications.
pub trait Agent: Any + Send + Sync {
    /// The state that all agents share.
    fn endpoint(&self) -> &Endpoint;

    /// Mutable access to [`Agent::endpoint`].
    fn endpoint_mut(&mut self) -> &mut Endpoint;

    /// A packet arrives. The agent owns it and must free it.
    fn receive(&mut self, packet: PacketId, net: &mut Network);

    /// Number of packets that the agent holds for later.
    fn holds_packets(&self) -> usize {
        0
    }

    /// The window or rate invariant that is violated, if any ([`crate::invariants`]).
    fn violation(&self) -> Option<String> {
        None
    }

    /// Timer `which` expires.
    fn timer(&mut self, which: u8, net: &mut Network) {
        let _ = (which, net);
    }

    /// The application has `bytes` more to send; `None` means unlimited. `flags` are flags of the source (`"NEW_BURST"`
    /// at the start of a talk spurt).
    fn send_bytes(&mut self, bytes: Option<i64>, flags: &str, net: &mut Network) {
        let _ = (bytes, flags, net);
    }

    /// Size of a default message, bytes.
    fn message_bytes(&self) -> i32 {
        self.endpoint().packet_size
    }

    /// The application has `packets` more to send (TCP).
    fn advance(&mut self, packets: i32, net: &mut Network) {
        let _ = (packets, net);
    }

    /// The application closes the connection.
    fn close(&mut self, net: &mut Network) {
        let _ = net;
    }

    /// Called after the close notification was delivered.
    fn done_was_delivered(&mut self, net: &mut Network) {
        let _ = net;
    }

    /// The simulation starts: returns to the initial state.
    fn reset(&mut self, net: &mut Network) {
        let _ = net;
    }

    /// Uses an external congestion control from the next reset on; returns whether the agent supports it.
    fn set_control(&mut self, control: Box<dyn ExternalCongestionOps>) -> bool {
        let _ = control;
        false
    }

    /// Appends the parameters that scenarios offer, with their present values.
    fn describe(&self, out: &mut Vec<Parameter>) {
        let _ = out;
    }

    /// The value of a parameter or state variable; `None` for an unknown name.
    fn param(&self, name: &str) -> Option<Value> {
        self.endpoint().param(name)
    }

    /// Sets a parameter or state variable; returns whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.endpoint_mut().set_param(name, value)
    }

    /// Called after one or more parameters were set. The agent may then share identical parameter sets with others.
    fn was_set(&mut self, net: &mut Network) {
        let _ = net;
    }

    /// The video frames that it has received, if it is a receiver of video.
    fn frames(&mut self) -> Option<&mut FrameStats> {
        None
    }

    /// The state of a TCP sender, for statistics. It is asked for after each event of the sender.
    fn progress(&self) -> Progress {
        let real = |name| self.param(name).map_or(0.0, Value::real);
        Progress {
            cwnd: real("cwnd"),
            ssthresh: real("ssthresh"),
            next: real("t_seqno") as i64,
            produced: real("seqno") as i64,
            acknowledged: real("ack") as i64,
        }
    }

    /// The observer is notified of each change of the variable, under the id `place`. Returns whether the variable is
    /// traceable.
    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        let _ = (name, place);
        false
    }

    /// Reports to the observer the watched variables that [`Agent::set_param`] has set, and the present value of
    /// `name`.
    fn report(&mut self, name: Option<&str>, net: &mut Network) {
        let _ = (name, net);
    }

    /// Runs a named command: for actions that are neither a packet nor a parameter.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        let _ = (arguments, net);
        Err(format!("this agent has no command {name}"))
    }
}

/// A line of a table of agents.
pub type Entry = registry::Entry<fn(AgentId, &mut Network) -> Box<dyn Agent>>;
