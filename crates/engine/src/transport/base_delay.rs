//! The base delay of LEDBAT, LEDBAT++ and SCReAM: the min delay of the last minutes, an estimate of the path's delay without
//! queueing.
//!
//! Source: RFC 6817, sections 2.4.2 (`base_delays`, `update_base_delay`) and 2.5 (`BASE_HISTORY`). An entry begins when
//! the time, in whole minutes, changes, as in `update_base_delay`.
//! Departures: minutes without a sample have an entry, too. In the RFC an entry is appended with a sample only, so after
//! a pause it keeps older delays.

/// `BASE_HISTORY`: the length of the minimum filter, minutes (2.5).
const BASE_HISTORY: usize = 10;

/// `base_delays` (2.4.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseDelay {
    /// The min delay of each minute, s; infinite without a sample.
    base_delays_s: [f64; BASE_HISTORY],
    /// The present minute, from the start of the simulation.
    minute: u64,
}

impl Default for BaseDelay {
    fn default() -> BaseDelay {
        BaseDelay { base_delays_s: [f64::INFINITY; BASE_HISTORY], minute: 0 }
    }
}

impl BaseDelay {
    /// `update_base_delay` (2.4.2): takes a delay sample, s.
    pub fn update(&mut self, delay_s: f64, now_s: f64) {
        let minute = (now_s / 60.0) as u64;
        while self.minute < minute {
            self.minute += 1;
            self.base_delays_s[self.minute as usize % BASE_HISTORY] = f64::INFINITY;
        }
        let base_delay_s = &mut self.base_delays_s[minute as usize % BASE_HISTORY];
        *base_delay_s = base_delay_s.min(delay_s);
    }

    /// MIN(base_delays): the min delay of the last `BASE_HISTORY` minutes, s.
    pub fn get(&self) -> f64 {
        self.base_delays_s.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ten_minutes_count() {
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
