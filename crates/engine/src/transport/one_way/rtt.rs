//! The RTT estimator and retransmission timeout of ns-2.35, in ticks of a coarse clock.
//!
//! Source: V. Jacobson, "Congestion avoidance and control", SIGCOMM 1988, appendix A (fixed-point arithmetic in ticks);
//! RFC 2988; ns-2.35's base TCP agent.

use super::config::Config;
use super::traced::{Log, Traced, Variable};

/// Above this back-off factor the smoothed round-trip time is discarded.
const DOUBTED_FROM: i32 = 8;
const MAX_BACKED_OFF: i32 = 64;

/// The RTT estimator.
#[derive(Clone, Debug)]
pub struct TickRttEstimator {
    /// The last sample, in ticks.
    pub rtt: Traced<i32, { Variable::Rtt as u8 }>,
    /// The smoothed round-trip time, in ticks, times 2^`t_srtt_bits`; 0 without a valid estimate.
    pub srtt: Traced<i32, { Variable::Srtt as u8 }>,
    /// Its mean deviation, in ticks, times 2^`t_rttvar_bits`.
    pub rttvar: Traced<i32, { Variable::Rttvar as u8 }>,
    /// The back-off factor of the timeout.
    pub backoff: Traced<i32, { Variable::Backoff as u8 }>,
    /// The timeout without back-off and limits, s.
    pub timeout_s: f64,
}

impl Default for TickRttEstimator {
    fn default() -> TickRttEstimator {
        TickRttEstimator {
            rtt: Traced::default(),
            srtt: Traced::default(),
            rttvar: Traced::default(),
            backoff: Traced::default(),
            timeout_s: 0.0,
        }
    }
}

fn left(value: i32, digits: i32) -> i32 {
    value.wrapping_shl(digits as u32)
}

fn right(value: i32, digits: i32) -> i32 {
    value.wrapping_shr(digits as u32)
}

impl TickRttEstimator {
    /// Resets the estimate to its initial values.
    pub fn reset(&mut self, config: &Config, log: &mut Log) {
        self.rtt.set(0, log);
        self.srtt.set(left((config.srtt_init / config.tcp_tick) as i32, config.t_srtt_bits), log);
        self.rttvar.set(left((config.rttvar_init / config.tcp_tick) as i32, config.t_rttvar_bits), log);
        self.timeout_s = config.rtxcur_init;
        self.backoff.set(1, log);
    }

    /// The smoothed round-trip time in whole ticks.
    pub fn smoothed_ticks(&self, config: &Config) -> i32 {
        right(*self.srtt, config.t_srtt_bits)
    }

    /// Adds an RTT sample of `ticks` ticks.
    pub fn sample(&mut self, ticks: i32, config: &Config, log: &mut Log) {
        self.rtt.set(ticks, log);
        if *self.rtt < 1 {
            self.rtt.set(1, log);
        }
        if *self.srtt != 0 {
            // 16 bits, as in ns-2: round trips of 32768 ticks and more wrap.
            let error = self.rtt.wrapping_sub(self.smoothed_ticks(config)) as i16;
            self.srtt.set(self.srtt.wrapping_add(i32::from(error)), log);
            if *self.srtt <= 0 {
                self.srtt.set(1, log);
            }
            let deviation = i32::from(error.wrapping_abs());
            let change = deviation.wrapping_sub(right(*self.rttvar, config.t_rttvar_bits)) as i16;
            self.rttvar.set(self.rttvar.wrapping_add(i32::from(change)), log);
            if *self.rttvar <= 0 {
                self.rttvar.set(1, log);
            }
        } else {
            self.srtt.set(left(*self.rtt, config.t_srtt_bits), log);
            self.rttvar.set(left(*self.rtt, config.t_rttvar_bits - 1), log);
        }
        self.set_timeout(config);
    }

    fn set_timeout(&mut self, config: &Config) {
        let timeout_ticks = if config.rules.deviation {
            let deviations = left(*self.rttvar, config.rttvar_exp + (config.t_srtt_bits - config.t_rttvar_bits));
            right(deviations.wrapping_add(*self.srtt), config.t_srtt_bits)
        } else {
            right(*self.srtt, config.t_srtt_bits - 1)
        };
        self.timeout_s = f64::from(timeout_ticks) * config.tcp_tick;
    }

    /// Adds a sample as a Linux sender does. If the round-trip time falls, the deviation grows only by an eighth of the
    /// excess. The deviation has no positive minimum.
    pub fn sample_as_linux(&mut self, ticks: i32, config: &Config, log: &mut Log) {
        self.rtt.set(ticks, log);
        if *self.rtt < 1 {
            self.rtt.set(1, log);
        }
        if *self.srtt != 0 {
            let error = self.rtt.wrapping_sub(self.smoothed_ticks(config)) as i16;
            self.srtt.set(self.srtt.wrapping_add(i32::from(error)), log);
            if *self.srtt <= 0 {
                self.srtt.set(1, log);
            }
            let deviation = i32::from(error.wrapping_abs());
            let mut change = deviation.wrapping_sub(right(*self.rttvar, config.t_rttvar_bits)) as i16;
            if error < 0 && change > 0 {
                change = right(i32::from(change), config.t_srtt_bits) as i16;
            }
            self.rttvar.set(self.rttvar.wrapping_add(i32::from(change)), log);
        } else {
            self.srtt.set(left(*self.rtt, config.t_srtt_bits), log);
            self.rttvar.set(left(*self.rtt, config.t_rttvar_bits - 1), log);
        }
        self.set_timeout(config);
    }

    /// The retransmission timeout, s. Negative only if a parameter is.
    pub fn timeout(&self, config: &Config) -> f64 {
        self.timeout_from(config.minrto, config)
    }

    /// The timeout with another minimum, s.
    pub fn timeout_from(&self, least_s: f64, config: &Config) -> f64 {
        let backoff = f64::from(*self.backoff);
        let mut timeout_s = self.timeout_s * backoff;
        if self.timeout_s < least_s && config.rfc2988 {
            timeout_s = least_s * backoff;
        }
        if !config.rfc2988 && timeout_s < config.minrto {
            timeout_s = config.minrto;
        }
        if timeout_s > config.maxrto {
            timeout_s = config.maxrto;
        }
        if (0.0..2.0 * config.tcp_tick).contains(&timeout_s) { 2.0 * config.tcp_tick } else { timeout_s }
    }

    /// Doubles the timeout after a timeout, and discards the estimate after a few.
    pub fn back_off(&mut self, config: &Config, log: &mut Log) {
        if !config.rules.back_off {
            self.backoff.set(1, log);
            return;
        }
        let below_maximum =
            || config.rules.back_off_to_maximum && config.rfc2988 && self.timeout(config) < config.maxrto;
        if *self.backoff < MAX_BACKED_OFF || below_maximum() {
            self.backoff.set(self.backoff.wrapping_shl(1), log);
        }
        if *self.backoff > DOUBTED_FROM {
            self.rttvar.set(self.rttvar.wrapping_add(self.smoothed_ticks(config)), log);
            self.srtt.set(0, log);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> (TickRttEstimator, Config, Log) {
        let (mut estimate, config, mut log) = (TickRttEstimator::default(), Config::default(), Log::default());
        estimate.reset(&config, &mut log);
        (estimate, config, log)
    }

    // Computed by hand after Jacobson's appendix A, ticks of 10 ms: the first sample is the mean, half of it the
    // deviation.
    #[test]
    fn samples_move_the_estimate() {
        let (mut estimate, config, mut log) = fresh();
        estimate.sample(20, &config, &mut log);
        assert_eq!((*estimate.srtt, *estimate.rttvar), (20 << 3, 40));
        assert_eq!(estimate.timeout_s, 60.0 * 0.01); // 20 + 4 * 10 ticks
        estimate.sample(28, &config, &mut log);
        // error 8: the mean moves by an eighth of it; |8| - 10 = -2 moves the deviation by a quarter of that.
        assert_eq!((*estimate.srtt, *estimate.rttvar), ((20 << 3) + 8, 38));
        assert_eq!(estimate.timeout_s, 59.0 * 0.01); // (8 * 38 / 2 ... ) >> 3: (38 << 3 + 168) >> 3
        estimate.sample(0, &config, &mut log);
        assert_eq!(*estimate.rtt, 1);
    }

    // RFC 2988, sections 2.4 and 5.5, with ns-2's minimum timeout of 200 ms and maximum of 60 s.
    #[test]
    fn timeouts_keep_their_limits_and_double() {
        let (mut estimate, config, mut log) = fresh();
        assert_eq!(estimate.timeout(&config), 3.0);
        estimate.sample(1, &config, &mut log);
        assert_eq!(estimate.timeout(&config), 0.2);
        estimate.back_off(&config, &mut log);
        assert_eq!(estimate.timeout(&config), 0.4);
        for _ in 0..3 {
            estimate.back_off(&config, &mut log);
        }
        assert_eq!((*estimate.backoff, *estimate.srtt), (16, 0));
        for _ in 0..20 {
            estimate.back_off(&config, &mut log);
        }
        assert_eq!((*estimate.backoff, estimate.timeout(&config)), (512, 60.0));
    }
}
