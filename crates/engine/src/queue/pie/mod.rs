//! PIE: drops packets on arrival, with a probability that follows the queueing delay and its change.
//!
//! Source: RFC 8033, sections 4.1 (random dropping), 4.2 (the probability), 4.3 (the delay), 4.4 (bursts), 5.1 (ECN),
//! and as options 5.2 (`dq_rate_estimator`), 5.4 (`derandomization`), 5.5 (`cap_drop_adjustment`).
//! What it decides: every `tupdate` the probability changes by `alpha` * (delay - `target`) + `beta` * (change of
//! delay). The step is scaled down while the probability is low. Each arrival is dropped or marked with this
//! probability. Exceptions are a burst allowance of `max_burst` after idle times, and a nearly empty queue.
//! Departures: none. Without `dq_rate_estimator` the delay is the sojourn time of the last packet that left (section
//! 4.3 allows timestamps), and 0 when the queue is empty.
//! With `as_linux` it is Linux's PIE instead (`linux.rs`).
//! Not implemented: switching PIE off and on (section 5.3).
//! Checked against: the table of section 4.2 by hand below; an independent transcription of the RFC, packet by packet
//! (tests/spec/test_aqm.py); with `as_linux` the C of Linux 6.12 on the same packets (tests/oracle/kernel_queues).

mod delay;
pub mod fq_pie;
mod linux;
mod settings;

use super::{Discipline, Entry, QueueContext, QueueLimit, TimedFifo, lengths_of};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::Time;
use delay::Delay;
use linux::LinuxState;
pub use settings::Settings;
use settings::step_scale;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "pie",
    about: "proportional-integral controller enhanced: the drop probability follows the delay (RFC 8033)",
    make: || Box::new(Pie::default()),
};

/// The PIE state of one queue.
#[derive(Params)]
pub struct PieState {
    #[param(state, name = "prob")]
    probability: f64,
    /// Sum of the probabilities since the last drop (`accu_prob` of the RFC).
    accumulated: f64,
    delay: Delay,
    /// The delay at the last update, s.
    delay_before_s: f64,
    /// Remaining burst allowance, s; `None` before the first packet.
    burst_left_s: Option<f64>,
    linux: LinuxState,
}

impl Default for PieState {
    fn default() -> PieState {
        PieState {
            probability: 0.0,
            accumulated: 0.0,
            delay: Delay::default(),
            delay_before_s: 0.0,
            burst_left_s: None,
            linux: LinuxState::default(),
        }
    }
}

impl PieState {
    /// Whether the arriving packet is dropped; it may be marked instead. `waiting`: bytes in the queue.
    pub fn drops(&mut self, packet: PacketId, waiting: i64, settings: &Settings, context: &mut QueueContext) -> bool {
        if settings.as_linux {
            return self.linux.drops(packet, waiting, settings, context);
        }
        let is_calm = |delay_s: f64| delay_s < settings.target / 2.0;
        let now_calm = is_calm(self.delay.secs(waiting, settings));
        if self.burst_left_s.is_none() || self.probability == 0.0 && now_calm && is_calm(self.delay_before_s) {
            self.burst_left_s = Some(settings.max_burst);
        }
        if self.burst_left_s > Some(0.0)
            || is_calm(self.delay_before_s) && self.probability < 0.2
            || waiting <= 2 * i64::from(settings.mean_pktsize)
            || !self.is_picked(settings, context)
        {
            return false;
        }
        self.accumulated = 0.0;
        !(settings.ecn && self.probability < settings.mark_ecnth && context.packets[packet].mark())
    }

    fn is_picked(&mut self, settings: &Settings, context: &mut QueueContext) -> bool {
        if settings.derandomization {
            if self.probability == 0.0 {
                self.accumulated = 0.0;
            }
            self.accumulated += self.probability;
            if self.accumulated < 0.85 {
                return false;
            }
            if self.accumulated >= 8.5 {
                return true;
            }
        }
        context.rng.unit() < self.probability
    }

    /// An arrival was dropped because the queue is full.
    pub fn overflowed(&mut self) {
        self.linux.overflowed();
    }

    /// A packet has left. `waiting`: bytes that remain in the queue.
    pub fn left(&mut self, size: i32, waited_s: f64, waiting: i64, settings: &Settings, now: Time) {
        if settings.as_linux {
            self.linux.left(size, waited_s, waiting, settings, now);
            return;
        }
        self.delay.left(size, waited_s, waiting, settings, now);
    }

    /// The periodic update of the probability. `waiting`: bytes in the queue.
    pub fn update(&mut self, waiting: i64, settings: &Settings) {
        if settings.as_linux {
            self.linux.update(waiting, settings);
            self.probability = self.linux.probability;
            return;
        }
        let delay_s = self.delay.secs(waiting, settings);
        let mut step = settings.alpha * (delay_s - settings.target) + settings.beta * (delay_s - self.delay_before_s);
        step /= step_scale(self.probability);
        if settings.cap_drop_adjustment && self.probability >= 0.1 {
            step = step.min(0.02);
        }
        self.probability += step;
        if delay_s == 0.0 && self.delay_before_s == 0.0 {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.delay_before_s = delay_s;
        self.burst_left_s = self.burst_left_s.map(|left_s| (left_s - settings.tupdate).max(0.0));
    }
}

#[derive(Params)]
struct Pie {
    /// Maximum queue length, packets (times `mean_pktsize`: bytes).
    #[param("packets")]
    limit: i32,
    /// Whether the limit counts bytes.
    #[param("flag")]
    queue_in_bytes: bool,
    #[param(flatten)]
    settings: Settings,
    #[param(flatten)]
    law: PieState,
    line: TimedFifo,
}

impl Default for Pie {
    fn default() -> Pie {
        Pie {
            limit: 1000,
            queue_in_bytes: false,
            settings: Settings::default(),
            law: PieState::default(),
            line: TimedFifo::default(),
        }
    }
}

impl Discipline for Pie {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let limit = i64::from(self.limit);
        let is_full = if self.queue_in_bytes {
            self.line.bytes() >= limit * i64::from(self.settings.mean_pktsize)
        } else {
            self.line.len() as i64 >= limit
        };
        if is_full {
            self.law.overflowed();
            context.dropped.push(packet);
        } else if self.law.drops(packet, self.line.bytes(), &self.settings, context) {
            context.dropped_early.push(packet);
        } else {
            self.line.push(packet, context);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let (packet, waited_s) = self.line.pop(context)?;
        let size = context.packets[packet].size;
        self.law.left(size, waited_s, self.line.bytes(), &self.settings, context.now);
        Some(packet)
    }

    fn timer(&mut self, context: &mut QueueContext) {
        self.law.update(self.line.bytes(), &self.settings);
        context.wake_after(self.settings.tupdate);
    }

    fn limit(&self) -> QueueLimit {
        let limit = i64::from(self.limit);
        if self.queue_in_bytes {
            QueueLimit::Bytes(limit * i64::from(self.settings.mean_pktsize))
        } else {
            QueueLimit::Packets(limit)
        }
    }

    lengths_of!(line);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.law = PieState::default();
        self.line.drop_all(context);
        context.wake_after(self.settings.first_update_s());
    }
}

#[cfg(test)]
mod tests {
    use super::{PieState, Settings};

    /// A PIE state with this probability, whose delay has been 20 ms for a long time.
    fn at(probability: f64) -> PieState {
        let mut law = PieState { probability, delay_before_s: 0.02, ..PieState::default() };
        law.delay.set(0.02);
        law
    }

    // alpha (20 ms - 15 ms) = 0.125/s 0.005 s = 0.000625, divided by the table's divisor for each decade.
    #[test]
    fn steps_are_the_smaller_the_smaller_the_probability() {
        let table = [
            (0.0, 2048.0),
            (0.000_000_9, 2048.0),
            (0.000_001, 512.0),
            (0.000_01, 128.0),
            (0.000_1, 32.0),
            (0.001, 8.0),
            (0.01, 2.0),
            (0.1, 1.0),
            (0.5, 1.0),
        ];
        for (probability, scale) in table {
            let mut law = at(probability);
            law.update(3000, &Settings::default());
            assert!((law.probability - probability - 0.000_625 / scale).abs() < 1e-15, "{probability}");
        }
    }

    // From 20 ms to 35 ms: 0.125 0.020 + 1.25 0.015 = 0.02125. At 0.3 the divisor is 1; the cap is 0.02.
    #[test]
    fn the_change_of_the_delay_counts() {
        for (is_capped, step) in [(false, 0.021_25), (true, 0.02)] {
            let mut law = at(0.3);
            law.delay.set(0.035);
            law.update(3000, &Settings { cap_drop_adjustment: is_capped, ..Settings::default() });
            assert!((law.probability - 0.3 - step).abs() < 1e-12);
        }
    }

    // Two updates without delay: 0.3 - 0.125 0.015 = 0.298125, times 0.98.
    #[test]
    fn the_probability_decays_when_the_queue_is_empty() {
        let mut law = PieState { probability: 0.3, ..PieState::default() };
        law.update(0, &Settings::default());
        assert!((law.probability - 0.292_162_5).abs() < 1e-12);
    }

    // 150 ms are ten updates of 15 ms.
    #[test]
    fn a_burst_lasts_for_ten_updates() {
        let mut law = PieState { burst_left_s: Some(0.15), ..at(0.3) };
        for _ in 0..9 {
            law.update(3000, &Settings::default());
            assert!(law.burst_left_s > Some(0.0));
        }
        law.update(3000, &Settings::default());
        assert!(law.burst_left_s.is_some_and(|left_s| left_s < 1e-12));
    }
}
