//! Windowed maximum filter.
//!
//! Source: K. Nichols's windowed filter, as described in Linux, lib/win_minmax.c. It keeps three values, not a full
//! window.

/// The max value of a sliding window; `at` has the unit of the window length.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowedMax {
    /// Value and time of the best, the second best after it, and the third best after that.
    best: [(f64, u64); 3],
}

impl WindowedMax {
    /// The max value.
    pub fn get(&self) -> f64 {
        self.best[0].0
    }

    /// Adds a value; returns the max of the last `window`.
    pub fn update(&mut self, window: u64, at: u64, value: f64) -> f64 {
        let new = (value, at);
        if value >= self.best[0].0 || at - self.best[2].1 > window {
            self.best = [new; 3];
            return value;
        }
        if value >= self.best[1].0 {
            (self.best[1], self.best[2]) = (new, new);
        } else if value >= self.best[2].0 {
            self.best[2] = new;
        }
        let age = at - self.best[0].1;
        if age > window {
            self.best = [self.best[1], self.best[2], new];
            if at - self.best[0].1 > window {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if self.best[1].1 == self.best[0].1 && age > window / 4 {
            // A quarter of the window has passed without a second best: use the newest.
            (self.best[1], self.best[2]) = (new, new);
        } else if self.best[2].1 == self.best[1].1 && age > window / 2 {
            self.best[2] = new;
        }
        self.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_leaves_when_it_is_too_old() {
        let mut filter = WindowedMax::default();
        assert_eq!(filter.update(10, 1, 5.0), 5.0);
        assert_eq!(filter.update(10, 5, 3.0), 5.0);
        assert_eq!(filter.update(10, 9, 4.0), 5.0);
        assert_eq!(filter.update(10, 11, 2.0), 5.0);
        assert_eq!(filter.update(10, 12, 2.0), 4.0);
        assert_eq!(filter.update(10, 13, 9.0), 9.0);
        assert_eq!(filter.update(10, 40, 1.0), 1.0);
    }
}
