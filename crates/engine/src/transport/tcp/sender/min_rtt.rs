//! The min RTT of the last five minutes.
//!
//! Source: Linux 6.12, net/ipv4/tcp_input.c (`tcp_update_rtt_min`, `tcp_min_rtt_wlen`) and lib/win_minmax.c, which keeps
//! three samples instead of all.
//! Departures: none. A lone short segment may be acknowledged late, so Linux leaves its sample out; segments are full
//! here.

/// `tcp_min_rtt_wlen`: the length of the filter, s.
const WINDOW_S: f64 = 300.0;

/// A sample: time and RTT, s.
type Sample = (f64, f64);

/// The best sample, the best after it, and the best after that.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    best: [Sample; 3],
}

impl Default for MinRtt {
    fn default() -> MinRtt {
        MinRtt { best: [(f64::NEG_INFINITY, f64::INFINITY); 3] }
    }
}

impl MinRtt {
    /// The min RTT, s; infinite before the first sample.
    pub fn get(&self) -> f64 {
        self.best[0].1
    }

    /// Takes the sample `rtt_s` (`minmax_running_min`).
    pub fn update(&mut self, rtt_s: f64, now_s: f64) {
        let new = (now_s, rtt_s);
        if rtt_s <= self.best[0].1 || now_s - self.best[2].0 > WINDOW_S {
            self.best = [new; 3];
            return;
        }
        if rtt_s <= self.best[1].1 {
            (self.best[1], self.best[2]) = (new, new);
        } else if rtt_s <= self.best[2].1 {
            self.best[2] = new;
        }
        self.expire(new);
    }

    /// Replaces samples that are too old (`minmax_subwin_update`).
    fn expire(&mut self, new: Sample) {
        let age_s = new.0 - self.best[0].0;
        if age_s > WINDOW_S {
            self.best = [self.best[1], self.best[2], new];
            if new.0 - self.best[0].0 > WINDOW_S {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if self.best[1].0 == self.best[0].0 && age_s > WINDOW_S / 4.0 {
            (self.best[1], self.best[2]) = (new, new);
        } else if self.best[2].0 == self.best[1].0 && age_s > WINDOW_S / 2.0 {
            self.best[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // tcp_min_rtt_wlen is 300 s: a minimum of 50 ms at 1 s counts at 301 s, and not at 302 s. Then the best of the later
    // samples counts.
    #[test]
    fn a_minimum_counts_for_300_seconds() {
        let mut min_rtt = MinRtt::default();
        assert_eq!(min_rtt.get(), f64::INFINITY);
        for (now_s, rtt_s, min_s) in [
            (1.0, 0.050, 0.050),
            (100.0, 0.060, 0.050),
            (200.0, 0.055, 0.050),
            (301.0, 0.080, 0.050),
            (302.0, 0.080, 0.055),
            (303.0, 0.040, 0.040),
            (700.0, 0.090, 0.090),
        ] {
            min_rtt.update(rtt_s, now_s);
            assert_eq!(min_rtt.get(), min_s, "{now_s}");
        }
    }
}
