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
