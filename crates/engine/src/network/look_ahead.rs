//! What a lane's next events will need is fetched while others are at work.

use super::Network;
use crate::event::LaneId;
use crate::fetch::{fetch, fetch_lines};

/// With so many links the caches nearest to the processor do not hold them all.
pub(crate) const MANY_LINKS: usize = 1000;

/// How many events of the same lane come up before the one that is looked at. There are a few of other lanes between any
/// two, which gives memory time to answer.
const BEFORE: usize = 3;

impl Network {
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
