//! Simulated time, with a total order.
//!
//! A time is an `f64` in seconds, because ns-2's traces show the rounding of sums of doubles in ns-2's order.
//! Durations are plain `f64` seconds, and their names have the suffix `_s`.

use std::cmp::Ordering;
use std::ops::{Add, Sub};

/// A simulated time, in seconds since the start. Never negative, never NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time(pub f64);

impl Time {
    /// The start of every simulation.
    pub const ZERO: Time = Time(0.0);

    /// Seconds since the start.
    #[inline]
    pub fn secs(self) -> f64 {
        self.0
    }

    /// Bits whose unsigned order is the order of time. This is true for doubles without a sign bit. The sum of zero
    /// and a duration of minus zero is plus zero, so no time has a sign bit.
    #[inline]
    pub fn order_bits(self) -> u64 {
        debug_assert!(self.0.is_sign_positive(), "time {} is before the start", self.0);
        self.0.to_bits()
    }
}

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Time) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Time) -> Ordering {
        self.order_bits().cmp(&other.order_bits())
    }
}

impl Add<f64> for Time {
    type Output = Time;
    #[inline]
    fn add(self, seconds: f64) -> Time {
        Time(self.0 + seconds)
    }
}

impl Sub for Time {
    type Output = f64;
    #[inline]
    fn sub(self, earlier: Time) -> f64 {
        self.0 - earlier.0
    }
}

/// Converts to 32 bits as ns-2 does on x86: values out of range become `i32::MIN`.
#[inline]
pub fn cut(real: f64) -> i32 {
    if real > -2_147_483_649.0 && real < 2_147_483_648.0 { real as i32 } else { i32::MIN }
}
