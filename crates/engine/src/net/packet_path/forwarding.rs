//! Forwarding: a node sends a packet to its next hop, or delivers it at a port.

use crate::net::node::{AgentId, NextHop, NodeId, Port};
use crate::net::{Network, SimulationError};
use crate::packet::PacketId;

impl Network {
    /// Sends a packet from a node towards its destination. This call takes it to the queue or transmitter of the next
    /// link.
    pub fn send(&mut self, node: NodeId, packet: PacketId) {
        if let Some(agent) = self.enter_node(node.0, packet) {
            self.local.push_back((agent, packet));
            self.has_news = true;
        }
    }

    /// Slow path of [`Network::forward`]: the next hop is not a plain link.
    #[inline(never)]
    pub(super) fn forward_otherwise(&mut self, node: u32, destination: i32, packet: PacketId) {
        let next_hop = self.nodes[node as usize].next_hop(destination);
        if !self.forward_by(node, next_hop, packet) {
            self.enter_ingress(node, packet);
        }
    }

    /// Forwards a packet to a next hop; false if the next hop is unknown.
    fn forward_by(&mut self, node: u32, next_hop: NextHop, packet: PacketId) -> bool {
        let next_hop = match next_hop {
            NextHop::RoundRobin(turn) => {
                self.nodes[node as usize].take_turn(turn).map_or(NextHop::Discard, NextHop::Link)
            }
            NextHop::PerFlow => {
                let fields = &self.packets[packet];
                self.nodes[node as usize].flow_next_hop((fields.src.node, fields.dst.node, fields.fid))
            }
            next_hop => next_hop,
        };
        match next_hop {
            NextHop::Link(link) => self.offer(link, packet),
            NextHop::Port(link) => self.enter_lan(link, packet),
            NextHop::Discard | NextHop::RoundRobin(_) | NextHop::PerFlow => self.free(packet),
            NextHop::Unknown => return false,
        }
        true
    }

    /// A packet arrives at a node that has no next hop and no port for it. If the node has a delay box, the box gets
    /// the packet. Returns the agent if the packet passes immediately and its destination is this node.
    #[cold]
    pub(super) fn enter_ingress(&mut self, node: u32, packet: PacketId) -> Option<AgentId> {
        match self.nodes[node as usize].ingress_box() {
            Some(guard) => self.enter_delay_box(guard, packet),
            None => self.pass_ingress(node, packet),
        }
    }

    /// A packet passes the ingress of a node, behind the delay box if there is one. Returns the agent, or `None` if
    /// the packet was forwarded.
    pub(crate) fn pass_ingress(&mut self, node: u32, packet: PacketId) -> Option<AgentId> {
        let destination = self.packets[packet].dst;
        let inside = self.nodes[node as usize].inside();
        if destination.node == node as i32 {
            match inside.at_port(destination.port) {
                Port::Agent(agent) => return Some(agent),
                Port::Left => self.free(packet),
                Port::Free => self.fail(SimulationError::NoAgent { node, port: destination.port }),
            }
        } else {
            let next_hop = inside.next_hop(destination.node);
            if !self.forward_by(node, next_hop, packet) && !self.enter_multicast(node, packet) {
                self.fail(SimulationError::NoRoute { node, destination: destination.node });
            }
        }
        None
    }

    /// A packet arrives at a node. Returns the agent, or `None` if the packet was forwarded.
    #[inline]
    pub(crate) fn enter_node(&mut self, node: u32, packet: PacketId) -> Option<AgentId> {
        if !self.has_fast_path {
            return self.enter_ingress(node, packet);
        }
        let destination = self.packets[packet].dst;
        if destination.node == node as i32 {
            return self.reach_port(node, destination.port, packet);
        }
        self.forward(node, destination.node, packet);
        None
    }
}
