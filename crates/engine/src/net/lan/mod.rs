//! LANs: shared media with a queue and a medium access method (MAC) for each port.
//!
//! Source: ns-2.35's `LanNode`, `LL`, `Mac`, `Channel` and `Phy/WiredPhy`.
//! What it decides: when a packet is sent on the medium, and which ports receive it. A port is a link from its node
//! to the LAN's own node. A packet waits for the port's delay, in the port's queue, and for the medium. Every other
//! port receives it after the channel's delay; the addressed port delivers it to its node after its own delay, unless an
//! error model has damaged it on the way. The access method of the port decides when it sends: [`Access::Plain`] has no
//! collisions, [`Access::Ethernet`] is in [`crate::net::lan::ethernet`].
//! Not implemented: other access methods, channels without copies, address resolution, errors on the medium.

pub mod ethernet;
mod frame;

use crate::net::ids::LinkId;
use crate::net::lan::ethernet::Ethernet;
pub use crate::net::lan::frame::{Frame, Receiver};
use crate::packet::PacketId;

/// Index of a LAN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanId(pub u32);

/// A shared medium.
#[derive(Debug, Default)]
pub struct Lan {
    /// The node that represents the LAN in routes.
    pub node: u32,
    /// Propagation delay of the medium, s.
    pub delay_s: f64,
    /// Its ports, in the order in which they were added.
    pub ports: Vec<LinkId>,
    /// Next hop from the LAN for each destination, as a node.
    pub toward: Vec<Option<u32>>,
}

/// The medium access method of a port.
#[derive(Debug)]
pub enum Access {
    /// Sends without carrier sense or collisions.
    Plain {
        /// Rate, bit/s.
        rate_bps: f64,
        /// Delay between the medium and the node for a received packet, s.
        delay_s: f64,
    },
    /// CSMA/CD: carrier sense, collisions, retries.
    Ethernet(Box<Ethernet>),
}

/// The part of a link that is a port of a LAN.
#[derive(Debug)]
pub struct Port {
    /// The LAN.
    pub lan: LanId,
    /// Its medium access method.
    pub access: Access,
    /// Whether packets lost in collisions are traced.
    pub traces_collisions: bool,
    /// Whether the queue waits for the medium.
    pub(crate) blocks_queue: bool,
}

impl Port {
    /// Number of packets that the access method holds.
    pub fn holds_packets(&self) -> usize {
        match &self.access {
            Access::Ethernet(access) => access.holds_packets(),
            Access::Plain { .. } => 0,
        }
    }
}

/// A pending action on a LAN.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) enum Step {
    Enqueue(LinkId, PacketId),
    Hear(LinkId, Frame),
    Climb(LinkId, PacketId),
    Deliver(LinkId, PacketId),
    MediumFree(LinkId),
}

/// Pending actions.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    slots: Vec<Option<Step>>,
    free: Vec<u32>,
}

impl Steps {
    /// Number of packets in pending actions.
    pub fn holds_packets(&self) -> usize {
        self.slots.iter().flatten().filter(|step| !matches!(step, Step::MediumFree(_))).count()
    }

    pub(in crate::net) fn add(&mut self, step: Step) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(step);
                slot
            }
            None => {
                self.slots.push(Some(step));
                self.slots.len() as u32 - 1
            }
        }
    }

    pub(in crate::net) fn take(&mut self, slot: u32) -> Option<Step> {
        let step = self.slots.get_mut(slot as usize)?.take();
        self.free.push(slot);
        step
    }
}
