//! PIE as Linux has it, where that is not RFC 8033's base.
//!
//! Source: Linux 6.12, net/sched/sch_pie.c and include/net/pie.h; tc-pie(8).
//! What it decides: drops are spread evenly (RFC 8033, 5.4). A step of the probability is at most 0.02 from 0.1 on
//! (5.5), and 0.02 more when the delay is above 250 ms. Nothing is dropped while less than two full packets wait, or
//! while the delay is below half the target and the probability below 0.2. The burst allowance decreases with time as
//! packets leave, and is there again when the probability is 0 and two delays were below half the target. With
//! `bytemode` small packets are dropped less. The first update comes after 0.5 s.
//! Departures: probabilities are floating-point numbers. Times are counted in Linux's units of 64 ns.

use super::settings::{Settings, step_scale};
use crate::packet::PacketId;
use crate::queue::QueueContext;
use crate::time::Time;

/// A full packet, bytes.
const MTU: i64 = 1514;
/// Backlog from which the departure rate is measured, and the bytes of a measurement.
const THRESHOLD: i64 = 16_384;
/// A delay from here on makes the probability grow faster: 250 ms.
const LONG_DELAY: i64 = ticks(0.25);
/// Linux's probabilities are 64-bit numbers, of which 56 are the fraction. Only the overflow limits them.
const OVERFLOW: f64 = 256.0;

/// A time in units of 64 ns.
const fn ticks(seconds: f64) -> i64 {
    (seconds * 1e9 + 0.5) as i64 >> 6
}

/// The state of one queue.
#[derive(Default)]
pub struct LinuxState {
    pub probability: f64,
    /// Sum of the probabilities since the last random drop.
    accumulated: f64,
    delay: i64,
    delay_before: i64,
    /// Remaining burst allowance; `None` before the first packet.
    burst: Option<i64>,
    /// When the last packet left, or when the measurement of the departure rate began.
    since: Option<i64>,
    /// Bytes that have left in this measurement.
    measured: Option<i64>,
    /// The departure rate, bytes in 256 ticks; 0 before the first measurement.
    rate: i64,
}

impl LinuxState {
    /// Whether the arriving packet is dropped; it may be marked instead. `waiting`: bytes in the queue.
    pub fn drops(&mut self, packet: PacketId, waiting: i64, settings: &Settings, context: &mut QueueContext) -> bool {
        self.burst.get_or_insert(ticks(settings.max_burst));
        if !self.is_picked(i64::from(context.packets[packet].size), waiting, settings, context) {
            return false;
        }
        if settings.ecn && self.probability <= settings.mark_ecnth && context.packets[packet].mark() {
            return false;
        }
        self.accumulated = 0.0;
        true
    }

    fn is_picked(&mut self, size: i64, waiting: i64, settings: &Settings, context: &mut QueueContext) -> bool {
        let is_calm = self.delay < ticks(settings.target) / 2 && self.probability < 0.2;
        if self.burst > Some(0) || is_calm || waiting < 2 * MTU {
            return false;
        }
        let share = if settings.bytemode && size <= MTU { size as f64 / MTU as f64 } else { 1.0 };
        let probability = self.probability * share;
        self.accumulated = if probability == 0.0 { 0.0 } else { self.accumulated + probability };
        if self.accumulated < 0.85 {
            return false;
        }
        if self.accumulated >= 8.5 {
            return true;
        }
        let is_picked = context.rng.unit() < probability;
        if is_picked {
            self.accumulated = 0.0;
        }
        is_picked
    }

    /// An arrival was dropped because the queue is full.
    pub fn overflowed(&mut self) {
        self.accumulated = 0.0;
    }

    /// A packet has left. `waiting`: bytes that remain in the queue.
    pub fn left(&mut self, size: i32, waited_s: f64, waiting: i64, settings: &Settings, now: Time) {
        let (now, came) = (ticks(now.secs()), ticks(now.secs() - waited_s));
        let mut passed = 0;
        if settings.dq_rate_estimator {
            passed = self.measure(i64::from(size), waiting, now).unwrap_or(0);
        } else {
            self.delay = if waiting > 0 { now - came } else { 0 };
            if let Some(since) = self.since.replace(now) {
                passed = now - since;
            }
        }
        self.burst = self.burst.map(|burst| (burst - passed).max(0));
    }

    /// Measures the departure rate; returns how long a measurement took that has ended.
    fn measure(&mut self, size: i64, waiting: i64, now: i64) -> Option<i64> {
        if waiting >= THRESHOLD && self.measured.is_none() {
            (self.since, self.measured) = (Some(now), Some(0));
        }
        let measured = self.measured.as_mut()?;
        *measured += size;
        let passed = now - self.since?;
        if *measured < THRESHOLD || passed == 0 {
            return None;
        }
        let rate = (*measured << 8) / passed;
        self.rate = if self.rate == 0 { rate } else { self.rate - (self.rate >> 3) + (rate >> 3) };
        self.measured = (waiting >= THRESHOLD).then_some(0);
        self.since = Some(now);
        Some(passed)
    }

    /// The periodic update of the probability. `waiting`: bytes in the queue.
    pub fn update(&mut self, waiting: i64, settings: &Settings) {
        let target = ticks(settings.target);
        if settings.dq_rate_estimator {
            self.delay_before = self.delay;
            self.delay = if self.rate > 0 { (waiting << 8) / self.rate } else { 0 };
        }
        let seconds = |ticks: i64| ticks as f64 * 64e-9;
        let scale = step_scale(self.probability);
        let change = settings.beta * seconds(self.delay - self.delay_before);
        let mut step = (settings.alpha * seconds(self.delay - target) + change) / scale;
        if step > 0.02 && self.probability >= 0.1 {
            step = 0.02;
        }
        if self.delay > LONG_DELAY {
            step += 0.02;
        }
        self.probability = (self.probability + step).max(0.0);
        // A delay of 0 with packets in the queue says that nothing has left.
        let mut may_decay = !(self.delay == 0 && waiting != 0);
        if self.probability >= OVERFLOW {
            (self.probability, may_decay) = (1.0, false);
        }
        if self.delay == 0 && self.delay_before == 0 && may_decay {
            self.probability -= self.probability / 64.0;
        }
        let is_calm = self.delay < target / 2 && self.delay_before < target / 2;
        if is_calm && self.probability == 0.0 && (!settings.dq_rate_estimator || self.rate > 0) {
            self.burst = Some(ticks(settings.max_burst));
            (self.accumulated, self.since, self.measured, self.rate) = (0.0, None, None, 0);
        }
        if !settings.dq_rate_estimator {
            self.delay_before = self.delay;
        }
    }
}
