//! What a lane's next events will need is fetched while others are at work.

use super::Network;
use crate::event::LaneId;
use crate::fetch::{fetch, fetch_lines};

/// So many packets and links, 128 bytes each, are more than the caches nearest to a processor hold.
const MANY: usize = 4096;

/// How many events of the same lane come up before the one that is looked at. There are a few of other lanes between any
/// two, which gives memory time to answer.
const BEFORE: usize = 3;

impl Network {
    /// Whether what the next events need is likely to have left the caches since it was last used.
    pub(crate) fn is_large(&self) -> bool {
        self.packets.room() + self.links.len() >= MANY
    }

    /// An event of this lane was taken.
    #[inline(always)]
    pub(crate) fn look_ahead(&self, lane: LaneId) {
        if let Some(what) = self.events.ahead(lane, BEFORE) {
            if let Some(packet) = what.arrival() {
                fetch_lines(&self.packets[packet], 2);
            }
            if let Some(link) = self.links.get(what.link as usize) {
                fetch(link);
            }
        }
    }
}
