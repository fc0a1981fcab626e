//! One physical queue of [`super`], with a virtual RED queue for each precedence.

use super::super::{Fifo, QueueContext};
use super::limits::PRECEDENCES;
use crate::packet::{PacketId, PacketPool};
use crate::time::cut;

/// The lengths that a precedence's average includes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Average {
    /// Its own and those of the lower-numbered precedences (RIO-C).
    #[default]
    Coupled,
    /// Its own only (RIO-D).
    Decoupled,
    /// The total length; each precedence has its own thresholds (WRED).
    Weighted,
    /// No average: packets are dropped when `th_min` packets of the precedence are stored (DROP).
    None,
}

/// The outcome for a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Stored.
    Stored,
    /// Stored; the packet is to be marked.
    Marked,
    /// Dropped: the limit of the queue or precedence was reached, or the average exceeded the maximum threshold.
    Dropped,
    /// Dropped early, at random.
    DroppedEarly,
}

/// The RED state of a precedence.
#[derive(Clone, Copy, Debug, Default)]
struct Red {
    th_min: f64,
    th_max: f64,
    /// Inverse of the maximum drop probability.
    max_p_inv: f64,
    weight: f64,
    mean_bytes: i32,
    /// Link rate, packets per second.
    packets_per_s: f64,
    average: f64,
    /// Packets since the last early drop; -1 below the minimum threshold.
    count: i32,
    length: i32,
    idle: bool,
    idle_since_s: f64,
}

/// A physical queue.
#[derive(Default)]
pub struct Physical {
    /// Queue limit, packets.
    pub limit: i32,
    /// The number of precedences in use.
    pub precedences: Precedences,
    /// The type of average.
    pub kind: Average,
    fifo: Fifo,
    red: [Red; PRECEDENCES],
}

/// The number of precedences in use; the maximum by default.
#[derive(Clone, Copy, Debug)]
pub struct Precedences(pub usize);

impl Default for Precedences {
    fn default() -> Precedences {
        Precedences(PRECEDENCES)
    }
}

impl Physical {
    /// Packets stored.
    pub fn len(&self) -> usize {
        self.fifo.len()
    }

    /// Bytes stored.
    pub fn bytes(&self) -> i64 {
        self.fifo.bytes()
    }

    /// Sets the parameters of a precedence.
    pub fn configure(&mut self, precedence: usize, thresholds: (f64, f64), most: f64, weight: f64, now_s: f64) {
        let red = &mut self.red[precedence];
        (red.th_min, red.th_max) = thresholds;
        red.max_p_inv = 1.0 / most;
        red.weight = weight;
        red.length = 0;
        red.average = 0.0;
        red.idle = true;
        red.idle_since_s = now_s;
    }

    /// Sets the mean packet size.
    pub fn set_mean_bytes(&mut self, bytes: i32) {
        let used = self.precedences.0;
        self.red[..used].iter_mut().for_each(|red| red.mean_bytes = bytes);
    }

    /// Sets the link's rate, bit/s.
    pub fn set_rate(&mut self, rate_bps: f64) {
        let used = self.precedences.0;
        for red in &mut self.red[..used] {
            red.packets_per_s = rate_bps / (8.0 * f64::from(red.mean_bytes));
        }
    }

    /// The average length.
    pub fn average(&self) -> f64 {
        let used = &self.red[..self.precedences.0];
        match self.kind {
            Average::Coupled => used.last().map_or(0.0, |red| red.average),
            _ => used.iter().fold(0.0, |sum, red| sum + red.average),
        }
    }

    /// The average length of a precedence.
    pub fn average_of(&self, precedence: usize) -> f64 {
        self.red[precedence].average
    }

    /// The present length of a precedence.
    pub fn length_of(&self, precedence: usize) -> i32 {
        self.red[precedence].length
    }

    /// Removes the oldest packet.
    pub fn pop(&mut self, pool: &PacketPool) -> Option<PacketId> {
        self.fifo.pop(pool)
    }

    /// A packet of this precedence was dequeued.
    pub fn taken(&mut self, precedence: usize, now_s: f64) {
        self.red[precedence].length -= 1;
        if self.red[precedence].length != 0 {
            return;
        }
        let idle = match self.kind {
            Average::Coupled => {
                if self.red[..precedence].iter().any(|red| red.length != 0) {
                    return;
                }
                let empty = self.red[precedence..self.precedences.0.max(precedence)].iter();
                precedence..precedence + empty.take_while(|red| red.length == 0).count()
            }
            Average::Decoupled => precedence..precedence + 1,
            Average::Weighted => 0..1,
            Average::None => return,
        };
        for red in &mut self.red[idle] {
            red.idle = true;
            red.idle_since_s = now_s;
        }
    }

    fn no_longer_idle(&mut self, precedence: usize) {
        let busy = match self.kind {
            Average::Coupled => precedence..self.precedences.0.max(precedence),
            Average::Decoupled => precedence..precedence + 1,
            Average::Weighted | Average::None => 0..1,
        };
        self.red[busy].iter_mut().for_each(|red| red.idle = false);
    }

    /// Updates the average of `precedence` at an arrival. Single precision, as in ns-2.
    fn update_average(&mut self, precedence: usize, packets: i32) {
        let red = &self.red[precedence];
        let keep = 1.0 - red.weight;
        let mut average = red.average as f32;
        for _ in 0..packets.max(1) {
            average = (f64::from(average) * keep) as f32;
        }
        let add = |average: f32, weight: f64, length: i32| (f64::from(average) + weight * f64::from(length)) as f32;
        match self.kind {
            Average::Coupled => {
                for part in &self.red[..=precedence] {
                    average = add(average, part.weight, part.length);
                }
            }
            Average::Decoupled => average = add(average, red.weight, red.length),
            Average::Weighted | Average::None => average = add(average, red.weight, self.fifo.len() as i32),
        }
        if self.kind == Average::Weighted {
            let used = self.precedences.0;
            self.red[..used].iter_mut().for_each(|red| red.average = f64::from(average));
        } else {
            self.red[precedence].average = f64::from(average);
        }
    }

    /// Packets that the link could have sent while the precedence was idle.
    fn idle_packets(&self, precedence: usize, now_s: f64) -> i32 {
        let red = &self.red[precedence];
        if red.idle { cut(red.packets_per_s * (now_s - red.idle_since_s)) } else { 0 }
    }

    fn update_averages(&mut self, precedence: usize, now_s: f64) {
        let updated = match self.kind {
            Average::Coupled => precedence..self.precedences.0.max(precedence),
            Average::Decoupled => precedence..precedence + 1,
            Average::Weighted => 0..1,
            Average::None => return,
        };
        for index in updated {
            let idle = self.idle_packets(index, now_s);
            self.update_average(index, idle.wrapping_add(1));
        }
    }

    fn store(&mut self, id: PacketId, precedence: usize, pool: &PacketPool) {
        self.fifo.push(id, pool);
        self.red[precedence].length += 1;
    }

    /// Enqueues a packet unless it is dropped. With `may_mark` it is stored if the queue is not full, and marked
    /// instead of dropped.
    pub fn enqueue(&mut self, id: PacketId, precedence: usize, may_mark: bool, context: &mut QueueContext) -> Verdict {
        if self.fifo.len() as i64 > i64::from(self.limit) - 1 {
            return Verdict::Dropped;
        }
        let red = &self.red[precedence];
        if self.kind == Average::None && f64::from(red.length) >= red.th_min {
            return Verdict::Dropped;
        }
        self.update_averages(precedence, context.now.secs());
        if may_mark {
            self.store(id, precedence, context.packets);
        }
        let red = &mut self.red[precedence];
        let mut verdict = Verdict::Stored;
        if red.average > red.th_min {
            if red.average <= red.th_max {
                red.count += 1;
                let most = 1.0 / red.max_p_inv;
                let base = most * (red.average - red.th_min) / (red.th_max - red.th_min);
                let probability = base / (1.0 - f64::from(red.count) * base);
                if context.rng.uniform(0.0, 1.0) <= probability {
                    red.count = 0;
                    verdict = Verdict::DroppedEarly;
                }
            } else {
                red.count = 0;
                verdict = Verdict::Dropped;
            }
        } else {
            red.count = -1;
        }
        if may_mark {
            self.no_longer_idle(precedence);
            return if verdict == Verdict::Stored { verdict } else { Verdict::Marked };
        }
        if verdict == Verdict::Stored {
            self.store(id, precedence, context.packets);
            self.no_longer_idle(precedence);
        }
        verdict
    }
}
