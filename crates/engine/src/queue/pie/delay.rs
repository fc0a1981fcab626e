//! PIE's queueing delay: measured by timestamps, or estimated from the departure rate.
//!
//! Source: RFC 8033, sections 4.3 and 5.2.

use super::Settings;
use crate::time::Time;

/// A measurement cycle of the departure rate.
struct Measurement {
    since: Time,
    bytes: i64,
}

/// The queueing delay estimate of one queue.
#[derive(Default)]
pub struct Delay {
    /// The sojourn time of the last packet that left, s.
    waited_s: f64,
    measurement: Option<Measurement>,
    /// Average time in which `dq_threshold` bytes leave, s; 0 before the first measurement.
    average_s: f64,
}

impl Delay {
    /// The current delay, s. `waiting`: bytes in the queue.
    pub fn secs(&self, waiting: i64, settings: &Settings) -> f64 {
        if !settings.dq_rate_estimator {
            return self.waited_s;
        }
        waiting as f64 * self.average_s / f64::from(settings.dq_threshold)
    }

    /// A packet has left. `waiting`: bytes that remain in the queue.
    pub fn left(&mut self, size: i32, waited_s: f64, waiting: i64, settings: &Settings, now: Time) {
        self.waited_s = if waiting == 0 { 0.0 } else { waited_s };
        if !settings.dq_rate_estimator {
            return;
        }
        let threshold = i64::from(settings.dq_threshold);
        let Some(measurement) = &mut self.measurement else {
            // The backlog at the start of the departure includes this packet.
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
