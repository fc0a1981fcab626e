//! The packets on the wire of a link that can fail, after its delay shrank.

use std::collections::VecDeque;

use crate::packet::PacketId;

/// The packets on a wire that delivers the first of them at each arrival.
#[derive(Debug, Default)]
pub(in crate::net) struct InTransit {
    packets: VecDeque<PacketId>,
    early: Vec<Early>,
}

/// A packet that was delivered before its own arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::net) struct Early {
    pub packet: PacketId,
    /// Its uid and its remaining hops when it was delivered: a slot that has others was used again.
    pub uid: i32,
    pub ttl: i32,
}

impl InTransit {
    /// Packets enter the wire.
    pub fn extend(&mut self, packets: impl IntoIterator<Item = PacketId>) {
        self.packets.extend(packets);
    }

    /// Takes the packet that is first on the wire.
    pub fn take_first(&mut self) -> Option<PacketId> {
        self.packets.pop_front()
    }

    /// Takes all packets on the wire, in order; `None` if one was delivered early and its arrival is still to come.
    pub fn take_all(&mut self) -> Option<VecDeque<PacketId>> {
        let InTransit { packets, early } = std::mem::take(self);
        early.is_empty().then_some(packets)
    }

    /// A packet was delivered before its own arrival.
    pub fn add_early(&mut self, early: Early) {
        self.early.push(early);
    }

    /// The packet's own arrival, if it was delivered before.
    pub fn take_early(&mut self, packet: PacketId) -> Option<Early> {
        let found = self.early.iter().position(|known| known.packet == packet)?;
        Some(self.early.swap_remove(found))
    }
}
