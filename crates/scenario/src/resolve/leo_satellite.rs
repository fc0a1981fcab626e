//! The course of a link over satellites: when it can send, and its delay over time.

use ackclock_engine::random::rng::Stream;

use crate::model::leo_satellite::LeoSatellite;

/// What an opportunity lets go.
const OPPORTUNITY_BITS: f64 = 1504.0 * 8.0;

/// The numbers of a description: times in s, rates in bit/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Between two hand-overs.
    pub interval_s: f64,
    /// The first hand-over.
    pub first_s: f64,
    /// The lowest and the highest rate.
    pub rates_bps: (f64, f64),
    /// The largest delay that a path adds.
    pub spread_s: f64,
    /// How long nothing is sent after a hand-over.
    pub pause_s: f64,
}

impl Terms {
    /// Those of a description.
    pub fn of(leo: &LeoSatellite) -> Terms {
        Terms {
            interval_s: leo.interval.value,
            first_s: leo.first.value,
            rates_bps: (leo.min_rate.value, leo.max_rate.value),
            spread_s: leo.spread.value,
            pause_s: leo.pause.value,
        }
    }
}

/// A link over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The instants at which it can send, ms, up to the first one after the run's end.
    pub deliveries_ms: Vec<i64>,
    /// From when on it has which delay beyond its own, s. All but the first begin with a hand-over.
    pub delays_s: Vec<(f64, f64)>,
}

/// The course of a link, `a->b`, of a `path`, `a-b`, whose directions have the same delays.
pub fn course(terms: Terms, seed: u64, path: &str, link: &str, duration_s: f64) -> Course {
    let mut delays = Stream::hashed(seed, &format!("link/{path}/path"));
    let mut rates = Stream::hashed(seed, &format!("link/{link}/process"));
    let (lowest, highest) = terms.rates_bps;
    let mut found = Course { deliveries_ms: Vec::new(), delays_s: Vec::new() };
    for phase in 0u32.. {
        let begin_s = if phase == 0 { 0.0 } else { terms.first_s + f64::from(phase - 1) * terms.interval_s };
        let end_s = terms.first_s + f64::from(phase) * terms.interval_s;
        let rate_bps = lowest + (highest - lowest) * rates.unit();
        found.delays_s.push((begin_s, terms.spread_s * delays.unit()));
        let pause_s = if phase == 0 { 0.0 } else { terms.pause_s };
        let (sends_ms, apart_ms) = (1000.0 * begin_s + 1000.0 * pause_s, 1000.0 * (OPPORTUNITY_BITS / rate_bps));
        for number in 1u32.. {
            let at_ms = (sends_ms + f64::from(number) * apart_ms).floor();
            if at_ms >= 1000.0 * end_s {
                break;
            }
            found.deliveries_ms.push(at_ms as i64);
            if at_ms > 1000.0 * duration_s {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    // 12.032 Mb/s are an opportunity each millisecond. Hand-overs at 10 and 30 ms of a run of 35 ms, each with a pause of
    // 5 ms: 1 to 9, 16 to 29, 36.
    #[test]
    fn a_link_of_one_rate_sends_but_for_its_pauses() {
        let rates_bps = (12.032e6, 12.032e6);
        let terms = Terms { interval_s: 0.02, first_s: 0.01, rates_bps, spread_s: 0.004, pause_s: 0.005 };
        let found = course(terms, 1, "a-b", "a->b", 0.035);
        let expected: Vec<i64> = (1..=9).chain(16..=29).chain(36..=36).collect();
        assert_eq!(found.deliveries_ms, expected);
        let begins: Vec<f64> = found.delays_s.iter().map(|(begin_s, _)| *begin_s).collect();
        assert_eq!(begins, [0.0, 0.01, 0.03]);
        assert!(found.delays_s.iter().all(|&(_, delay_s)| (0.0..=0.004).contains(&delay_s)));
        let back = course(terms, 1, "a-b", "b->a", 0.035);
        assert_eq!(back.delays_s, found.delays_s);
    }
}
