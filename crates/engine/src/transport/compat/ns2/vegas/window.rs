//! The window rule of TCP Vegas: compares the expected with the measured throughput.
//!
//! Source: L. Brakmo and L. Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC
//! 13(8), 1995; ns-2.35's `Agent/TCP/Vegas`.
//! What it decides: once per round trip, whether the window grows, shrinks or stays. The target is alpha to beta
//! packets in the bottleneck's queue. Slow start grows every other round trip and ends at gamma.
//! Departures: the difference is rounded to whole packets; the window grows only while the sender fills it.
//! Not implemented: pacing of the packets that a larger window allows.
//! Checked against: ns-2.35.
//!
//! Retransmission and the fine-grained timeout are in [`crate::transport::compat::ns2::vegas`].

use crate::params::Params;

/// Thresholds, packets.
#[derive(Clone, Copy, Debug, Params)]
pub struct Thresholds {
    /// Vegas: the minimum number of packets that it keeps in queues.
    #[param("packets")]
    pub v_alpha: i32,
    /// Vegas: the maximum number of packets that it keeps in queues.
    #[param("packets")]
    pub v_beta: i32,
    /// Vegas: the number of packets in queues that ends slow start.
    #[param("packets")]
    pub v_gamma: i32,
}

/// The sender's state at the end of a round trip.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Time since the first packet, s.
    pub now_s: f64,
    /// The next new packet.
    pub next: i32,
    /// The highest packet acknowledged.
    pub acked: i32,
    /// The window.
    pub cwnd: f64,
    /// Whether the sender is in slow start.
    pub slow_start: bool,
}

/// Immediate change of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// No change.
    Keep,
    /// Shrink by one packet.
    Retreat,
    /// End slow start and shrink by one eighth.
    EndSlowStart,
}

/// Measurements, and the growth in the current round trip.
#[derive(Clone, Debug)]
pub struct Vegas {
    /// The minimum round-trip time, s.
    pub base_rtt_s: f64,
    /// The throughput in the last round trip, packets/s.
    pub actual: f64,
    sum_s: f64,
    samples: i32,
    round_ends_with: i32,
    round_began_s: f64,
    step: f64,
    growing_round: bool,
}

impl Default for Vegas {
    fn default() -> Vegas {
        Vegas {
            base_rtt_s: 1e9,
            actual: 0.0,
            sum_s: 0.0,
            samples: 0,
            round_ends_with: 0,
            round_began_s: 0.0,
            step: 0.0,
            growing_round: true,
        }
    }
}

impl Vegas {
    /// Whether the ACK of packet `acked` ends a round trip.
    pub fn ends_round(&self, acked: i32) -> bool {
        acked >= self.round_ends_with
    }

    /// Adds an RTT sample.
    pub fn sample(&mut self, rtt_s: f64) {
        self.sum_s += rtt_s;
        self.samples += 1;
    }

    /// Decides on the next round trip.
    pub fn end_round(&mut self, round: &Round, thresholds: &Thresholds) -> Decision {
        let rtt_s =
            if self.samples > 0 { self.sum_s / f64::from(self.samples) } else { round.now_s - self.round_began_s };
        self.sum_s = 0.0;
        self.samples = 0;
        let sent = round.next - self.round_ends_with;
        let mut decision = Decision::Keep;
        if rtt_s > 0.0 {
            if rtt_s < self.base_rtt_s || sent <= 1 {
                self.base_rtt_s = rtt_s;
            }
            let actual = f64::from(sent) / rtt_s;
            self.actual = actual;
            let expected = f64::from(round.next - round.acked) / self.base_rtt_s;
            let queued = ((expected - actual) * self.base_rtt_s + 0.5) as i32;
            decision = self.decide(queued, round, thresholds);
        }
        self.round_ends_with = round.next;
        self.round_began_s = round.now_s;
        decision
    }

    fn decide(&mut self, queued: i32, round: &Round, thresholds: &Thresholds) -> Decision {
        self.step = 0.0;
        if round.slow_start {
            self.growing_round = !self.growing_round;
            if self.growing_round {
                if queued > thresholds.v_gamma {
                    return Decision::EndSlowStart;
                }
                self.step = 1.0;
            }
        } else if queued > thresholds.v_beta {
            return Decision::Retreat;
        } else if queued < thresholds.v_alpha {
            self.step = 1.0 / round.cwnd;
        }
        Decision::Keep
    }

    /// The window after an ACK of new data.
    pub fn grow(&mut self, cwnd: f64, in_flight: i32, slow_start: bool) -> f64 {
        if self.step == 1.0 && !slow_start {
            self.step = 0.0;
        }
        if self.step > 0.0 && cwnd - f64::from(in_flight) <= 2.0 { cwnd + self.step } else { cwnd }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition in Brakmo and Peterson, section 3.2: diff = (window/base - sent/rtt) * base, against alpha and beta.
    #[test]
    fn the_difference_decides() {
        let thresholds = Thresholds { v_alpha: 1, v_beta: 3, v_gamma: 1 };
        let round = Round { now_s: 0.0, next: 10, acked: 0, cwnd: 10.0, slow_start: false };
        let decide = |rtt_s| {
            let mut law = Vegas { base_rtt_s: 0.1, ..Vegas::default() };
            law.sample(rtt_s);
            let decision = law.end_round(&round, &thresholds);
            (decision, law.step)
        };
        assert_eq!(decide(0.1), (Decision::Keep, 0.1)); // nothing queued
        assert_eq!(decide(0.125), (Decision::Keep, 0.0)); // 2 queued
        assert_eq!(decide(0.2), (Decision::Retreat, 0.0)); // 5 queued
    }
}
