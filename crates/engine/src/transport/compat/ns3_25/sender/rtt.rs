//! The RTT estimator and retransmission timeout of ns-3.25.
//!
//! Source: RFC 6298; V. Jacobson, "Congestion avoidance and control", SIGCOMM 1988, appendix A; ns-3.25's
//! `RttMeanDeviation` and `TcpSocketBase`. Times are integers in nanoseconds; timestamps count whole ticks.

use crate::transport::one_way::config::Config;
use std::collections::VecDeque;

const NS: f64 = 1e9;

/// Converts seconds to whole nanoseconds.
pub fn ns(time_s: f64) -> i64 {
    (time_s * NS).round() as i64
}

/// An unacknowledged packet.
struct Sent {
    at_ns: i64,
    again: bool,
}

/// The RTT estimator.
#[derive(Default)]
pub struct RttMeanDeviation {
    /// The packets from `first` on.
    sent: VecDeque<Sent>,
    first: i32,
    /// The smoothed round-trip time, ns; 0 before the first sample.
    pub smoothed_ns: i64,
    deviation_ns: i64,
    /// The timeout, s.
    pub timeout_s: f64,
}

impl RttMeanDeviation {
    /// Resets the estimate; the timeout is the initial one for a SYN.
    pub fn reset(&mut self, config: &Config) {
        *self = RttMeanDeviation { timeout_s: config.rtxcur_init, ..RttMeanDeviation::default() };
    }

    /// Records the transmission of packet `seqno`.
    pub fn sent(&mut self, seqno: i32, now_ns: i64) {
        let place = usize::try_from(seqno - self.first).unwrap_or(usize::MAX);
        if let Some(known) = self.sent.get_mut(place) {
            known.again = true;
        } else if place == self.sent.len() {
            self.sent.push_back(Sent { at_ns: now_ns, again: false });
        }
    }

    /// Processes an ACK of everything up to `seqno` with an echoed timestamp. Takes an RTT sample unless the oldest
    /// packet that it acknowledges was retransmitted. Returns whether it took one.
    pub fn acknowledged(&mut self, seqno: i32, echo_ns: i64, now_ns: i64, config: &Config) -> bool {
        let sample_ns = match self.sent.front() {
            Some(oldest) if !oldest.again && seqno >= self.first => {
                let tick_ns = ns(config.tcp_tick).max(1);
                let ticks = now_ns / tick_ns - echo_ns / tick_ns;
                if config.timestamps { ticks * tick_ns } else { now_ns - oldest.at_ns }
            }
            _ => 0,
        };
        while seqno >= self.first && self.sent.pop_front().is_some() {
            self.first += 1;
        }
        if sample_ns != 0 {
            self.sample(sample_ns);
            self.renew(config);
        }
        sample_ns != 0
    }

    fn sample(&mut self, sample_ns: i64) {
        if self.smoothed_ns == 0 {
            self.smoothed_ns = sample_ns;
            self.deviation_ns = sample_ns / 2;
            return;
        }
        let error = sample_ns - self.smoothed_ns;
        self.smoothed_ns = ((self.smoothed_ns << 3) + error) >> 3;
        self.deviation_ns = ((self.deviation_ns << 2) + error.abs() - self.deviation_ns) >> 2;
    }

    /// Computes the timeout from the estimate, without back-off.
    pub fn renew(&mut self, config: &Config) {
        let margin_s = ((4 * self.deviation_ns) as f64 / NS).max(config.tcp_tick);
        self.timeout_s = (self.smoothed_ns as f64 / NS + margin_s).max(config.minrto);
    }

    /// Doubles the timeout.
    pub fn back_off(&mut self, config: &Config) {
        self.timeout_s = (2.0 * self.timeout_s).min(config.maxrto);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// RFC 6298, section 2, computed by hand, with timestamps of 1 ms; Karn's algorithm (section 3) for packet 3.
    #[test]
    fn the_estimate_is_the_rfcs() {
        let config = Config { timestamps: true, tcp_tick: 0.001, minrto: 0.0, rtxcur_init: 3.0, ..Config::default() };
        let mut rtt = RttMeanDeviation::default();
        rtt.reset(&config);
        assert_eq!(rtt.timeout_s, 3.0);
        for seqno in 0..4 {
            rtt.sent(seqno, 0);
        }
        // Half a tick at each end is truncated.
        assert!(rtt.acknowledged(0, MS / 2, 100 * MS + MS / 2, &config));
        assert_eq!((rtt.smoothed_ns, rtt.timeout_s), (100 * MS, 0.1 + 4.0 * 0.05));
        // RTTVAR = 3/4 * 50 + 1/4 * 40 = 47.5, SRTT = 7/8 * 100 + 1/8 * 140 = 105.
        assert!(rtt.acknowledged(2, 0, 140 * MS, &config));
        assert_eq!((rtt.smoothed_ns, rtt.deviation_ns), (105 * MS, 47_500_000));
        rtt.back_off(&config);
        assert_eq!(rtt.timeout_s, 2.0 * (0.105 + 0.19));
        rtt.sent(3, 500 * MS);
        assert!(!rtt.acknowledged(3, 500 * MS, 600 * MS, &config));
        assert_eq!(rtt.smoothed_ns, 105 * MS);
    }
}
