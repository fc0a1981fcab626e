//! HyStart++: slow start ends when round trips grow, before packets are lost.
//!
//! Source: P. Balasubramanian, Y. Huang, M. Olson, RFC 9406, sections 4.2 and 4.3.
//! What it decides: how much of what an ACK acknowledges the window grows by in slow start, and when slow start is over.
//! Departures: a round ends when a packet is delivered that was sent in it, which is when the RFC's `windowEnd` is
//! acknowledged, with losses a little earlier. L is 8 for senders that do not pace and infinite for those that do
//! (4.3, "L").
//! Not implemented: nothing.
//! Checked against: the RFC's constants and rules, by hand.

use super::{Ack, Window};
use crate::params;

/// Of each round, RTTs that are looked at before it is judged.
const N_RTT_SAMPLE: u32 = 8;
/// Growth in conservative slow start is slower by this factor.
const CSS_GROWTH_DIVISOR: f64 = 4.0;
/// Rounds of conservative slow start.
const CSS_ROUNDS: u32 = 5;
const MIN_RTT_THRESH_S: f64 = 0.004;
const MAX_RTT_THRESH_S: f64 = 0.016;
const MIN_RTT_DIVISOR: f64 = 8.0;

/// What it keeps of slow start.
#[derive(Clone, Copy, Debug)]
pub struct HyStart {
    /// Whether it is used.
    pub hystart: bool,
    last_round_min_s: f64,
    round_min_s: f64,
    samples: u32,
    /// In conservative slow start: the round trip that it began from, and rounds so far.
    conservative: Option<(f64, u32)>,
}

params!(HyStart { hystart });

impl HyStart {
    /// It has seen no round.
    pub fn new(hystart: bool) -> HyStart {
        HyStart { hystart, last_round_min_s: f64::INFINITY, round_min_s: f64::INFINITY, samples: 0, conservative: None }
    }

    /// Slow start begins anew.
    pub fn reset(&mut self) {
        *self = HyStart::new(self.hystart);
    }

    /// Slow start for an ACK; packets that are left for congestion avoidance.
    pub fn grow(&mut self, ack: &Ack, packets: f64, window: &mut Window) -> f64 {
        if !self.hystart {
            return window.slow_start(packets);
        }
        if ack.ends_round {
            self.begin_round(window);
            if !window.in_slow_start() {
                return packets;
            }
        }
        let divisor = if self.conservative.is_some() { CSS_GROWTH_DIVISOR } else { 1.0 };
        let left = window.slow_start(packets / divisor);
        self.look(ack.rtt_s);
        left
    }

    fn begin_round(&mut self, window: &mut Window) {
        self.last_round_min_s = self.round_min_s;
        self.round_min_s = f64::INFINITY;
        self.samples = 0;
        if let Some((_, rounds)) = &mut self.conservative {
            *rounds += 1;
            if *rounds >= CSS_ROUNDS {
                window.ssthresh = window.cwnd;
            }
        }
    }

    fn look(&mut self, rtt_s: Option<f64>) {
        let Some(rtt_s) = rtt_s else { return };
        self.round_min_s = self.round_min_s.min(rtt_s);
        self.samples += 1;
        if self.samples < N_RTT_SAMPLE {
            return;
        }
        match self.conservative {
            None if self.round_min_s.is_finite() && self.last_round_min_s.is_finite() => {
                let threshold_s = (self.last_round_min_s / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH_S, MAX_RTT_THRESH_S);
                if self.round_min_s >= self.last_round_min_s + threshold_s {
                    self.conservative = Some((self.round_min_s, 0));
                }
            }
            // The growth was not of the queue: back to slow start.
            Some((baseline_s, _)) if self.round_min_s < baseline_s => self.conservative = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(hystart: &mut HyStart, window: &mut Window, rtt_s: f64, acks: u32) {
        for number in 0..acks {
            let ack = Ack { delivered: 1, rtt_s: Some(rtt_s), ends_round: number == 0, ..Ack::default() };
            hystart.grow(&ack, 1.0, window);
        }
    }

    fn open() -> (HyStart, Window) {
        (HyStart::new(true), Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false })
    }

    // RFC 9406, 4.2: RttThresh = max(4 ms, min(lastRoundMinRTT / 8, 16 ms)): 5 ms of 40 ms, 4 of 20, 16 of 400.
    #[test]
    fn slow_start_turns_conservative_when_the_round_trip_has_grown_by_the_threshold() {
        for (rtt_s, threshold_s) in [(0.040, 0.005), (0.020, 0.004), (0.400, 0.016)] {
            let (mut hystart, mut window) = open();
            round(&mut hystart, &mut window, rtt_s, 8);
            round(&mut hystart, &mut window, rtt_s + threshold_s - 0.0001, 8);
            assert!(hystart.conservative.is_none());
            let (mut hystart, mut window) = open();
            round(&mut hystart, &mut window, rtt_s, 8);
            round(&mut hystart, &mut window, rtt_s + threshold_s + 0.0001, 7);
            assert!(hystart.conservative.is_none(), "seven samples are not enough");
            let more = Ack { rtt_s: Some(rtt_s + threshold_s + 0.0001), ..Ack::default() };
            hystart.grow(&more, 1.0, &mut window);
            assert!(hystart.conservative.is_some());
        }
    }

    // 4.2: in CSS an ACK adds a quarter; after 5 rounds ssthresh is the window.
    #[test]
    fn conservative_slow_start_lasts_five_rounds_at_a_quarter_of_the_growth() {
        let (mut hystart, mut window) = open();
        round(&mut hystart, &mut window, 0.040, 8);
        round(&mut hystart, &mut window, 0.050, 8);
        assert_eq!(window.cwnd, 26.0);
        for expected in [28.0, 30.0, 32.0, 34.0] {
            round(&mut hystart, &mut window, 0.050, 8);
            assert_eq!(window.cwnd, expected);
        }
        assert!(window.in_slow_start());
        let ack = Ack { delivered: 1, ends_round: true, rtt_s: Some(0.050), ..Ack::default() };
        assert_eq!(hystart.grow(&ack, 1.0, &mut window), 1.0);
        assert_eq!(window.ssthresh, 34.0);
    }

    // 4.2: a round trip below the baseline sends it back to slow start.
    #[test]
    fn a_shorter_round_trip_resumes_slow_start() {
        let (mut hystart, mut window) = open();
        round(&mut hystart, &mut window, 0.040, 8);
        round(&mut hystart, &mut window, 0.050, 8);
        round(&mut hystart, &mut window, 0.049, 8);
        assert!(hystart.conservative.is_none());
    }
}
