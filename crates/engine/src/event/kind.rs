//! The kinds of events.

use crate::packet::PacketId;

/// An event. Indices are those of the network's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A packet reaches the far end of a link.
    Arrive(u32, PacketId),
    /// A link's transmitter has sent its packet; it dequeues the next one.
    TransmitterFree(u32),
    /// A timer may expire. It may have been stopped or restarted since.
    Timer(u32),
    /// An error module releases a held packet.
    Release(u32),
    /// An action on a LAN.
    Lan(u32),
    /// A callback of [`crate::sim::Simulation::call_back`].
    Script(u32),
    /// A sample of the statistics is due.
    Sample,
    /// A cancelled event.
    Cancelled,
}

/// An event of a lane: an arrival, or the end of a transmission.
#[derive(Clone, Copy)]
pub struct OfLink {
    /// The link.
    pub link: u32,
    pub(crate) packet: u32,
}

impl OfLink {
    pub(super) const NO_PACKET: u32 = u32::MAX;
    pub(super) const CANCELLED: OfLink = OfLink { link: u32::MAX, packet: OfLink::NO_PACKET };

    /// The packet that reaches the far end of the link, if the event is an arrival.
    #[inline(always)]
    pub fn arrival(self) -> Option<PacketId> {
        (self.packet != OfLink::NO_PACKET).then_some(PacketId(self.packet))
    }

    /// Converts to an [`Event`].
    pub fn event(self) -> Event {
        match self.arrival() {
            Some(packet) => Event::Arrive(self.link, packet),
            None if self.link == OfLink::CANCELLED.link => Event::Cancelled,
            None => Event::TransmitterFree(self.link),
        }
    }
}
