//! The queueing delay as PIE knows it: measured by timestamps, or computed from the rate at which bytes leave.
//!
//! Source: RFC 8033, sections 4.3 and 5.2.

use super::Settings;
use crate::time::Time;

/// A measurement of the departure rate that is under way.
struct Measurement {
    since: Time,
    bytes: i64,
}

/// The delay of a queue.
#[derive(Default)]
pub struct Delay {
    /// By the last packet that left, s.
    waited_s: f64,
    measurement: Option<Measurement>,
    /// How long `dq_threshold` bytes take to leave, averaged, s; 0 before the first measurement.
    average_s: f64,
}

impl Delay {
    /// The present delay, s; `waiting`: bytes that wait.
    pub fn secs(&self, waiting: i64, settings: &Settings) -> f64 {
        if !settings.dq_rate_estimator {
            return self.waited_s;
        }
        waiting as f64 * self.average_s / f64::from(settings.dq_threshold)
    }

    /// A packet has left. `waiting`: bytes that are left.
    pub fn left(&mut self, size: i32, waited_s: f64, waiting: i64, settings: &Settings, now: Time) {
        self.waited_s = if waiting == 0 { 0.0 } else { waited_s };
        if !settings.dq_rate_estimator {
            return;
        }
        let threshold = i64::from(settings.dq_threshold);
        let Some(measurement) = &mut self.measurement else {
            // It was there when the packet began to leave.
            if waiting + i64::from(size) >= threshold {
                self.measurement = Some(Measurement { since: now, bytes: 0 });
            }
            return;
        };
        measurement.bytes += i64::from(size);
        if measurement.bytes >= threshold {
            let took_s = now - measurement.since;
            let weight = f64::from(settings.dq_threshold) / 65_536.0;
            self.average_s =
                if self.average_s == 0.0 { took_s } else { took_s * weight + self.average_s * (1.0 - weight) };
            self.measurement = None;
        }
    }

    #[cfg(test)]
    pub fn set(&mut self, waited_s: f64) {
        self.waited_s = waited_s;
    }
}
