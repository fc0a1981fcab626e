//! The max bandwidth (section 5.5.6).

/// 5.5.6: the windowed max of the bandwidth, over the present ProbeBW cycle and the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxBwFilter {
    /// BBR.cycle_count.
    cycle_count: u64,
    /// The max of a cycle, and which cycle: the last cycle that had samples, and the one before.
    latest: (f64, u64),
    before: (f64, u64),
}

impl MaxBwFilter {
    /// BBR.max_bw, packets/s.
    pub fn get(&self) -> f64 {
        self.latest.0.max(self.before.0)
    }

    /// A sample of this cycle. Samples of cycles before the previous one leave the window.
    pub fn update(&mut self, delivery_rate: f64) {
        if self.latest.1 != self.cycle_count {
            (self.before, self.latest) = (self.latest, (0.0, self.cycle_count));
        }
        if self.before.1 + 1 < self.cycle_count {
            self.before = (0.0, self.before.1);
        }
        self.latest.0 = self.latest.0.max(delivery_rate);
    }

    /// 5.5.6, AdvanceMaxBwFilter. The max remains until the next sample.
    pub fn advance(&mut self) {
        self.cycle_count += 1;
    }
}
