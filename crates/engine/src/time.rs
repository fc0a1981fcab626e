//! Instants of simulated time, totally ordered.
//!
//! An instant is an `f64` of seconds because ns-2's traces are that arithmetic: a sum of doubles in ns-2's own order.
//! Durations stay plain `f64` seconds and carry the suffix `_s` in their names.

use std::cmp::Ordering;
use std::ops::{Add, Sub};

/// An instant of simulated time, in seconds since the start. Never negative, never NaN.
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

    /// Bits whose unsigned order is the order of time. That is true of doubles without a sign: zero and a duration of minus
    /// zero give zero, so that no sum of durations has one.
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

/// A real number cut to 32 bits as ns-2's processors do it: what does not fit becomes the least number.
#[inline]
pub fn cut(real: f64) -> i32 {
    if real > -2_147_483_649.0 && real < 2_147_483_648.0 { real as i32 } else { i32::MIN }
}
