//! Counts in bins of equal width; what lies beyond either end counts in the bin there.

/// A histogram of whole numbers from 0 on.
#[derive(Clone, Debug)]
pub struct Histogram {
    width: i32,
    bins: Vec<u32>,
}

impl Histogram {
    /// So many bins of this width, both at least 1.
    pub fn new(width: i32, bins: usize) -> Histogram {
        Histogram { width: width.max(1), bins: vec![0; bins.max(1)] }
    }

    /// Counts a value.
    pub fn count(&mut self, value: i32) {
        let bin = (value.max(0) / self.width) as usize;
        let last = self.bins.len() - 1;
        self.bins[bin.min(last)] += 1;
    }

    /// Values in each bin.
    pub fn bins(&self) -> &[u32] {
        &self.bins
    }
}
