//! Histogram with bins of equal width; values outside the range count in the first or the last bin.

/// A histogram of integers from 0.
#[derive(Clone, Debug)]
pub struct Histogram {
    width: i32,
    bins: Vec<u32>,
}

impl Histogram {
    /// A histogram of `bins` bins of this width; both are at least 1.
    pub fn new(width: i32, bins: usize) -> Histogram {
        Histogram { width: width.max(1), bins: vec![0; bins.max(1)] }
    }

    /// Counts a value.
    pub fn count(&mut self, value: i32) {
        let bin = (value.max(0) / self.width) as usize;
        let last = self.bins.len() - 1;
        self.bins[bin.min(last)] += 1;
    }

    /// The counts of all bins.
    pub fn bins(&self) -> &[u32] {
        &self.bins
    }
}
