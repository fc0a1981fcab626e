//! RTT estimator, retransmission timeout (RTO) and the minimum filter of the RTT.
//!
//! Source: V. Paxson, M. Allman, J. Chu, M. Sargent, RFC 6298, section 2; Linux, net/ipv4/tcp_input.c (`tcp_rtt_estimator`,
//! `tcp_set_rto`, `tcp_update_rtt_min`); K. Nichols' windowed minimum (lib/win_minmax.c).
//! What it decides: the RTO without backoff, and the min RTT of a window of time.
//! Departures from the RFC, all of them Linux's: `rttvar` is the max of the mean deviation over a round trip and falls by a
//! quarter per round trip; a sample below `srtt` changes the deviation less; the min RTO (200 ms) bounds 4 RTTVAR and not
//! the RTO.
//! Not implemented: nothing.
//! Checked against: the RFC's formulas by hand, where Linux agrees with them.

use super::super::Socket;
use super::super::clock::{Duration, Instant};
use super::super::seq::SeqNum;
use super::flag::Flag;

/// `TCP_TIMEOUT_MIN_US`: what RACK's and TLP's timers wait longer, us.
pub const TIMEOUT_MIN_US: u64 = 2_000;

/// `usecs_to_jiffies`: a time in timer ticks, rounded up.
#[inline]
pub fn usecs_to_jiffies(us: u64, hz: u32) -> u64 {
    us.div_ceil(1_000_000 / u64::from(hz))
}

/// A number of timer ticks as a length of time.
#[inline]
pub fn jiffies(ticks: u64, hz: u32) -> Duration {
    Duration::from_nanos(ticks * (1_000_000_000 / u64::from(hz)))
}

/// A time rounded up to timer ticks.
#[inline]
pub fn usecs_in_jiffies(us: u64, hz: u32) -> Duration {
    // With the default the divisors are constants, so that there is no division.
    if hz == 250 { jiffies(usecs_to_jiffies(us, 250), 250) } else { jiffies(usecs_to_jiffies(us, hz), hz) }
}

/// The state of RFC 6298, section 2, with Linux's names and scales.
#[derive(Clone, Copy, Debug, Default)]
pub struct RttEstimator {
    /// The last sample, us; 0 before the first.
    pub latest_us: u32,
    /// 8 SRTT, us; 0 before the first sample.
    pub srtt_us: u32,
    /// 4 times the mean deviation, us.
    pub mdev_us: u32,
    /// Max of `mdev_us` in this round trip.
    pub mdev_max_us: u32,
    /// What the RTO adds to SRTT, us: 4 RTTVAR.
    pub rttvar_us: u32,
    /// The round trip of `mdev_max_us` ends when SND.UNA passes this number.
    pub rtt_seq: SeqNum,
}

impl RttEstimator {
    /// `tcp_rtt_estimator`: takes an RTT sample, us.
    pub fn sample(&mut self, rtt_us: u32, snd_una: SeqNum, snd_nxt: SeqNum, rto_min_us: u32) {
        self.latest_us = rtt_us;
        let mut m = i64::from(rtt_us);
        let mut srtt = i64::from(self.srtt_us);
        if srtt == 0 {
            srtt = m << 3;
            self.mdev_us = rtt_us << 1;
            self.rttvar_us = self.mdev_us.max(rto_min_us);
            self.mdev_max_us = self.rttvar_us;
            self.rtt_seq = snd_nxt;
        } else {
            m -= srtt >> 3;
            srtt += m;
            let mdev = i64::from(self.mdev_us);
            if m < 0 {
                m = -m - (mdev >> 2);
                // A falling RTT must not raise the deviation as much.
                if m > 0 {
                    m >>= 3;
                }
            } else {
                m -= mdev >> 2;
            }
            self.mdev_us = (mdev + m) as u32;
            if self.mdev_us > self.mdev_max_us {
                self.mdev_max_us = self.mdev_us;
                self.rttvar_us = self.rttvar_us.max(self.mdev_max_us);
            }
            if snd_una.after(self.rtt_seq) {
                if self.mdev_max_us < self.rttvar_us {
                    self.rttvar_us -= (self.rttvar_us - self.mdev_max_us) >> 2;
                }
                self.rtt_seq = snd_nxt;
                self.mdev_max_us = rto_min_us;
            }
        }
        self.srtt_us = srtt.max(1) as u32;
    }

    /// `__tcp_set_rto`: the RTO without backoff, in timer ticks rounded up.
    pub fn rto(&self, hz: u32, rto_max: Duration) -> Duration {
        usecs_in_jiffies(u64::from(self.srtt_us >> 3) + u64::from(self.rttvar_us), hz).min(rto_max)
    }

    /// There was no sample from the handshake: a conservative estimate (RFC 6298, 5.7).
    pub fn set_fallback(&mut self, fallback: Duration) {
        self.rttvar_us = fallback.as_micros() as u32;
        (self.mdev_us, self.mdev_max_us) = (self.rttvar_us, self.rttvar_us);
    }
}

/// The minimum of a window of time, from three samples.
#[derive(Clone, Copy, Debug)]
pub struct WindowedMin {
    /// The best, second best and third best, each later than the one before: time and value, us.
    samples: [(u64, u32); 3],
}

impl Default for WindowedMin {
    fn default() -> WindowedMin {
        WindowedMin { samples: [(0, u32::MAX); 3] }
    }
}

impl WindowedMin {
    /// The minimum, us; `u32::MAX` before the first sample.
    #[inline]
    pub fn get(&self) -> u32 {
        self.samples[0].1
    }

    /// `minmax_running_min`: takes a sample.
    pub fn update(&mut self, window_us: u64, now_us: u64, value: u32) {
        let sample = (now_us, value);
        let [first, second, third] = &mut self.samples;
        if value <= first.1 || now_us - third.0 > window_us {
            self.samples = [sample; 3];
            return;
        }
        if value <= second.1 {
            (*second, *third) = (sample, sample);
        } else if value <= third.1 {
            *third = sample;
        }
        let age = now_us - first.0;
        if age > window_us {
            // The best has expired: the others move up.
            (*first, *second, *third) = (*second, *third, sample);
            if now_us - first.0 > window_us {
                (*first, *second, *third) = (*second, *third, sample);
            }
        } else if second.0 == first.0 && age > window_us / 4 {
            (*second, *third) = (sample, sample);
        } else if third.0 == second.0 && age > window_us / 2 {
            *third = sample;
        }
    }
}

impl Socket {
    /// Updates the min RTT, the smoothed RTT and the RTO; ends the backoff (RFC 6298, 5.7).
    pub(super) fn take_rtt_sample(&mut self, now: Instant, seq_rtt_us: u32, ca_rtt_us: u32, flag: Flag) {
        let hz = self.config.hz;
        let snd = &mut self.snd;
        // `tcp_update_rtt_min`: a delayed ACK must not replace an older, lower sample.
        if !flag.has(Flag::ACK_MAYBE_DELAYED) || ca_rtt_us <= snd.min_rtt_us() {
            let value = if ca_rtt_us == 0 { jiffies(1, hz).as_micros() as u32 } else { ca_rtt_us };
            snd.rtt_min.update(self.config.min_rtt_window.as_micros(), now.as_micros(), value);
        }
        snd.rtt.sample(seq_rtt_us, snd.snd_una, snd.snd_nxt, self.config.rto_min.as_micros() as u32);
        snd.rto = snd.rtt.rto(hz, self.config.rto_max);
        snd.backoff = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTO_MAX: Duration = Duration::from_secs(120);

    // RFC 6298, 2.2: R = 0.4 s gives SRTT 0.4, RTTVAR 0.2, RTO 1.2 s; 2.3: R' = 0.8 gives RTTVAR 0.25, SRTT 0.45, RTO 1.45 s
    // (here the next tick of 4 ms: 1.452 s). Linux has the RFC's RTTVAR where the RTT rises.
    #[test]
    fn the_rto_is_srtt_and_four_rttvar() {
        let mut rtt = RttEstimator::default();
        rtt.sample(400_000, SeqNum(1), SeqNum(1), 200_000);
        assert_eq!((rtt.srtt_us >> 3, rtt.rttvar_us), (400_000, 800_000));
        assert_eq!(rtt.rto(1000, RTO_MAX), Duration::from_millis(1200));
        rtt.sample(800_000, SeqNum(1), SeqNum(5), 200_000);
        assert_eq!((rtt.srtt_us >> 3, rtt.rttvar_us), (450_000, 1_000_000));
        assert_eq!(rtt.rto(250, RTO_MAX), Duration::from_millis(1452));
        assert_eq!(rtt.rto(250, Duration::from_secs(1)), Duration::from_secs(1));
    }

    // A steady RTT of 50 ms: 4 RTTVAR falls to the min RTO, by a quarter of the difference per round trip.
    #[test]
    fn the_min_rto_bounds_the_deviation() {
        let mut rtt = RttEstimator::default();
        for round in 0..200 {
            rtt.sample(50_000, SeqNum(round + 1), SeqNum(round), 200_000);
        }
        assert_eq!(rtt.rto(250, RTO_MAX), Duration::from_millis(252));
    }

    #[test]
    fn the_minimum_expires() {
        let mut min = WindowedMin::default();
        assert_eq!(min.get(), u32::MAX);
        for (now_us, value, expected) in
            [(0, 50, 50), (30, 80, 50), (60, 70, 50), (99, 90, 50), (101, 95, 70), (161, 90, 90)]
        {
            min.update(100, now_us, value);
            assert_eq!(min.get(), expected, "at {now_us}");
        }
    }
}
