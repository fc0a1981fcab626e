//! Links that fail and recover.
//!
//! Source: ns-2.35's `DynamicLink`, and what its `DelayLink` does on a link with dynamics.
//! What it decides: a gate at the head of a link ([`crate::net::link::Hook::Gate`]) refuses packets while the link is down;
//! a wire that is cut loses what is on it, in the order in which it would have arrived. The packet that the transmitter is
//! sending is on the wire already, and the transmitter stays busy until it would have been sent.

use crate::event::Event;
use crate::net::Network;
use crate::net::link::LinkId;
use crate::packet::PacketId;

impl Network {
    /// The gate of a link that is down meets a packet.
    pub(crate) fn refuse(&mut self, link: LinkId, packet: PacketId) {
        if self.links[link.0 as usize].reports_refused {
            self.lose(link, packet);
        } else {
            self.free(packet);
        }
    }

    /// Loses every packet on a link's wire.
    pub fn cut_wire(&mut self, link: LinkId) {
        self.links[link.0 as usize].on_wire = 0;
        for event in self.events.cancel(|event| matches!(event, Event::Arrive(on, _) if on == link.0)) {
            if let Event::Arrive(_, packet) = event {
                self.lose(link, packet);
            }
        }
    }
}
