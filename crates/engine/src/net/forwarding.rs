//! A packet's way through nodes: over which link it goes on, or at which port it ends.

use super::{Network, SimulationError};
use crate::net::node::{AgentId, NextHop, NodeId, Port};
use crate::packet::PacketId;

impl Network {
    /// Sends a packet from a node towards its destination: into the next link's queue, all the way, now.
    pub fn send(&mut self, node: NodeId, packet: PacketId) {
        if let Some(agent) = self.enter_node(node.0, packet) {
            self.local.push_back((agent, packet));
            self.has_news = true;
        }
    }

    /// Sends a packet on its way from a node that it is not for.
    #[inline(always)]
    pub(super) fn forward(&mut self, node: u32, destination: i32, packet: PacketId) {
        if let NextHop::Link(link) = self.nodes[node as usize].next_hop(destination) {
            self.offer(link, packet);
        } else {
            self.forward_otherwise(node, destination, packet);
        }
    }

    /// The same, from a node that does not simply name a link.
    #[inline(never)]
    fn forward_otherwise(&mut self, node: u32, destination: i32, packet: PacketId) {
        let next_hop = self.nodes[node as usize].next_hop(destination);
        if !self.forward_by(node, next_hop, packet) {
            self.enter_ingress(node, packet);
        }
    }

    /// Sends a packet on its way; false if nobody said which it is.
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

    /// A packet comes to a node that shows it no way and no port: it meets the box at the ingress, if there is one. The
    /// agent it is for, if it passes at once and is for this node.
    #[cold]
    fn enter_ingress(&mut self, node: u32, packet: PacketId) -> Option<AgentId> {
        match self.nodes[node as usize].ingress_box() {
            Some(guard) => self.enter_delay_box(guard, packet),
            None => self.pass_ingress(node, packet),
        }
    }

    /// A packet passes the ingress of a node, where a box may stand: the agent it is for, or nothing when it goes on.
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
            if !self.forward_by(node, next_hop, packet) {
                self.fail(SimulationError::NoRoute { node, destination: destination.node });
            }
        }
        None
    }

    /// A packet comes to a node: the agent it is for, or nothing when it goes on.
    #[inline]
    pub(crate) fn enter_node(&mut self, node: u32, packet: PacketId) -> Option<AgentId> {
        let destination = self.packets[packet].dst;
        if destination.node == node as i32 {
            return self.reach_port(node, destination.port, packet);
        }
        self.forward(node, destination.node, packet);
        None
    }

    /// A packet is for this node: the agent at the port.
    #[inline(always)]
    pub(super) fn reach_port(&mut self, node: u32, port: i32, packet: PacketId) -> Option<AgentId> {
        match self.nodes[node as usize].at_port(port) {
            Port::Agent(agent) => return Some(agent),
            Port::Left => self.free(packet),
            Port::Free => return self.enter_ingress(node, packet),
        }
        None
    }
}
