//! Statistics of video frames at their receiver.

use crate::measure::distribution::Distribution;

/// A whole frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Its number, from 0 in the order of capture.
    pub number: u32,
    /// Its size, bytes.
    pub bytes: u32,
    /// When it was captured, s.
    pub captured_s: f64,
    /// From its capture until its last packet arrived, s.
    pub delay_s: f64,
}

/// The frames that have arrived whole.
#[derive(Clone, Debug, Default)]
pub struct FrameStats {
    /// How many.
    pub delivered: u64,
    /// How many of them took longer than the deadline.
    pub late: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their delays, s.
    pub delays: Distribution,
    /// One more than the highest number among them.
    pub after_highest: u32,
    /// Each of them, in the order of arrival, if they are kept.
    pub kept: Option<Vec<Frame>>,
}

impl FrameStats {
    /// A frame has arrived whole; it is late after `deadline_s`.
    pub fn add(&mut self, frame: Frame, deadline_s: f64) {
        self.delivered += 1;
        self.late += u64::from(frame.delay_s > deadline_s);
        self.bytes += u64::from(frame.bytes);
        self.delays.add(frame.delay_s);
        self.after_highest = self.after_highest.max(frame.number + 1);
        if let Some(kept) = &mut self.kept {
            kept.push(frame);
        }
    }

    /// How many frames are missing before the last one that arrived whole.
    pub fn lost(&self) -> u64 {
        u64::from(self.after_highest) - self.delivered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_are_missing_before_the_last_whole_one_are_lost() {
        let mut frames = FrameStats { kept: Some(Vec::new()), ..FrameStats::default() };
        for (number, delay_s) in [(0, 0.05), (1, 0.25), (4, 0.1), (3, 0.15)] {
            frames.add(Frame { number, bytes: 1000, captured_s: 0.0, delay_s }, 0.15);
        }
        assert_eq!((frames.delivered, frames.late, frames.lost(), frames.bytes), (4, 1, 1, 4000));
        assert_eq!(frames.kept.map(|kept| kept.len()), Some(4));
    }
}
