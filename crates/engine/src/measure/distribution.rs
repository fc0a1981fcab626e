//! Distributions of measured numbers, in little memory.
//!
//! A [`Distribution`] is a histogram like HdrHistogram's (Tene): each power of two is divided into 128 bins of equal
//! width, so a percentile has a relative error of at most 1/256. Numbers below a nanosecond share one bin. Bins take
//! memory in blocks of 16, when a number falls into one. A flow's delays take about 0.5 kB: a few blocks, since they
//! seldom span more than two powers of two.

/// log2 of the bins in a power of two.
const BIN_BITS: u32 = 7;
const MANTISSA_BITS: u32 = 52;
const SHIFT: u32 = MANTISSA_BITS - BIN_BITS;
/// Bins that take memory together; a power of two.
const BLOCK: u32 = 16;
/// The bin of a nanosecond or less: 2^-30.
const FIRST_BIN: u32 = (1023 - 30) << BIN_BITS;

/// Some neighbouring bins.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The number of the first bin, divided by [`BLOCK`].
    place: u32,
    counts: [u32; BLOCK as usize],
}

/// The count, sum, extremes and approximate percentiles of non-negative numbers.
#[derive(Clone, Debug)]
pub struct Distribution {
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
    /// By ascending place.
    blocks: Vec<Block>,
    /// Index of the block that was used last.
    last: usize,
    /// Bins whose count has reached 2^32 and started from 0 again.
    wrapped: Vec<u32>,
}

impl Default for Distribution {
    fn default() -> Distribution {
        Distribution {
            count: 0,
            sum: 0.0,
            min: f64::INFINITY,
            max: 0.0,
            blocks: Vec::new(),
            last: 0,
            wrapped: Vec::new(),
        }
    }
}

impl Distribution {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, number: f64) {
        self.count += 1;
        self.sum += number;
        if number < self.min {
            self.min = number;
        }
        if number > self.max {
            self.max = number;
        }
        if number <= 0.0 {
            return;
        }
        let bin = ((number.to_bits() >> SHIFT) as u32).max(FIRST_BIN);
        let count = match self.blocks.get_mut(self.last) {
            Some(block) if block.place == bin / BLOCK => &mut block.counts[(bin % BLOCK) as usize],
            _ => self.find(bin),
        };
        *count = count.wrapping_add(1);
        if *count == 0 {
            self.wrapped.push(bin);
        }
    }

    /// The count of a bin, whose block becomes the last one.
    fn find(&mut self, bin: u32) -> &mut u32 {
        let place = bin / BLOCK;
        self.last = match self.blocks.binary_search_by_key(&place, |block| block.place) {
            Ok(index) => index,
            Err(index) => {
                if self.blocks.len() == self.blocks.capacity() {
                    self.blocks.reserve_exact(1 + self.blocks.len() / 4);
                }
                self.blocks.insert(index, Block { place, counts: [0; BLOCK as usize] });
                index
            }
        };
        &mut self.blocks[self.last].counts[(bin % BLOCK) as usize]
    }

    /// Adds this many zeros.
    pub fn add_zeros(&mut self, zeros: u64) {
        self.count += zeros;
        if zeros > 0 {
            self.min = self.min.min(0.0);
        }
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; `None` without numbers.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The minimum.
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// The maximum.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// The bins that have numbers: lower bound, upper bound, count.
    fn bins(&self) -> impl Iterator<Item = (f64, f64, u64)> {
        self.blocks.iter().flat_map(move |block| {
            block.counts.iter().enumerate().map(move |(index, &count)| {
                let bin = block.place * BLOCK + index as u32;
                let wraps = self.wrapped.iter().filter(|&&wrapped| wrapped == bin).count() as u64;
                let bound = |bin: u32| f64::from_bits(u64::from(bin) << SHIFT);
                let low = if bin == FIRST_BIN { 0.0 } else { bound(bin) };
                (low, bound(bin + 1), u64::from(count) + (wraps << 32))
            })
        })
    }

    /// The quantiles at `parts` (0 to 1, ascending): each the middle of its bin.
    pub fn quantiles<const N: usize>(&self, parts: [f64; N]) -> [Option<f64>; N] {
        let mut found = [None; N];
        if self.count == 0 {
            return found;
        }
        let ranks = parts.map(|part| ((part * self.count as f64).ceil() as u64).max(1));
        let zeros = self.count - self.bins().map(|(.., count)| count).sum::<u64>();
        let (mut next, mut seen) = (0, 0);
        for (low, high, count) in std::iter::once((0.0, 0.0, zeros)).chain(self.bins()) {
            seen += count;
            while next < N && ranks[next] <= seen {
                (found[next], next) = (Some(((low + high) / 2.0).clamp(self.min, self.max)), next + 1);
            }
        }
        found
    }
}

/// The total time that an integer had each value.
#[derive(Clone, Debug, Default)]
pub struct TimeAtValue {
    seconds: Vec<f64>,
    value: usize,
    since_s: f64,
}

impl TimeAtValue {
    /// Sets the value from `now_s` on.
    #[inline]
    pub fn set(&mut self, now_s: f64, value: usize) {
        let before = std::mem::replace(&mut self.value, value);
        let passed_s = now_s - std::mem::replace(&mut self.since_s, now_s);
        match self.seconds.get_mut(before) {
            Some(seconds) => *seconds += passed_s,
            None => self.add_first(before, passed_s),
        }
    }

    #[cold]
    fn add_first(&mut self, value: usize, passed_s: f64) {
        self.seconds.resize(value + 1, 0.0);
        self.seconds[value] = passed_s;
    }

    /// The maximum, even if it lasted for no time.
    pub fn max(&self) -> usize {
        self.value.max(self.seconds.len().saturating_sub(1))
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
    use super::*;

    // The numbers 0, 0.001, ... 10: the quantile at p is the number of rank ceil(p * 10,001), worked out without bins.
    #[test]
    fn percentiles_are_right_to_one_part_in_256() {
        let mut distribution = Distribution::default();
        for number in 0..=10_000 {
            distribution.add(f64::from(number) / 1000.0);
        }
        let parts = [0.001, 0.25, 0.5, 0.5, 0.95, 0.999, 1.0];
        for (part, found) in parts.into_iter().zip(distribution.quantiles(parts)) {
            let exact = (part * 10_001.0_f64).ceil() / 1000.0 - 0.001;
            let found = found.expect("there are numbers");
            assert!((found - exact).abs() <= exact / 256.0, "{part}: {found}, not {exact}");
        }
        assert_eq!(Distribution::default().quantiles([0.5]), [None]);
        let mut zeros = Distribution::default();
        [0.0, 0.0, 4.0].into_iter().for_each(|number| zeros.add(number));
        zeros.add_zeros(1);
        assert_eq!(zeros.quantiles([0.5, 0.75, 0.76]), [Some(0.0), Some(0.0), Some(4.0)]);
        assert_eq!((zeros.mean(), zeros.min(), zeros.max(), zeros.count()), (Some(1.0), Some(0.0), Some(4.0), 4));
    }

    // Waits of 10^-17 s come from rounding. They and a wait of 1 ms take two blocks.
    #[test]
    fn rounding_errors_take_no_memory() {
        let mut distribution = Distribution::default();
        [1e-17, 2e-12, 1e-300, 1e-3].into_iter().for_each(|number| distribution.add(number));
        assert_eq!(distribution.blocks.len(), 2);
        let [below, above] = distribution.quantiles([0.75, 1.0]).map(|found| found.expect("there are numbers"));
        assert!(below < 1e-9 && (above - 1e-3).abs() < 1e-3 / 256.0);
    }

    // A bin counts on after 2^32 numbers: 3 in the lower bin of 2^32 + 5.
    #[test]
    fn a_bin_holds_more_than_four_billion() {
        let mut distribution = Distribution::default();
        [1.0, 1.0, 1.0, 2.0].into_iter().for_each(|number| distribution.add(number));
        *distribution.find(2.0f64.to_bits().wrapping_shr(SHIFT) as u32) = u32::MAX;
        distribution.count = 3 + u64::from(u32::MAX);
        [2.0, 2.0].into_iter().for_each(|number| distribution.add(number));
        assert_eq!(distribution.bins().map(|(.., count)| count).sum::<u64>(), (1 << 32) + 4);
        assert_eq!(distribution.quantiles([1e-10, 0.5]).map(|found| found.map(f64::floor)), [Some(1.0), Some(2.0)]);
    }

    // 1 for 3 s, 2 for 1 s: mean 5/4.
    #[test]
    fn time_weighs() {
        let mut length = TimeAtValue::default();
        length.set(0.0, 1);
        length.set(3.0, 2);
        length.set(4.0, 0);
        assert_eq!((length.mean(), length.max()), (Some(1.25), 2));
        assert_eq!((length.quantile(0.75), length.quantile(0.76)), (Some(1.0), Some(2.0)));
    }
}
