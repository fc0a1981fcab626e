//! The queue delay target beside flows that fill queues.
//!
//! Source: SCReAM, "Competing Flows Compensation".

use std::collections::VecDeque;

/// Samples of the variance, and of the average.
const VARIANCE_OF: usize = 200;
const AVERAGE_OF: usize = 50;

/// `qdelay_target` and what it depends on.
#[derive(Clone, Debug)]
pub struct QdelayTarget {
    /// The target, s.
    pub qdelay_target: f64,
    /// `qdelay_norm_history`, and whether the round trip had a loss; the newest is the last.
    history: VecDeque<(f64, bool)>,
}

impl QdelayTarget {
    /// The lowest target.
    pub fn new(qdelay_target_lo: f64) -> QdelayTarget {
        QdelayTarget { qdelay_target: qdelay_target_lo, history: VecDeque::new() }
    }

    /// `adjust_qdelay_target`: a round trip is over.
    pub fn adjust(&mut self, qdelay: f64, had_loss: bool, (lo, hi): (f64, f64)) {
        self.history.push_back((qdelay / lo, had_loss));
        if self.history.len() > VARIANCE_OF {
            self.history.pop_front();
        }
        let count = self.history.len() as f64;
        let norms = || self.history.iter().map(|&(norm, _)| norm);
        let mean = norms().sum::<f64>() / count;
        let qdelay_norm_var = norms().map(|norm| (norm - mean) * (norm - mean)).sum::<f64>() / count;
        let latest = self.history.len().min(AVERAGE_OF);
        let qdelay_norm_avg = norms().rev().take(latest).sum::<f64>() / latest as f64;
        let loss_event_rate = self.history.iter().filter(|&&(_, had_loss)| had_loss).count() as f64 / count;
        let new_target = (qdelay_norm_avg + qdelay_norm_var.sqrt()) * lo;
        self.qdelay_target = if loss_event_rate > 0.002 {
            1.5 * new_target
        } else if qdelay_norm_var < 0.2 {
            new_target
        } else if new_target < lo {
            (self.qdelay_target * 0.5).max(new_target)
        } else {
            self.qdelay_target * 0.9
        };
        self.qdelay_target = self.qdelay_target.min(hi).max(lo);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: (f64, f64) = (0.06, 0.4);

    /// A steady queue of 120 ms is 2 targets without variance: the target becomes 120 ms; with losses, 180 ms.
    #[test]
    fn a_steady_queue_raises_the_target() {
        let mut target = QdelayTarget::new(0.06);
        (0..10).for_each(|_| target.adjust(0.12, false, BOUNDS));
        assert!((target.qdelay_target - 0.12).abs() < 1e-12);
        target.adjust(0.12, true, BOUNDS);
        assert!((target.qdelay_target - 0.18).abs() < 1e-12);
    }

    /// Between 0 and 240 ms, in turn: norms 0 and 4, a variance of 4, an average of 2, so a new target of 240 ms, which is
    /// above the lowest one: the target falls by a tenth.
    #[test]
    fn a_varying_queue_lowers_the_target_slowly() {
        let mut target = QdelayTarget::new(0.06);
        (0..200).for_each(|index| target.adjust(if index % 2 == 0 { 0.0 } else { 0.24 }, false, BOUNDS));
        target.qdelay_target = 0.3;
        target.adjust(0.0, false, BOUNDS);
        assert!((target.qdelay_target - 0.27).abs() < 1e-12);
    }

    #[test]
    fn the_target_stays_in_its_bounds() {
        let mut target = QdelayTarget::new(0.06);
        (0..300).for_each(|_| target.adjust(2.0, true, BOUNDS));
        assert_eq!(target.qdelay_target, 0.4);
        (0..300).for_each(|_| target.adjust(0.0, false, BOUNDS));
        assert_eq!(target.qdelay_target, 0.06);
    }
}
