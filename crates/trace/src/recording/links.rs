//! Estimation of a link's rate and delay from the times at which its packets leave the queue and arrive.
//!
//! A trace contains no topology. In a busy period, a queued packet leaves when the previous one has been transmitted.
//! The time between the two is the previous packet's size over the rate. Times are rounded to 1 µs, but the errors
//! cancel over a busy period. If no packet ever waits, the transit times of two packet sizes give both rate and delay.
//! With a single size, the rate stays unknown.

use std::collections::HashMap;

use super::chunk::{Hop, sent_s};

/// Max rounding error of the time between two lines, s.
const CLOCK_S: f64 = 2e-6;

/// Transit times of packets of one size.
#[derive(Clone, Copy, Debug, Default)]
struct Crossing {
    size_bytes: u32,
    count: f64,
    sum_s: f64,
}

impl Crossing {
    fn mean_s(&self) -> f64 {
        self.sum_s / self.count
    }
}

/// A link in one direction.
#[derive(Clone, Debug)]
pub struct Link {
    /// The node at its start.
    pub from_node: i32,
    /// The node at its end.
    pub to_node: i32,
    /// Rate from another source, if known, bit/s.
    pub known_rate_bps: Option<f64>,
    /// Delay from another source, if known, s.
    pub known_delay_s: Option<f64>,
    before: Option<(f64, u32)>,
    busy_bytes: f64,
    busy_s: f64,
    smallest: Crossing,
    largest: Crossing,
}

impl Link {
    /// A link without data.
    pub fn new(from_node: i32, to_node: i32) -> Link {
        Link {
            from_node,
            to_node,
            known_rate_bps: None,
            known_delay_s: None,
            before: None,
            busy_bytes: 0.0,
            busy_s: 0.0,
            smallest: Crossing::default(),
            largest: Crossing::default(),
        }
    }

    /// A packet leaves the queue.
    pub fn starts(&mut self, hop: &Hop) {
        if let Some((before_s, bytes)) = self.before
            && hop.enqueue_s < hop.start_s
        {
            self.busy_bytes += f64::from(bytes);
            self.busy_s += hop.start_s - before_s;
        }
        self.before = Some((hop.start_s, hop.size_bytes));
    }

    /// A packet arrives.
    pub fn arrives(&mut self, hop: &Hop) {
        let lasted_s = hop.arrive_s - hop.start_s;
        let size_bytes = hop.size_bytes;
        if self.smallest.count == 0.0 || size_bytes < self.smallest.size_bytes {
            self.smallest = Crossing { size_bytes, ..Crossing::default() };
        }
        if self.largest.count == 0.0 || size_bytes > self.largest.size_bytes {
            self.largest = Crossing { size_bytes, ..Crossing::default() };
        }
        for crossing in [&mut self.smallest, &mut self.largest] {
            if crossing.size_bytes == size_bytes {
                crossing.count += 1.0;
                crossing.sum_s += lasted_s;
            }
        }
    }

    /// The rate, bit/s: known, or estimated.
    pub fn rate_bps(&self) -> Option<f64> {
        let estimate = || {
            if self.busy_s > 0.0 {
                return Some(round(8.0 * self.busy_bytes / self.busy_s, f64::max(1e-3, CLOCK_S / self.busy_s)));
            }
            let (bytes, lasted_s) = (
                f64::from(self.largest.size_bytes) - f64::from(self.smallest.size_bytes),
                self.largest.mean_s() - self.smallest.mean_s(),
            );
            (bytes > 0.0 && lasted_s > 0.0).then(|| round(8.0 * bytes / lasted_s, f64::max(1e-3, CLOCK_S / lasted_s)))
        };
        self.known_rate_bps.or_else(estimate)
    }

    /// The delay, s: known, or estimated at this rate.
    pub fn delay_s(&self, rate_bps: Option<f64>) -> Option<f64> {
        let estimate = || {
            let crossing = self.largest;
            let sending_s = rate_bps.map_or(0.0, |rate_bps| 8.0 * f64::from(crossing.size_bytes) / rate_bps);
            (crossing.count > 0.0).then(|| round((crossing.mean_s() - sending_s).max(0.0), 1e-3))
        };
        self.known_delay_s.or_else(estimate)
    }

    /// Whether the observed transit times are consistent with this rate.
    fn admits(&self, rate_bps: f64) -> bool {
        let largest = self.largest;
        largest.count > 0.0 && largest.mean_s() >= 8.0 * f64::from(largest.size_bytes) / rate_bps - CLOCK_S
    }

    /// The expected arrival time of a packet in transmission, s, with a margin.
    pub fn due_s(&self, hop: &Hop) -> Option<f64> {
        let rate_bps = self.rate_bps();
        let due_s = sent_s(hop, rate_bps) + 1.01 * self.delay_s(rate_bps)? + 1e-5;
        (!due_s.is_nan()).then_some(due_s)
    }
}

/// Rate (bit/s) and delay (s) of each link. If a link's packets do not give its rate, the rate of the reverse link is
/// tried.
pub fn figures(links: &[Link]) -> Vec<(Option<f64>, Option<f64>)> {
    let own: Vec<Option<f64>> = links.iter().map(Link::rate_bps).collect();
    let ends: HashMap<(i32, i32), Option<f64>> =
        links.iter().zip(&own).map(|(link, rate)| ((link.from_node, link.to_node), *rate)).collect();
    let figures = links.iter().zip(&own).map(|(link, rate)| {
        let back = ends.get(&(link.to_node, link.from_node)).copied().flatten();
        let rate = rate.or(back.filter(|rate| link.admits(*rate)));
        (rate, link.delay_s(rate))
    });
    figures.collect()
}

/// Rounds to the fewest digits within the relative error `share`: estimates come from rounded times.
fn round(value: f64, share: f64) -> f64 {
    (0..15)
        .filter_map(|digits| format!("{value:.digits$e}").parse::<f64>().ok())
        .find(|short| (short - value).abs() <= share * value)
        .unwrap_or(value)
}
