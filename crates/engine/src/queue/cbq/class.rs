//! A CBQ class: its share of the link, its limit and its average idle time.

use crate::queue::Queue;

/// Inverse weight of a new sample in the average idle time.
const MEMORY: f64 = 16.0;

/// The level of classes that have queues.
pub const LEAF: i32 = 1;

/// A CBQ class. It borrows unused bandwidth from its parent.
pub struct Class {
    /// The parent class.
    pub parent: Option<usize>,
    /// The queue of a leaf class.
    pub queue: Option<Queue>,
    /// The class's allocation, as a fraction of the link's rate.
    pub share: f64,
    /// The class's allocation, bytes/s.
    pub rate: f64,
    /// Maximum average idle time (`maxidle`), s. It bounds the burst after an idle time.
    pub most_idle_s: f64,
    /// Additional delay when the class becomes regulated (`extradelay`), s.
    pub extra_delay_s: f64,
    /// Lower numbers are served first.
    pub priority: usize,
    /// The level in the tree; leaves are at 1.
    pub level: i32,
    /// Whether the class may borrow.
    pub borrows: bool,
    /// Until when the class is over its limit (`undertime`), s.
    pub over_until_s: f64,
    /// Weighted round robin: remaining bytes of this round.
    pub credit: i32,
    last_sent_s: f64,
    mean_idle_s: f64,
    is_delayed: bool,
}

impl Class {
    /// A class that has sent nothing yet.
    pub fn new(priority: usize, level: i32, share: f64, link_rate_bps: f64) -> Class {
        Class {
            parent: None,
            queue: None,
            share,
            rate: share * (link_rate_bps / 8.0),
            most_idle_s: 0.0,
            extra_delay_s: 0.0,
            priority,
            level,
            borrows: true,
            over_until_s: 0.0,
            credit: 0,
            last_sent_s: 0.0,
            mean_idle_s: 0.0,
            is_delayed: false,
        }
    }

    /// Packets waiting.
    pub fn waiting(&self) -> usize {
        self.queue.as_ref().map_or(0, |queue| queue.len_packets())
    }

    /// Whether the class may borrow and has a parent.
    pub fn can_borrow(&self) -> bool {
        self.borrows && self.parent.is_some()
    }

    /// Whether the class is under its limit; if so, it is no longer delayed.
    pub fn is_under_limit(&mut self, now_s: f64) -> bool {
        let is_under = self.over_until_s < now_s;
        if is_under {
            self.is_delayed = false;
        }
        is_under
    }

    /// Delays a backlogged class that is over its limit.
    pub fn delay(&mut self, now_s: f64) {
        let wait_s = self.over_until_s - now_s + self.extra_delay_s;
        if wait_s > 0.0 && !self.is_delayed {
            self.over_until_s += self.extra_delay_s;
            self.over_until_s -= (1.0 - MEMORY) * self.mean_idle_s;
            self.is_delayed = true;
        }
    }

    /// Updates the average idle time for a packet that starts now and takes `sending_s` seconds. The packet is of the
    /// class itself or of a descendant.
    pub fn sends(&mut self, bytes: i32, now_s: f64, sending_s: f64) {
        let end_s = now_s + sending_s;
        let idle_s = (end_s - self.last_sent_s) - f64::from(bytes) / self.rate;
        let mean_s = self.mean_idle_s + (idle_s - self.mean_idle_s) / MEMORY;
        self.mean_idle_s = if mean_s > self.most_idle_s { self.most_idle_s } else { mean_s };
        if self.mean_idle_s <= 0.0 {
            self.over_until_s = end_s + sending_s * (1.0 / self.share - 1.0);
            self.over_until_s += (1.0 - MEMORY) * self.mean_idle_s;
        }
        self.last_sent_s = end_s;
    }

    /// Changes the allocation.
    pub fn set_share(&mut self, share: f64, link_rate_bps: f64) {
        self.share = share;
        self.rate = share * (link_rate_bps / 8.0);
    }
}
