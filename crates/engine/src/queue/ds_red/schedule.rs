//! The scheduler of [`super`]: selects the queue that is served next.

use super::limits::QUEUES;

/// The scheduling algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Round robin (RR).
    #[default]
    RoundRobin,
    /// Weighted round robin (WRR): a queue sends `weight` packets per turn.
    Weighted,
    /// Weighted interleaved round robin (WIRR): one packet per turn, in `weight` turns per round.
    Interleaved,
    /// Strict priority (PRI): the first nonempty queue within its rate, else the first nonempty one.
    Priority,
}

/// The scheduler's state of a queue.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Its weight.
    pub weight: i32,
    /// The rate above which the queue loses its priority, bytes/s; 0 for unlimited.
    pub most_rate: f64,
    /// Packets dequeued.
    pub packets: i32,
    rate: f64,
    rate_at_s: f64,
    left: i32,
    done: bool,
}

/// The scheduler.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The scheduling algorithm.
    pub kind: Kind,
    /// The state of each queue.
    pub shares: [Share; QUEUES],
    next: usize,
    done: usize,
}

impl Default for Schedule {
    fn default() -> Schedule {
        let share = Share { weight: 1, most_rate: 0.0, packets: 0, rate: 0.0, rate_at_s: 0.0, left: 0, done: false };
        Schedule { kind: Kind::default(), shares: [share; QUEUES], next: 0, done: QUEUES }
    }
}

/// Averaging window of a queue's rate, s.
const WINDOW_S: f64 = 1.0;

impl Schedule {
    /// Resets the state at the start of the simulation; weights and rate limits are kept.
    pub fn start_over(&mut self) {
        self.next = 0;
        for share in &mut self.shares {
            *share = Share { packets: 0, rate: 0.0, rate_at_s: 0.0, left: 0, done: false, ..*share };
        }
    }

    /// Selects the next of `used` queues, or returns an invalid number if there is none. Each call advances the
    /// schedule, even if all queues are empty.
    pub fn select(&mut self, used: usize, length: impl Fn(usize) -> usize) -> usize {
        if used == 0 {
            return usize::MAX;
        }
        let after = |queue: usize| (queue + 1) % used;
        match self.kind {
            Kind::RoundRobin => {
                self.next = after(self.next);
                for _ in 0..used {
                    if length(self.next) != 0 {
                        break;
                    }
                    self.next = after(self.next);
                }
            }
            Kind::Weighted => {
                if self.shares[self.next].left <= 0 {
                    self.next = after(self.next);
                    self.shares[self.next].left = self.shares[self.next].weight - 1;
                } else {
                    self.shares[self.next].left -= 1;
                }
                for _ in 0..used {
                    if length(self.next) != 0 {
                        break;
                    }
                    self.shares[self.next].left = 0;
                    self.next = after(self.next);
                    self.shares[self.next].left = self.shares[self.next].weight - 1;
                }
            }
            Kind::Interleaved => self.interleave(used, length),
            Kind::Priority => {
                let above = |share: &Share| share.most_rate != 0.0 && share.rate > share.most_rate;
                let waiting = |&queue: &usize| length(queue) != 0;
                let allowed = (0..used).find(|queue| waiting(queue) && !above(&self.shares[*queue]));
                self.next = allowed.or_else(|| (0..used).find(waiting)).unwrap_or(0);
            }
        }
        self.next
    }

    fn interleave(&mut self, used: usize, length: impl Fn(usize) -> usize) {
        self.next = (self.next + 1) % used;
        for _ in 0..used {
            let share = &mut self.shares[self.next];
            if length(self.next) != 0 && !share.done {
                break;
            }
            if !share.done {
                self.done += 1;
                share.done = true;
            }
            self.next = (self.next + 1) % used;
        }
        let share = &mut self.shares[self.next];
        if share.left == 1 {
            self.done += 1;
            share.done = true;
        }
        share.left -= 1;
        if self.done >= used {
            self.done = 0;
            for share in &mut self.shares[..used] {
                share.left = share.weight;
                share.done = false;
            }
        }
    }

    /// A packet of `bytes` was dequeued from a queue.
    pub fn taken(&mut self, queue: usize, used: usize, bytes: i32, now_s: f64) {
        self.shares[queue].packets += 1;
        if self.kind != Kind::Priority {
            return;
        }
        for (index, share) in self.shares[..used].iter_mut().enumerate() {
            if share.most_rate != 0.0 {
                let new = share.rate * WINDOW_S + if index == queue { f64::from(bytes) } else { 0.0 };
                share.rate = new / (now_s - share.rate_at_s + WINDOW_S);
                share.rate_at_s = now_s;
            }
        }
    }
}
