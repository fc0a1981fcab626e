//! Percentiles of many non-negative numbers in bounded memory: a histogram with logarithmic octaves.
//!
//! Each power of two is divided into 1024 bins of equal width, so the relative error of a percentile is at most 1/2000.
//! Powers of two without numbers take no memory.

/// The quantiles in the tables: p50, p95 and p99.
pub const PARTS: [f64; 3] = [0.5, 0.95, 0.99];

const BINS: usize = 1 << 10;
const MANTISSA_BITS: u32 = 52;
const SHIFT: u32 = MANTISSA_BITS - 10;

/// Bins that are skipped together.
const TOGETHER: usize = 32;

/// The histogram.
#[derive(Default)]
pub struct Quantiles {
    /// Bins for each binary exponent, from the lowest one seen.
    octaves: Vec<Option<Box<[u64; BINS]>>>,
    first: i32,
    zeros: u64,
    count: u64,
    sum: f64,
    least: f64,
    most: f64,
}

impl Quantiles {
    /// Adds a non-negative number.
    pub fn add(&mut self, value: f64) {
        if self.count == 0 {
            (self.least, self.most) = (value, value);
        }
        self.count += 1;
        self.sum += value;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        if value <= 0.0 {
            self.zeros += 1;
            return;
        }
        let bits = value.to_bits();
        let exponent = (bits >> MANTISSA_BITS) as i32;
        let bin = (bits >> SHIFT) as usize & (BINS - 1);
        if self.octaves.is_empty() {
            self.first = exponent;
        }
        while exponent < self.first {
            self.octaves.insert(0, None);
            self.first -= 1;
        }
        let index = (exponent - self.first) as usize;
        if index >= self.octaves.len() {
            self.octaves.resize_with(index + 1, || None);
        }
        self.octaves[index].get_or_insert_with(|| Box::new([0; BINS]))[bin] += 1;
    }

    /// The mean; `None` without numbers.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The min.
    pub fn least(&self) -> Option<f64> {
        (self.count > 0).then_some(self.least)
    }

    /// The max.
    pub fn most(&self) -> Option<f64> {
        (self.count > 0).then_some(self.most)
    }

    /// The quantiles at `parts` (0 to 1, ascending): each the middle of its bin.
    pub fn quantiles<const N: usize>(&self, parts: [f64; N]) -> [Option<f64>; N] {
        let mut found = [None; N];
        if self.count == 0 {
            return found;
        }
        let ranks = parts.map(|part| ((part * self.count as f64).ceil() as u64).max(1));
        let (mut next, mut seen) = (0, self.zeros);
        while next < N && ranks[next] <= seen {
            (found[next], next) = (Some(0.0), next + 1);
        }
        for (index, octave) in self.octaves.iter().enumerate() {
            let Some(bins) = octave else { continue };
            let low = f64::from_bits(((self.first + index as i32) as u64) << MANTISSA_BITS);
            let width = low / BINS as f64;
            for (number, few) in bins.chunks_exact(TOGETHER).enumerate() {
                let here: u64 = few.iter().sum();
                if next == N || seen + here < ranks[next] {
                    seen += here;
                    continue;
                }
                for (bin, &count) in (number * TOGETHER..).zip(few) {
                    seen += count;
                    while next < N && ranks[next] <= seen {
                        let middle = low + (bin as f64 + 0.5) * width;
                        (found[next], next) = (Some(middle.clamp(self.least, self.most)), next + 1);
                    }
                }
            }
        }
        found
    }
}

/// The total time that an integer had each value.
#[derive(Default)]
pub struct TimeAtValue {
    seconds: Vec<f64>,
    value: usize,
    since_s: f64,
    most: usize,
}

impl TimeAtValue {
    /// Sets the value from `now_s` on.
    pub fn set(&mut self, now_s: f64, value: usize) {
        if self.seconds.len() <= self.value {
            self.seconds.resize(self.value + 1, 0.0);
        }
        self.seconds[self.value] += now_s - self.since_s;
        self.since_s = now_s;
        self.value = value;
        self.most = self.most.max(value);
    }

    /// The max value, even if it lasted for no time.
    pub fn most(&self) -> usize {
        self.most
    }

    /// The time average up to the last change; `None` if no time has passed.
    pub fn mean(&self) -> Option<f64> {
        let total: f64 = self.seconds.iter().sum();
        let weighted: f64 = self.seconds.iter().enumerate().map(|(value, s)| value as f64 * s).sum();
        (total > 0.0).then(|| weighted / total)
    }

    /// The quantile at `part` (0 to 1) of the time distribution.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let total: f64 = self.seconds.iter().sum();
        let mut seen = 0.0;
        for (value, s) in self.seconds.iter().enumerate() {
            seen += s;
            if total > 0.0 && seen >= part * total {
                return Some(value as f64);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Quantiles, TimeAtValue};

    #[test]
    fn percentiles_are_right_to_one_part_in_two_thousand() {
        let mut quantiles = Quantiles::default();
        for number in 0..=10_000 {
            quantiles.add(f64::from(number) / 1000.0);
        }
        let parts = [0.001, 0.25, 0.5, 0.5, 0.95, 0.999, 1.0];
        for (part, found) in parts.into_iter().zip(quantiles.quantiles(parts)) {
            let exact = (part * 10_001.0_f64).ceil() / 1000.0 - 0.001;
            let found = found.expect("there are numbers");
            assert!((found - exact).abs() <= exact / 2000.0, "{part}: {found}, not {exact}");
        }
        assert_eq!(Quantiles::default().quantiles([0.5]), [None]);
        let mut zeros = Quantiles::default();
        [0.0, 0.0, 0.0, 4.0].into_iter().for_each(|number| zeros.add(number));
        assert_eq!(zeros.quantiles([0.5, 0.75, 0.76]), [Some(0.0), Some(0.0), Some(4.0)]);
    }

    // 1 for 3 s, 2 for 1 s: mean 5/4.
    #[test]
    fn time_weighs() {
        let mut length = TimeAtValue::default();
        length.set(0.0, 1);
        length.set(3.0, 2);
        length.set(4.0, 0);
        assert_eq!((length.mean(), length.most()), (Some(1.25), 2));
        assert_eq!((length.quantile(0.75), length.quantile(0.76)), (Some(1.0), Some(2.0)));
    }
}
