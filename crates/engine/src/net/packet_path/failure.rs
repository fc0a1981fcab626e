//! Link failure and recovery.
//!
//! Source: ns-2.35's `DynamicLink`, and what its `DelayLink` does on a link with dynamics.
//! What it decides: a gate at the head of a link ([`crate::net::link::Hook::Gate`]) refuses packets while the link is
//! down. A wire that is cut loses its packets, in the order in which they would have arrived. The packet in
//! transmission is already on the wire; the transmitter stays busy until the end of the transmission.
//!
//! If the delay shrinks while packets are on such a wire, later ones would overtake them. At each arrival ns-2 then
//! delivers the packet that is first on the wire, while the arrival of that packet is still to come. ns-2 ends as soon as
//! the packet is on another wire before its own arrival, or its memory is used for another packet; so does this.

use std::collections::VecDeque;

use crate::event::Event;
use crate::net::link::{Early, HookPoint, LinkId};
use crate::net::{Network, SimulationError};
use crate::packet::{Packet, PacketId};

/// Why a run ends at a packet that is sent on before its own arrival: ns-2's words.
const ON_TWO_WIRES: &str = "is sent on: Scheduler: Event UID not valid!";

fn arrived(event: Event) -> Option<PacketId> {
    match event {
        Event::Arrive(_, packet) => Some(packet),
        _ => None,
    }
}

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
        let cancelled = self.events.cancel(|event| matches!(event, Event::Arrive(on, _) if on == link.0));
        let mut cut: VecDeque<PacketId> = cancelled.into_iter().filter_map(arrived).collect();
        if self.links[link.0 as usize].delivers_first() {
            match self.links[link.0 as usize].in_transit().take_all() {
                Some(on_wire) => cut = on_wire,
                None => return self.fail_after_overtaking("the link failed; ns-2 crashes there"),
            }
        }
        for packet in cut {
            match self.links[link.0 as usize].wire_part() {
                Some(wire) => self.drop_at_part(wire, packet),
                None => self.lose(link, packet),
            }
        }
    }

    /// Sets the propagation delay of a link, s, for packets sent from now on.
    pub fn set_delay_s(&mut self, id: LinkId, delay_s: f64) {
        let link = &mut self.links[id.0 as usize];
        if link.can_fail() && link.on_wire > 0 && delay_s < link.delay_s() && !link.delivers_first() {
            let on_wire = self.events.pending(|event| matches!(event, Event::Arrive(on, _) if on == id.0));
            link.deliver_first(on_wire.into_iter().filter_map(arrived));
        }
        link.set_delay_s(delay_s);
    }

    /// The arrival of `due` delivers the packet that is first on the wire.
    pub(super) fn arrive_first(&mut self, id: LinkId, due: PacketId) {
        if let Some(early) = self.links[id.0 as usize].in_transit().take_early(due)
            && !self.packets.is_free(due)
        {
            let now = &self.packets[due];
            if now.uid != early.uid {
                return self
                    .fail_after_overtaking("its memory is used again; ns-2 ends there, as its clock would go back");
            }
            if now.ttl != early.ttl || self.is_on_other_wire(id, due) {
                return self.fail_after_overtaking(ON_TWO_WIRES);
            }
        }
        let Some(first) = self.links[id.0 as usize].in_transit().take_first() else { return };
        let agent = self.reach_far_end(id, first, HookPoint::WireEnd, 0);
        if first != due {
            let Packet { uid, ttl, .. } = self.packets[first];
            self.links[id.0 as usize].in_transit().add_early(Early { packet: first, uid, ttl });
            if self.is_on_other_wire(id, first) {
                return self.fail_after_overtaking(ON_TWO_WIRES);
            }
        }
        if let Some(agent) = agent {
            self.local.push_back((agent, first));
            self.has_news = true;
        }
    }

    fn is_on_other_wire(&self, id: LinkId, packet: PacketId) -> bool {
        self.events.iter().any(|event| matches!(event, Event::Arrive(on, found) if found == packet && on != id.0))
    }

    fn fail_after_overtaking(&mut self, why: &str) {
        let error =
            format!("a packet was delivered in place of one that overtook it on a link that can fail, and {why}");
        self.fail(SimulationError::Broken(error));
    }
}
