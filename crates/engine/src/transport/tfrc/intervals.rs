//! The average loss interval: the number of packets between loss events, weighted by age.
//!
//! Source: RFC 3448, section 5.4, and RFC 5348, sections 5.4 and 5.5 (history discounting); RFC 4828 for short
//! intervals, as in ns-2.35.

use crate::params::Params;

/// Parameters of the average, under ns-2's names.
#[derive(Debug, Params)]
pub struct Averaging {
    /// Number of intervals; negative for the default, eight.
    #[param(state)]
    pub num_samples: i32,
    /// 1: the newest interval has the max weight, and the weights decrease smoothly.
    #[param(state)]
    pub smooth: i32,
    /// Whether older intervals are discounted while the newest one is long.
    #[param(state)]
    pub discount: i32,
    /// The min discount factor.
    #[param(state)]
    pub min_discount_ratio: f64,
    /// How to count losses in a short interval; see RFC 4828.
    #[param(state)]
    pub short_intervals: i32,
    /// Max length of a short interval, round trips.
    #[param(state)]
    pub short_rtts: i32,
}

/// The default number of intervals.
const USUAL: i32 = 8;
/// Number of intervals in a status report.
pub const REPORTED: usize = 5;

/// A loss interval.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// Packets in it.
    pub packets: i32,
    /// Losses in it.
    pub losses: i32,
    /// Whether it is a short one.
    pub is_short: bool,
    /// Round trips in it.
    pub rounds: i32,
    /// Discount factor from later long intervals.
    discount: f64,
}

/// Loss intervals, newest first; the newest one is still open.
#[derive(Debug, Default)]
pub struct Intervals {
    all: Vec<Interval>,
    weights: Vec<f64>,
    /// Number of intervals so far, including the open one.
    count: usize,
    has_guess: bool,
    factor: f64,
}

/// Properties of the flow that the average needs.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Packet size of the comparable TCP flow, bytes.
    pub fair_size: i32,
    /// Size of a report, bytes.
    pub report_size: i32,
}

impl Intervals {
    /// Makes an empty list. Sets `num_samples` to the number in use.
    pub fn new(by: &mut Averaging) -> Intervals {
        if by.num_samples < 0 {
            by.num_samples = USUAL;
        }
        let is_smooth = by.smooth == 1;
        by.num_samples += i32::from(is_smooth);
        let (samples, middle) = (by.num_samples, by.num_samples / 2);
        let late = i32::from(!is_smooth);
        let weight = |index: i32| {
            if index < middle { 1.0 } else { 1.0 - f64::from(index + late - middle) / (f64::from(middle) + 1.0) }
        };
        let none = Interval { packets: 0, losses: 0, is_short: false, rounds: 0, discount: 1.0 };
        Intervals {
            all: vec![none; samples as usize + 1],
            weights: (0..=samples).map(weight).collect(),
            count: 1,
            has_guess: false,
            factor: 1.0,
        }
    }

    /// The open interval.
    pub fn newest(&mut self) -> &mut Interval {
        &mut self.all[0]
    }

    /// A value of each of the newest intervals, for a status report.
    pub fn reported(&self, figure: impl Fn(&Interval) -> i32) -> [f64; REPORTED] {
        std::array::from_fn(|index| self.all.get(index).map_or(0.0, |interval| f64::from(figure(interval))))
    }

    /// A loss event starts a new interval.
    pub fn begin(&mut self) {
        self.count += 1;
        self.all.rotate_right(1);
        for old in &mut self.all[2..] {
            old.discount *= self.factor;
        }
        self.all[0] = Interval { packets: 0, losses: 1, is_short: true, rounds: 0, discount: 1.0 };
        self.factor = 1.0;
    }

    /// Slow start is over: the packets before it count as one interval of `packets` packets.
    pub fn begin_after(&mut self, packets: i32) {
        for (interval, packets, losses) in [(1, packets, 0), (0, 0, 1)] {
            let interval = &mut self.all[interval];
            (interval.packets, interval.losses) = (packets, losses);
            (interval.is_short, interval.rounds) = (false, 0);
        }
        self.count += 1;
        self.has_guess = true;
    }

    /// The average loss interval, packets; `None` before the first loss event.
    pub fn average(&mut self, by: &Averaging, flow: Flow) -> Option<f64> {
        if self.count == 1 && !self.has_guess {
            return None;
        }
        let known = self.count.min(self.all.len());
        if self.count > 1 && by.discount != 0 && self.all[0].packets > 0 {
            let ratio = 2.0 * self.weighted(1, known, 1.0, by, flow) / f64::from(self.all[0].packets);
            if ratio < 1.0 {
                self.factor = if ratio < by.min_discount_ratio { by.min_discount_ratio } else { ratio };
            }
        }
        let with_newest = self.weighted(0, known, self.factor, by, flow);
        let without = self.weighted(1, known, self.factor, by, flow);
        let leaves_short = (2..10).contains(&by.short_intervals) && self.all[0].is_short;
        Some(if without > with_newest || leaves_short { without } else { with_newest })
    }

    /// The weighted mean of the intervals `start..end`. The weights of all but the newest are multiplied by `factor`.
    fn weighted(&self, start: usize, end: usize, factor: f64, by: &Averaging, flow: Flow) -> f64 {
        let shift = by.smooth == 1 && start == 0;
        let end = if shift { end.min(self.all.len() - 1) } else { end };
        let weight = |index: usize| {
            let weight = self.weights[index + usize::from(shift)];
            let discount = self.all[index].discount;
            if index == 0 { discount * weight } else { factor * discount * weight }
        };
        let sum: f64 = (start..end).fold(0.0, |sum, index| sum + weight(index));
        (start..end).fold(0.0, |mean, index| {
            let packets = self.all[index].counted(shift, by, flow);
            mean + weight(index) * f64::from(packets) / sum
        })
    }
}

impl Interval {
    /// The packets that count: packets per loss in a short interval, otherwise all packets.
    fn counted(&self, shift: bool, by: &Averaging, flow: Flow) -> i32 {
        let by_loss = |losses: i32| if losses == 0 { self.packets } else { self.packets / losses };
        if !self.is_short {
            return self.packets;
        }
        match by.short_intervals % 10 {
            1 => by_loss(self.losses),
            2 if shift => by_loss((flow.fair_size / flow.report_size.max(1)).min(self.losses)),
            2 => by_loss(7),
            3 if self.losses == 0 => self.packets,
            3 => {
                let most = f64::from(by.short_rtts);
                let fraction = if by.short_rtts == 0 { 1.0 } else { (most + 1.0 - f64::from(self.rounds)) / most };
                by_loss((fraction * f64::from(self.losses)).floor() as i32)
            }
            _ => self.packets,
        }
    }
}
