//! The engine's times are doubles in seconds, the library's are [`Duration`]s in nanoseconds since the start.

use std::time::Duration;

use ackclock_engine::time::Time;

/// How far sums of doubles may be off, s: 22 ms may be 0.022000000000000002.
fn rounding_error_s(at_s: f64) -> f64 {
    1e-12 + 1e-15 * at_s
}

/// The engine's time at the end of a nanosecond's instant: what is due at it is not later.
pub fn time(since_start: Duration) -> Time {
    let at_s = since_start.as_secs_f64();
    Time(at_s + rounding_error_s(at_s))
}

/// The first whole nanosecond that is not before an engine's time. A program that advances to it has the event behind it.
pub fn since_start(at: Time) -> Duration {
    let nearest = Duration::try_from_secs_f64(at.secs()).unwrap_or(Duration::MAX);
    if time(nearest) < at { nearest.saturating_add(Duration::from_nanos(1)) } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_up() {
        let nanos = [(0.022, 22_000_000), (1.000_000_000_4, 1_000_000_001), (0.1 + 0.2, 300_000_000), (0.0, 0)];
        for (secs, nanos) in nanos {
            let rounded = since_start(Time(secs));
            assert_eq!(rounded, Duration::from_nanos(nanos), "{secs}");
            assert!(time(rounded) >= Time(secs));
        }
    }
}
