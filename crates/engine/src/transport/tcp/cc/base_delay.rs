//! The least delay of the last minutes, which LEDBAT and LEDBAT++ take for that of an empty path.
//!
//! Source: RFC 6817, sections 2.4.2 (`base_delays`: a least delay for each of the last minutes) and 2.5 (ten of them).

const MINUTES: usize = 10;

/// The least delay.
#[derive(Clone, Copy, Debug)]
pub(super) struct BaseDelay {
    least_s: [f64; MINUTES],
    minute: u64,
}

impl Default for BaseDelay {
    fn default() -> BaseDelay {
        BaseDelay { least_s: [f64::INFINITY; MINUTES], minute: 0 }
    }
}

impl BaseDelay {
    /// Takes in a delay.
    pub fn update(&mut self, delay_s: f64, now_s: f64) {
        let minute = (now_s / 60.0) as u64;
        while self.minute < minute {
            self.minute += 1;
            self.least_s[self.minute as usize % MINUTES] = f64::INFINITY;
        }
        let least_s = &mut self.least_s[minute as usize % MINUTES];
        *least_s = least_s.min(delay_s);
    }

    /// The least of the last ten minutes, s.
    pub fn get(&self) -> f64 {
        self.least_s.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_minutes_count() {
        let mut base = BaseDelay::default();
        base.update(0.02, 10.0);
        base.update(0.05, 70.0);
        assert_eq!(base.get(), 0.02);
        base.update(0.05, 599.0);
        assert_eq!(base.get(), 0.02);
        base.update(0.05, 601.0);
        assert_eq!(base.get(), 0.05);
    }
}
