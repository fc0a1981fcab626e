//! Link failure and recovery.
//!
//! Source: ns-2.35's `DynamicLink`, and what its `DelayLink` does on a link with dynamics.
//! What it decides: a gate at the head of a link ([`crate::net::link::Hook::Gate`]) refuses packets while the link is
//! down. A wire that is cut loses its packets, in the order in which they would have arrived. The packet in
//! transmission is already on the wire; the transmitter stays busy until the end of the transmission.

use crate::event::Event;
use crate::net::Network;
use crate::net::link::LinkId;
use crate::packet::PacketId;

impl Network {
    /// A link that is down refuses a packet at its gate.
    pub(crate) fn refuse(&mut self, link: LinkId, packet: PacketId) {
        if self.links[link.0 as usize].reports_refused {
            self.lose(link, packet);
        } else {
            self.free(packet);
        }
    }

    /// Discards every packet on the wire of a link.
    pub fn cut_wire(&mut self, link: LinkId) {
        self.links[link.0 as usize].on_wire = 0;
        for event in self.events.cancel(|event| matches!(event, Event::Arrive(on, _) if on == link.0)) {
            if let Event::Arrive(_, packet) = event {
                match self.links[link.0 as usize].wire_part() {
                    Some(wire) => self.drop_at_part(wire, packet),
                    None => self.lose(link, packet),
                }
            }
        }
    }
}
