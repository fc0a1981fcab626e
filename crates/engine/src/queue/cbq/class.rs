//! A class of packets, and its share of the link.

use crate::queue::Queue;

/// The weight of the newest idle time in the mean is one over this.
const MEMORY: f64 = 16.0;

/// The level of classes that have queues.
pub const LEAF: i32 = 1;

/// A class. Its parent lends it what itself and its other children do not use.
pub struct Class {
    /// The class that it may borrow from.
    pub parent: Option<usize>,
    /// The queue of a class at the leaves.
    pub queue: Option<Queue>,
    /// The part of the link's rate that is the class's.
    pub share: f64,
    /// The same, bytes/s.
    pub rate: f64,
    /// The most idle time that counts, s; a class may send a burst after it.
    pub most_idle_s: f64,
    /// The class waits longer by this when it must wait, s.
    pub extra_delay_s: f64,
    /// Smaller numbers go first.
    pub priority: usize,
    /// Its height above the leaves, which are at 1.
    pub level: i32,
    /// Whether it may borrow.
    pub borrows: bool,
    /// Until then it is over its limit, s.
    pub over_until_s: f64,
    /// What it may still send in this round, bytes.
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

    /// Whether it may borrow and has somebody to borrow from.
    pub fn can_borrow(&self) -> bool {
        self.borrows && self.parent.is_some()
    }

    /// Whether it is under its limit; if so it waits no more.
    pub fn is_under_limit(&mut self, now_s: f64) -> bool {
        let is_under = self.over_until_s < now_s;
        if is_under {
            self.is_delayed = false;
        }
        is_under
    }

    /// It has something to send and must wait.
    pub fn delay(&mut self, now_s: f64) {
        let wait_s = self.over_until_s - now_s + self.extra_delay_s;
        if wait_s > 0.0 && !self.is_delayed {
            self.over_until_s += self.extra_delay_s;
            self.over_until_s -= (1.0 - MEMORY) * self.mean_idle_s;
            self.is_delayed = true;
        }
    }

    /// A packet of so many bytes goes, of the class or of one that it lends to, for `sending_s` seconds from now on.
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

    /// Its share is another from now on.
    pub fn set_share(&mut self, share: f64, link_rate_bps: f64) {
        self.share = share;
        self.rate = share * (link_rate_bps / 8.0);
    }
}
