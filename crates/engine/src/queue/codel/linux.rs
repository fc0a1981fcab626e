//! CoDel as Linux has it, where that is not RFC 8289's pseudo-code.
//!
//! Source: Linux 6.12, include/net/codel_impl.h, codel.h.
//! What it decides: the next drop comes after `interval` / sqrt(count), with a root that each drop improves by one of
//! Newton's steps, in 16 bits: the second drop comes after half an interval, not 0.707 of one. A drop needs that more
//! than a full packet (1514 bytes) waits, in all flows together. When the dropping state is entered again soon, the
//! root is that of the count before. Times are counted in units of 1024 ns.

use super::Settings;
use crate::packet::PacketId;
use crate::queue::{QueueContext, TimedFifo};

/// A full packet, bytes.
const MTU: i64 = 1514;
/// The steps of roots.
const BITS: f64 = 65_536.0;

/// A time in units of 1024 ns.
fn ticks(seconds: f64) -> i64 {
    (seconds * 1e9 + 0.5) as i64 >> 10
}

/// The state of one queue.
#[derive(Default)]
pub struct LinuxState {
    count: u32,
    last_count: u32,
    is_dropping: bool,
    /// About 1 / sqrt(`count`), in steps of 1/65536.
    root: f64,
    first_above: Option<i64>,
    drop_next: i64,
}

/// A packet that left its line.
struct Leaving {
    packet: PacketId,
    waited: i64,
    may_drop: bool,
}

impl LinuxState {
    /// Removes the next packet, after any that CoDel drops. `others`: bytes in other lines.
    pub fn dequeue(
        &mut self,
        line: &mut TimedFifo,
        others: i64,
        settings: &Settings,
        context: &mut QueueContext,
    ) -> Option<PacketId> {
        let now = ticks(context.now.secs());
        let Some(mut next) = self.leave(line, others, settings, context) else {
            self.found_empty();
            return None;
        };
        if self.is_dropping {
            self.is_dropping = next.may_drop;
            while self.is_dropping && now >= self.drop_next {
                self.count = self.count.wrapping_add(1);
                self.improve_root();
                if settings.mark(Some(next.packet), context) {
                    self.drop_next = self.control_law(self.drop_next, settings);
                    break;
                }
                context.dropped_early.push(next.packet);
                let Some(following) = self.leave(line, others, settings, context) else {
                    (self.first_above, self.is_dropping) = (None, false);
                    return None;
                };
                next = following;
                self.is_dropping = next.may_drop;
                if self.is_dropping {
                    self.drop_next = self.control_law(self.drop_next, settings);
                }
            }
        } else if next.may_drop {
            let mut is_over = false;
            if !settings.mark(Some(next.packet), context) {
                context.dropped_early.push(next.packet);
                match self.leave(line, others, settings, context) {
                    Some(following) => next = following,
                    None => is_over = true,
                }
            }
            self.enter(now, settings);
            if is_over {
                self.first_above = None;
                return None;
            }
        }
        if settings.ce_threshold > 0.0 && next.waited > ticks(settings.ce_threshold) {
            settings.mark_selected(Some(next.packet), context);
        }
        Some(next.packet)
    }

    /// Enters the dropping state.
    fn enter(&mut self, now: i64, settings: &Settings) {
        self.is_dropping = true;
        let since = self.count.wrapping_sub(self.last_count);
        if since > 1 && since < 1 << 31 && now - self.drop_next < 16 * ticks(settings.interval) {
            self.count = since;
            self.improve_root();
        } else {
            (self.count, self.root) = (1, (BITS - 1.0) / BITS);
        }
        self.last_count = self.count;
        self.drop_next = self.control_law(now, settings);
    }

    fn leave(
        &mut self,
        line: &mut TimedFifo,
        others: i64,
        settings: &Settings,
        context: &mut QueueContext,
    ) -> Option<Leaving> {
        let (packet, waited_s) = line.pop(context)?;
        let now = ticks(context.now.secs());
        let waited = now - ticks(context.now.secs() - waited_s);
        let mut may_drop = false;
        if waited < ticks(settings.target) || line.bytes() + others <= MTU {
            self.first_above = None;
        } else if let Some(first_above) = self.first_above {
            may_drop = now > first_above;
        } else {
            self.first_above = Some(now + ticks(settings.interval));
        }
        Some(Leaving { packet, waited, may_drop })
    }

    /// One of Newton's steps towards 1 / sqrt(`count`).
    fn improve_root(&mut self) {
        let better = 0.5 * self.root * (3.0 - f64::from(self.count) * self.root * self.root);
        self.root = (better * BITS).floor().rem_euclid(BITS) / BITS;
    }

    fn control_law(&self, from: i64, settings: &Settings) -> i64 {
        from + (ticks(settings.interval) as f64 * self.root) as i64
    }

    /// This many packets were dropped because the queue is full: signals become more frequent.
    pub fn overflowed(&mut self, dropped: usize) {
        self.count = self.count.wrapping_add(dropped as u32);
    }

    /// The transmitter found the queue empty.
    pub fn found_empty(&mut self) {
        (self.first_above, self.is_dropping) = (None, false);
    }
}

#[cfg(test)]
mod tests {
    use super::{BITS, LinuxState};

    // Newton's step from x is x (3 - n x^2) / 2: from 1 with n = 2 it is 0.5, then with n = 3 0.25 (3 - 0.75) = 0.5625,
    // then with n = 4 0.28125 (3 - 4 0.31640625) = 0.48779...
    #[test]
    fn roots_come_from_newtons_steps() {
        let mut law = LinuxState { count: 1, root: 1.0, ..LinuxState::default() };
        for (count, root) in [(2, 0.5), (3, 0.5625), (4, 0.487_793)] {
            law.count = count;
            law.improve_root();
            assert!((law.root - root).abs() < 1.5 / BITS, "{count}: {}", law.root);
        }
    }
}
