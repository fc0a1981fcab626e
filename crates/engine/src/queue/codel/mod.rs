//! CoDel: drops packets at dequeue, at a growing rate, while the sojourn time stays above the target.
//!
//! Source: RFC 8289, sections 5.5 (`dequeue`) and 5.6 (`control_law`, `dodequeue`). RFC 8289 leaves marking open; marks
//! instead of drops and `ce_threshold` are as in Linux's `codel` (tc-codel(8)).
//! What it decides: when the sojourn time has been at least `target` for an `interval`, a packet is dropped. The
//! following drops come after `interval` / sqrt(1), then sqrt(2), sqrt(3) and so on. The dropping state ends when a
//! sojourn time is below the target, or when at most one packet's bytes wait.
//! With `as_linux` it is Linux's CoDel instead (`linux.rs`).
//! Departures: none. "One packet" is the largest packet that this queue has seen.
//! Not implemented: none.
//! Checked against: drop times computed by hand below; an independent transcription of the RFC's pseudo-code, packet by
//! packet (tests/spec/test_aqm.py); with `as_linux` the C of Linux 6.12 on the same packets (tests/oracle/kernel_queues).

pub mod fq_codel;
mod linux;
mod settings;

use super::{Discipline, Entry, QueueContext, TimedFifo, limited_to_packets};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::Time;
use linux::LinuxState;
pub use settings::Settings;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "codel",
    about: "controlled delay: drops at growing frequency while the queueing delay stays above a target (RFC 8289)",
    make: || Box::new(CoDel::default()),
};

/// The CoDel state of one queue.
#[derive(Default)]
pub struct CodelState {
    /// When the first drop may come: `interval` after the sojourn time rose above the target. `None` while it is below.
    first_above: Option<Time>,
    drop_next: Time,
    /// Drops since the dropping state began.
    count: u32,
    /// The initial `count` of the last dropping state.
    last_count: u32,
    is_dropping: bool,
    /// The largest packet so far, bytes.
    biggest: i32,
    linux: LinuxState,
}

/// A dequeued packet, if there was one (`dodequeue` of the RFC).
struct Leaving {
    packet: Option<PacketId>,
    waited_s: f64,
    may_drop: bool,
}

impl CodelState {
    /// Removes the next packet, after any that CoDel drops. `others`: bytes in other lines, which only Linux's CoDel
    /// uses.
    pub fn dequeue(
        &mut self,
        line: &mut TimedFifo,
        others: i64,
        settings: &Settings,
        context: &mut QueueContext,
    ) -> Option<PacketId> {
        if settings.as_linux {
            return self.linux.dequeue(line, others, settings, context);
        }
        let now = context.now;
        let mut next = self.leave(line, settings, context);
        if self.is_dropping {
            self.is_dropping = next.may_drop;
            while self.is_dropping && now >= self.drop_next {
                self.count += 1;
                let is_marked = settings.mark(next.packet, context);
                if !is_marked {
                    context.dropped_early.extend(next.packet);
                    next = self.leave(line, settings, context);
                    self.is_dropping = next.may_drop;
                }
                if self.is_dropping {
                    self.drop_next = self.control_law(self.drop_next, settings);
                }
                if is_marked {
                    break;
                }
            }
        } else if next.may_drop {
            if !settings.mark(next.packet, context) {
                context.dropped_early.extend(next.packet);
                next = self.leave(line, settings, context);
            }
            self.is_dropping = true;
            // Resume from the drop rate of the last dropping state if it ended recently.
            let since = self.count - self.last_count;
            let is_recent = now - self.drop_next < 16.0 * settings.interval;
            self.count = if since > 1 && is_recent { since } else { 1 };
            self.last_count = self.count;
            self.drop_next = self.control_law(now, settings);
        }
        if settings.ce_threshold > 0.0 && next.waited_s > settings.ce_threshold {
            settings.mark_selected(next.packet, context);
        }
        next.packet
    }

    /// Removes the oldest packet and decides whether it may be dropped.
    fn leave(&mut self, line: &mut TimedFifo, settings: &Settings, context: &mut QueueContext) -> Leaving {
        let Some((packet, waited_s)) = line.pop(context) else {
            self.first_above = None;
            return Leaving { packet: None, waited_s: 0.0, may_drop: false };
        };
        self.biggest = self.biggest.max(context.packets[packet].size);
        let mut may_drop = false;
        if waited_s < settings.target || line.bytes() <= i64::from(self.biggest) {
            self.first_above = None;
        } else if let Some(first_above) = self.first_above {
            may_drop = context.now >= first_above;
        } else {
            self.first_above = Some(context.now + settings.interval);
        }
        Leaving { packet: Some(packet), waited_s, may_drop }
    }

    fn control_law(&self, from: Time, settings: &Settings) -> Time {
        from + settings.interval / f64::from(self.count).sqrt()
    }

    /// This many packets were dropped because the queue is full. The RFC does not use it.
    fn overflowed(&mut self, dropped: usize) {
        self.linux.overflowed(dropped);
    }

    /// The transmitter found the queue empty.
    pub fn found_empty(&mut self) {
        self.linux.found_empty();
        self.first_above = None;
        self.is_dropping = false;
    }
}

#[derive(Params)]
struct CoDel {
    /// Maximum queue length, packets.
    #[param("packets")]
    limit: i32,
    #[param(flatten)]
    settings: Settings,
    law: CodelState,
    line: TimedFifo,
}

impl Default for CoDel {
    fn default() -> CoDel {
        CoDel {
            limit: 1000,
            settings: Settings::new(0.005, 0.1, false),
            law: CodelState::default(),
            line: TimedFifo::default(),
        }
    }
}

impl Discipline for CoDel {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if (self.line.len() as i64) < i64::from(self.limit) {
            self.line.push(packet, context);
        } else {
            context.dropped.push(packet);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.law.dequeue(&mut self.line, 0, &self.settings, context)
    }

    fn found_empty(&mut self, _: Time) {
        self.law.found_empty();
    }

    limited_to_packets!(line);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.law = CodelState::default();
        self.line.drop_all(context);
    }
}
