//! The delivery opportunities of links whose rate is a random process.

use ackclock_engine::math::Math;
use ackclock_engine::random::rng::Stream;

use crate::model::processes::Cellular;
use crate::model::seed::Seed;
use crate::resolve::transfers::NS2_SEED;

/// Sprout's tick: the rate changes so often, s.
const TICK_S: f64 = 0.02;

/// Sprout counts packets of this size; an opportunity lets one go.
const PACKET_BITS: f64 = 1500.0 * 8.0;

/// The instants, ms, at which a link can send a packet, up to the first one after `duration_s`. They depend on the seed
/// and the name of the link alone, not on what else a scenario has.
pub fn opportunities(process: &Cellular, seed: Option<Seed>, link: &str, duration_s: f64) -> Vec<i64> {
    let number = seed.map_or(u64::from(NS2_SEED), Seed::number);
    let mut stream = Stream::hashed(number, &format!("link/{link}/process"));
    let most = process.max_rate.value / PACKET_BITS;
    let deviation = process.volatility.value / PACKET_BITS * TICK_S.sqrt();
    // Sprout: an outage outlasts a tick if a Poisson process of rate 1 / outage has no event in it.
    let outage_s = process.outage.value;
    let stays = if outage_s > 0.0 { (-TICK_S / outage_s).natural_exp() } else { 0.0 };
    let (mut rate, mut tick, mut found) = (most * stream.unit(), 0, Vec::<i64>::new());
    let end_ms = duration_s * 1000.0;
    // Until the next opportunity, as the integral of the rate.
    let mut left = stream.exponential();
    while found.last().is_none_or(|&last| last as f64 <= end_ms) {
        let (given, mut at) = (rate * TICK_S, 0.0);
        while left <= given - at {
            at += left;
            found.push((1000.0 * TICK_S * (f64::from(tick) + at / given)).ceil() as i64);
            left = stream.exponential();
        }
        left -= given - at;
        tick += 1;
        if rate > 0.0 || stream.unit() > stays {
            rate = most.min((rate + deviation * normal(&mut stream)).max(0.0));
        }
    }
    // The last tick may have more of them.
    found.truncate(found.partition_point(|&at_ms| at_ms as f64 <= end_ms) + 1);
    found
}

/// A number of mean 0 and variance 1, nearly normal: the sum of twelve uniform ones. Many of them make a Brownian motion in
/// any case, and a sum is the same number on every machine.
pub fn normal(stream: &mut Stream) -> f64 {
    (0..12).fold(0.0, |sum, _| sum + stream.unit()) - 6.0
}
