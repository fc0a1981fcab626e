//! Time in a socket: whole nanoseconds since the start of the simulation.
//!
//! The engine's time is a number of seconds (`f64`). A socket counts nanoseconds, as Linux does, so that sums of delays are
//! exact.

use std::ops::{Add, AddAssign, Sub};

/// A point in time, ns since the start of the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(pub u64);

/// A length of time, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub u64);

/// Linux's clock of timers (kernel/time/timer.c): a timer expires at a tick, and one of 63 ticks or more at every eighth
/// tick, of 504 or more at every 64th, and so on. It is never early, so it is late by up to as much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// Length of a tick.
    pub tick: Duration,
    /// When the first tick is, less than a tick after the start.
    pub phase: Duration,
}

impl Ticks {
    /// When a timer expires that is set at `now` to expire after `when`.
    pub fn expiry(self, now: Instant, when: Duration) -> Instant {
        let tick = self.tick.0.max(1);
        let before_start = tick - self.phase.0.min(tick);
        let jiffies = (now.0 + before_start) / tick;
        let count = when.0.div_ceil(tick);
        let mut shift = 0;
        while count >= 63 << shift {
            shift += 3;
        }
        let expires = (((jiffies + count) >> shift) + 1) << shift;
        Instant(expires * tick - before_start)
    }
}

impl Instant {
    /// The point that is `secs` seconds after the start; negative values become 0.
    #[inline]
    pub fn from_secs_f64(secs: f64) -> Instant {
        // The conversion rounds down, and takes what is negative for 0.
        Instant((secs * 1e9 + 0.5) as u64)
    }

    /// Seconds since the start.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whole microseconds since the start.
    #[inline]
    pub fn as_micros(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds since the start.
    #[inline]
    pub fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// The time since `earlier`; zero if that is later.
    #[inline]
    pub fn since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time.
    pub const ZERO: Duration = Duration(0);

    /// `count` nanoseconds.
    pub const fn from_nanos(count: u64) -> Duration {
        Duration(count)
    }

    /// `count` microseconds.
    pub const fn from_micros(count: u64) -> Duration {
        Duration(count * 1_000)
    }

    /// `count` milliseconds.
    pub const fn from_millis(count: u64) -> Duration {
        Duration(count * 1_000_000)
    }

    /// `count` seconds.
    pub const fn from_secs(count: u64) -> Duration {
        Duration(count * 1_000_000_000)
    }

    /// Seconds.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whole microseconds.
    #[inline]
    pub fn as_micros(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds.
    #[inline]
    pub fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    fn add(self, duration: Duration) -> Instant {
        Instant(self.0.saturating_add(duration.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;
    fn sub(self, duration: Duration) -> Instant {
        Instant(self.0.saturating_sub(duration.0))
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl Sub for Duration {
    type Output = Duration;
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // By the table in kernel/time/timer.c: at 250 Hz, level 0 has 4 ms up to 255 ms, level 1 has 32 ms up to 2047 ms.
    #[test]
    fn timers_expire_at_ticks_of_their_level() {
        let ticks = Ticks { tick: Duration::from_millis(4), phase: Duration::from_millis(3) };
        let expiry = |now_ms: u64, when_ms: u64| {
            ticks.expiry(Instant(now_ms * 1_000_000), Duration::from_millis(when_ms)).as_millis()
        };
        // Ticks are at 3, 7, 11 ms, and so on.
        assert_eq!((expiry(4, 4), expiry(6, 4), expiry(7, 4)), (11, 11, 15));
        assert_eq!(expiry(4, 40), 47);
        for when_ms in [252, 300, 400, 2000] {
            let late_ms = expiry(4, when_ms) - (4 + when_ms);
            assert!((1..=32).contains(&late_ms) && expiry(5, when_ms) % 32 == expiry(4, 252) % 32);
        }
    }
}
