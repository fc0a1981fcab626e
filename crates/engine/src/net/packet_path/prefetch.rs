//! Memory prefetch for the next event of a lane.

use crate::event::{Key, OfLink};
use crate::net::Network;
use crate::prefetch::prefetch_at;

impl Network {
    /// Removes and returns the earliest event if it is the head of a sorted lane. Prefetches the packet and the link
    /// of the lane's next event, because with many packets they are no longer in the caches.
    #[inline(always)]
    pub(crate) fn next_of_lanes(&mut self) -> Option<(Key, OfLink)> {
        let Network { events, packets, links, .. } = self;
        events.pop_of_lane(|soon| {
            packets.prefetch(soon.packet);
            prefetch_at(links, soon.link as usize, 1);
        })
    }
}
