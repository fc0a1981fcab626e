//! What a lane's next event will need is fetched while others are at work.

use super::Network;
use crate::event::prefetch::prefetch_at;
use crate::event::{Key, OfLink};

impl Network {
    /// The earliest event, removed, if it is the first of a lane that is kept in order. Memory is asked for the packet and the
    /// link of the one behind it: of many packets the caches hold few when their turn comes.
    #[inline(always)]
    pub(crate) fn next_of_lanes(&mut self) -> Option<(Key, OfLink)> {
        let Network { events, packets, links, .. } = self;
        events.pop_of_lane(|soon| {
            packets.prefetch(soon.packet);
            prefetch_at(links, soon.link as usize, 1);
        })
    }
}
