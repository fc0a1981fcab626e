//! The choice of addresses: which destination is used next, and from which interface.

use super::association::Sctp;
use super::destination::{Destination, Interface, MAX_DESTINATIONS, Status};
use crate::net::Network;
use crate::net::node::NextHop;
use crate::packet::Address;

impl Sctp {
    /// Adds a destination; the last one added is the primary one. As in ns-2 a packet is made for it, which takes a uid.
    pub fn add_destination(&mut self, address: Address, net: &mut Network) -> Result<(), String> {
        if self.destinations.len() == MAX_DESTINATIONS {
            return Err(format!("an SCTP agent has at most {MAX_DESTINATIONS} destinations"));
        }
        let destination = Destination::new(address, self.destinations.len(), self.end.id, net);
        self.destinations.push(destination);
        self.primary = self.destinations.len() - 1;
        self.new_tx = self.primary;
        self.end.peer = address;
        net.packets.reserve_uid();
        Ok(())
    }

    /// Sets the loss rate of a destination; whether there is one at the node.
    pub fn set_loss_rate(&mut self, node: i32, rate: f32) -> bool {
        let found = self.destinations.iter_mut().find(|destination| destination.address.node == node);
        found.is_some_and(|destination| {
            destination.cmt.loss_rate = rate;
            true
        })
    }

    /// Makes a destination the primary one; whether there is one at the node.
    pub fn set_primary(&mut self, node: i32) -> bool {
        let found = self.destinations.iter().position(|destination| destination.address.node == node);
        if let Some(found) = found {
            (self.primary, self.new_tx) = (found, found);
        }
        found.is_some()
    }

    /// Sends from the interface at the node from now on; whether there is one.
    pub fn force_source(&mut self, node: i32) -> bool {
        let found = self.interfaces.iter().find(|interface| interface.address.node == node).copied();
        if let Some(interface) = found {
            self.use_interface(interface);
            self.forces_source = true;
        }
        found.is_some()
    }

    fn use_interface(&mut self, interface: Interface) {
        self.end.here = interface.address;
        self.end.outlet = Some(interface.node);
    }

    /// Sends from the interface to which the core node's routes lead.
    pub fn set_source(&mut self, destination: usize, net: &Network) {
        let Some(core) = self.core.filter(|_| !self.forces_source) else { return };
        let next_hop = net.nodes[core.0 as usize].next_hop(self.destinations[destination].address.node);
        let NextHop::Link(link) = next_hop else { return };
        let to = net.links[link.0 as usize].to;
        if let Some(&interface) = self.interfaces.iter().find(|interface| interface.node.0 == to) {
            self.use_interface(interface);
        }
    }

    /// The next destination that is not inactive, in turn. It is the given one if there is no other.
    pub fn next_destination(&self, given: usize) -> usize {
        let count = self.destinations.len();
        let mut next = given;
        loop {
            next = (next + 1) % count;
            if self.destinations[next].status != Status::Inactive || next == given {
                break;
            }
        }
        if next == given && self.destinations[next].status == Status::Inactive {
            match self.set.dormant_action {
                0 => (next + 1) % count,
                1 => self.primary,
                _ => next,
            }
        } else {
            next
        }
    }

    /// The destination with this address, if it is one of the peer's.
    pub fn destination_at(&self, address: Address) -> Option<usize> {
        self.destinations.iter().position(|destination| destination.address == address)
    }

    /// Bytes in flight to all destinations.
    pub fn total_outstanding(&self) -> u32 {
        self.destinations.iter().fold(0u32, |sum, destination| sum.wrapping_add(destination.outstanding as u32))
    }

    /// Starts or restarts T3 of a destination.
    pub fn start_t3(&mut self, destination: usize, net: &mut Network) {
        let destination = &mut self.destinations[destination];
        net.set_timer(destination.timers.t3, destination.rto);
        destination.t3_runs = true;
    }

    /// Stops T3 of a destination.
    pub fn stop_t3(&mut self, destination: usize, net: &mut Network) {
        let destination = &mut self.destinations[destination];
        net.stop_timer(destination.timers.t3);
        destination.t3_runs = false;
    }
}
