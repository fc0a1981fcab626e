//! COBALT: CoDel with a gradually decreasing count, plus BLUE for unresponsive flows.
//!
//! Source: J. Palmei et al., "Design and evaluation of COBALT queue discipline", IEEE LANMAN 2019; Linux's CAKE uses
//! this algorithm.
//! What it decides: while sojourn times exceed `target`, a packet is dropped or marked every `interval` / sqrt(count).
//! After that the count decreases by one at each of these instants instead of resetting. An overflow raises the drop
//! probability by `increment`, an empty queue lowers it by `decrement`. Each change comes more than `target` after the
//! last one. The last packet of a queue is never dropped.
//! With `as_linux` (Linux 6.12, net/sched/sch_cake.c) roots of counts from 16 on come from one of Newton's steps, and the
//! first drop of a new queue comes with the second packet that waited too long: Linux's root is 0 until then.
//! Departures: square roots are exact without `as_linux`.
//! Not implemented: none.
//! Checked against: an independent transcription, packet by packet (tests/spec/test_aqm.py); in CAKE with `as_linux` the C
//! of Linux 6.12 (tests/oracle/kernel_queues).

pub mod cake;

use super::{Discipline, Entry, QueueContext, TimedFifo, limited_to_packets};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "cobalt",
    about: "CoDel, plus BLUE for flows that do not respond (Palmei et al. 2019)",
    make: || Box::new(Cobalt::default()),
};

/// COBALT's parameters.
#[derive(Clone, Copy, Params)]
pub struct Settings {
    /// Target queueing delay, s; in CAKE more on a slow link.
    #[param("s")]
    pub target: f64,
    /// Initial time between drops, s; in CAKE more on a slow link.
    #[param("s")]
    pub interval: f64,
    /// Whether ECN-capable packets are marked instead of dropped, but for overflows.
    #[param("flag")]
    pub ecn: bool,
    /// Not parameters of CAKE.
    pub steps: BlueSteps,
    /// Sojourn times up to this value never count as above the target, s.
    pub least_wait: f64,
    /// Whether COBALT's roots and first drop are as in Linux.
    #[param("flag")]
    pub as_linux: bool,
}

/// How BLUE changes its drop probability.
#[derive(Clone, Copy, Params)]
pub struct BlueSteps {
    /// Increase of the probability per overflow.
    #[param("")]
    pub increment: f64,
    /// Decrease of the probability per empty queue.
    #[param("")]
    pub decrement: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            target: 0.005,
            interval: 0.1,
            ecn: true,
            steps: BlueSteps { increment: 1.0 / 256.0, decrement: 1.0 / 4096.0 },
            least_wait: 0.0,
            as_linux: false,
        }
    }
}

/// The COBALT state of one queue.
#[derive(Default)]
pub struct CobaltState {
    count: u32,
    /// 1 / sqrt(`count`) as Linux has it: 0 until `count` changes for the first time.
    root: f64,
    is_dropping: bool,
    /// With a nonzero count: the time of the next change of the count. Otherwise: until when the state is not at rest.
    drop_next: Time,
    /// BLUE's drop probability.
    probability: f64,
    probability_changed: Time,
}

impl CobaltState {
    /// Whether a dequeued packet is dropped; it may be marked instead.
    pub fn drops(&mut self, packet: PacketId, waited_s: f64, settings: &Settings, context: &mut QueueContext) -> bool {
        let now = context.now;
        let (mut is_due, mut is_past) = (self.is_due(now), now > self.drop_next);
        if waited_s > settings.target && waited_s > settings.least_wait {
            if !self.is_dropping {
                self.is_dropping = true;
                self.drop_next = self.step(now, settings);
            }
            self.count = self.count.max(1);
        } else {
            self.is_dropping = false;
        }
        let mut drops = false;
        if is_due && self.is_dropping {
            drops = !(settings.ecn && context.packets[packet].mark());
            self.set_count(self.count.saturating_add(1));
            self.drop_next = self.step(self.drop_next, settings);
            is_past = now > self.drop_next;
        }
        while is_due && !self.is_dropping {
            self.set_count(self.count - 1);
            self.drop_next = self.step(self.drop_next, settings);
            (is_due, is_past) = (self.is_due(now), now > self.drop_next);
        }
        if self.probability > 0.0 {
            drops |= context.rng.unit() < self.probability;
        }
        if self.count == 0 {
            self.drop_next = now + settings.interval;
        } else if is_past && !drops {
            self.drop_next = now;
        }
        drops
    }

    fn is_due(&self, now: Time) -> bool {
        self.count > 0 && now >= self.drop_next
    }

    fn set_count(&mut self, count: u32) {
        self.count = count;
        let exact = 1.0 / f64::from(count.max(1)).sqrt();
        // Linux has the roots of small counts in a table, and makes one of Newton's steps for the others.
        self.root = if count < 16 { exact } else { 0.5 * self.root * (3.0 - f64::from(count) * self.root * self.root) };
    }

    fn step(&self, from: Time, settings: &Settings) -> Time {
        if settings.as_linux {
            return from + settings.interval * self.root;
        }
        from + settings.interval / f64::from(self.count.max(1)).sqrt()
    }

    /// The queue has overflowed.
    pub fn overflowed(&mut self, now: Time, settings: &Settings) {
        if now - self.probability_changed > settings.target {
            self.probability = (self.probability + settings.steps.increment).min(1.0);
            self.probability_changed = now;
        }
        self.is_dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// The transmitter found the queue empty.
    pub fn found_empty(&mut self, now: Time, settings: &Settings) {
        if self.probability > 0.0 && now - self.probability_changed > settings.target {
            self.probability = (self.probability - settings.steps.decrement).max(0.0);
            self.probability_changed = now;
        }
        self.is_dropping = false;
        if self.is_due(now) {
            self.set_count(self.count - 1);
            self.drop_next = self.step(self.drop_next, settings);
        }
    }

    /// Whether the state keeps no effect of earlier congestion.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.probability == 0.0 && self.count == 0 && now >= self.drop_next
    }
}

#[derive(Params)]
struct Cobalt {
    /// Maximum queue length, packets.
    #[param("packets")]
    limit: i32,
    #[param(flatten)]
    #[param(flatten, field = steps)]
    settings: Settings,
    law: CobaltState,
    line: TimedFifo,
}

impl Default for Cobalt {
    fn default() -> Cobalt {
        Cobalt { limit: 1000, settings: Settings::default(), law: CobaltState::default(), line: TimedFifo::default() }
    }
}

impl Discipline for Cobalt {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if (self.line.len() as i64) < i64::from(self.limit) {
            self.line.push(packet, context);
        } else {
            self.law.overflowed(context.now, &self.settings);
            context.dropped.push(packet);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        loop {
            let (packet, waited_s) = self.line.pop(context)?;
            if !self.law.drops(packet, waited_s, &self.settings, context) || self.line.is_empty() {
                return Some(packet);
            }
            context.dropped_early.push(packet);
        }
    }

    fn found_empty(&mut self, at: Time) {
        self.law.found_empty(at, &self.settings);
    }

    limited_to_packets!(line);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.law = CobaltState::default();
        self.line.drop_all(context);
    }
}
