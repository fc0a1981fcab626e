//! HyStart++: slow start ends when the round-trip time grows, before packets are lost.
//!
//! Source: P. Balasubramanian, Y. Huang, M. Olson, RFC 9406, sections 4.2 and 4.3.
//! What it decides: by how much an ACK lets the window grow in the initial slow start, and when this slow start ends. An
//! ACK counts for at most L packets: 8 without pacing, any number with it (4.3). When `ssthresh` has been set, slow
//! start is the standard one for the rest of the connection (4.3).
//! Departures: a round ends when a packet is delivered that was sent in it ([`Ack::ends_round`]). This is when the RFC's
//! `windowEnd` is acknowledged, a little earlier if packets were lost.
//! Not implemented: nothing.
//! Checked against: the RFC's constants and rules, by hand.

use super::{Ack, Path, Window};
use crate::params::Params;

/// `L` of a sender that does not pace: packets of an ACK that count in slow start (4.3).
const L_NON_PACED: u32 = 8;

/// `N_RTT_SAMPLE`: RTT samples per round before the round is evaluated (4.3).
const N_RTT_SAMPLE: u32 = 8;
/// `CSS_GROWTH_DIVISOR`: conservative slow start divides the growth by this (4.3).
const CSS_GROWTH_DIVISOR: f64 = 4.0;
/// `CSS_ROUNDS`: rounds of conservative slow start (4.3).
const CSS_ROUNDS: u32 = 5;
/// `MIN_RTT_THRESH`, s (4.3).
const MIN_RTT_THRESH_S: f64 = 0.004;
/// `MAX_RTT_THRESH`, s (4.3).
const MAX_RTT_THRESH_S: f64 = 0.016;
/// `MIN_RTT_DIVISOR` (4.3).
const MIN_RTT_DIVISOR: f64 = 8.0;

/// Conservative slow start, CSS (4.2).
#[derive(Clone, Copy, Debug)]
struct Css {
    /// `cssBaselineMinRtt`: the round's min RTT when CSS began, s.
    css_baseline_min_rtt_s: f64,
    /// Rounds since CSS began.
    rounds: u32,
}

/// The state of HyStart++ (4.2).
#[derive(Clone, Copy, Debug, Params)]
pub struct HyStart {
    /// Slow start ends when the RTT grows (HyStart++, RFC 9406).
    #[param("flag")]
    pub hystart: bool,
    /// `lastRoundMinRTT`, s; infinite before the first.
    last_round_min_rtt_s: f64,
    /// `currentRoundMinRTT`, s; infinite before the first sample.
    current_round_min_rtt_s: f64,
    /// `rttSampleCount`: RTT samples in this round.
    rtt_sample_count: u32,
    /// Conservative slow start, while active.
    css: Option<Css>,
}

impl HyStart {
    /// The state before the first round.
    pub fn new(hystart: bool) -> HyStart {
        HyStart {
            hystart,
            last_round_min_rtt_s: f64::INFINITY,
            current_round_min_rtt_s: f64::INFINITY,
            rtt_sample_count: 0,
            css: None,
        }
    }

    /// A connection starts, or a congestion event ends slow start.
    pub fn reset(&mut self) {
        *self = HyStart::new(self.hystart);
    }

    /// Grows the window for an ACK in slow start, if the window limits the sender. Returns the packets of the ACK that are
    /// left for congestion avoidance.
    pub fn grow(&mut self, ack: &Ack, path: &Path, window: &mut Window) -> f64 {
        let delivered = if path.is_limited { ack.delivered } else { 0 };
        // 4.3: only for the initial slow start, with `ssthresh` at its initial value.
        if !self.hystart || window.ssthresh.is_finite() {
            return window.slow_start(f64::from(delivered));
        }
        if ack.ends_round {
            self.start_round(window);
            if !window.in_slow_start() {
                return f64::from(delivered);
            }
        }
        let n = if path.is_paced { delivered } else { delivered.min(L_NON_PACED) };
        let divisor = if self.css.is_some() { CSS_GROWTH_DIVISOR } else { 1.0 };
        let left = window.slow_start(f64::from(n) / divisor);
        if let Some(curr_rtt_s) = ack.rtt_s {
            self.take_rtt_sample(curr_rtt_s);
        }
        left
    }

    /// Starts a round (4.2). Slow start ends after `CSS_ROUNDS` rounds of CSS. The rest of the round in which CSS began
    /// is one of them.
    fn start_round(&mut self, window: &mut Window) {
        self.last_round_min_rtt_s = self.current_round_min_rtt_s;
        self.current_round_min_rtt_s = f64::INFINITY;
        self.rtt_sample_count = 0;
        if let Some(css) = &mut self.css {
            css.rounds += 1;
            if css.rounds >= CSS_ROUNDS {
                window.ssthresh = window.cwnd;
            }
        }
    }

    /// Takes the RTT sample `currRTT`. Enters CSS if the RTT has grown by `RttThresh`. Leaves CSS if the RTT falls
    /// below `cssBaselineMinRtt` (4.2).
    fn take_rtt_sample(&mut self, curr_rtt_s: f64) {
        self.current_round_min_rtt_s = self.current_round_min_rtt_s.min(curr_rtt_s);
        self.rtt_sample_count += 1;
        if self.rtt_sample_count < N_RTT_SAMPLE {
            return;
        }
        match self.css {
            None if self.current_round_min_rtt_s.is_finite() && self.last_round_min_rtt_s.is_finite() => {
                let rtt_thresh_s =
                    (self.last_round_min_rtt_s / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH_S, MAX_RTT_THRESH_S);
                if self.current_round_min_rtt_s >= self.last_round_min_rtt_s + rtt_thresh_s {
                    self.css = Some(Css { css_baseline_min_rtt_s: self.current_round_min_rtt_s, rounds: 0 });
                }
            }
            // The exit from slow start was spurious: resume it.
            Some(css) if self.current_round_min_rtt_s < css.css_baseline_min_rtt_s => self.css = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> Path {
        Path { is_limited: true, ..Path::default() }
    }

    fn round(hystart: &mut HyStart, window: &mut Window, rtt_s: f64, acks: u32) {
        for number in 0..acks {
            let ack = Ack { delivered: 1, rtt_s: Some(rtt_s), ends_round: number == 0, ..Ack::default() };
            hystart.grow(&ack, &path(), window);
        }
    }

    fn open() -> (HyStart, Window) {
        (HyStart::new(true), Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false })
    }

    // RFC 9406, 4.2: RttThresh = max(4 ms, min(lastRoundMinRTT / 8, 16 ms)): 5 ms of 40 ms, 4 of 20, 16 of 400.
    #[test]
    fn css_starts_when_the_rtt_has_grown_by_rtt_thresh() {
        for (rtt_s, rtt_thresh_s) in [(0.040, 0.005), (0.020, 0.004), (0.400, 0.016)] {
            let (mut hystart, mut window) = open();
            round(&mut hystart, &mut window, rtt_s, 8);
            round(&mut hystart, &mut window, rtt_s + rtt_thresh_s - 0.0001, 8);
            assert!(hystart.css.is_none());
            let (mut hystart, mut window) = open();
            round(&mut hystart, &mut window, rtt_s, 8);
            round(&mut hystart, &mut window, rtt_s + rtt_thresh_s + 0.0001, 7);
            assert!(hystart.css.is_none(), "seven samples are not enough");
            let more = Ack { rtt_s: Some(rtt_s + rtt_thresh_s + 0.0001), ..Ack::default() };
            hystart.grow(&more, &path(), &mut window);
            assert!(hystart.css.is_some());
        }
    }

    // 4.2: in CSS an ACK adds a quarter; after 5 rounds ssthresh is the window.
    #[test]
    fn css_lasts_five_rounds_at_a_quarter_of_the_growth() {
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
        assert_eq!(hystart.grow(&ack, &path(), &mut window), 1.0);
        assert_eq!(window.ssthresh, 34.0);
    }

    // 4.2: an RTT below cssBaselineMinRtt resumes slow start.
    #[test]
    fn an_rtt_below_the_css_baseline_resumes_slow_start() {
        let (mut hystart, mut window) = open();
        round(&mut hystart, &mut window, 0.040, 8);
        round(&mut hystart, &mut window, 0.050, 8);
        round(&mut hystart, &mut window, 0.049, 8);
        assert!(hystart.css.is_none());
    }

    // 4.3: an ACK counts for at most L packets, 8 without pacing, any number with it; in CSS for a quarter of them.
    #[test]
    fn an_ack_counts_for_eight_packets_without_pacing() {
        let ack = Ack { delivered: 20, ..Ack::default() };
        for (is_paced, more, more_in_css) in [(false, 8.0, 2.0), (true, 20.0, 5.0)] {
            let path = Path { is_paced, ..path() };
            let (mut hystart, mut window) = open();
            hystart.grow(&ack, &path, &mut window);
            assert_eq!(window.cwnd, 10.0 + more);
            hystart.css = Some(Css { css_baseline_min_rtt_s: 0.1, rounds: 0 });
            hystart.grow(&ack, &path, &mut window);
            assert_eq!(window.cwnd, 10.0 + more + more_in_css);
        }
    }

    // 4.3: with ssthresh set, slow start is the standard one, whatever the RTTs are.
    #[test]
    fn later_slow_starts_are_standard() {
        let (mut hystart, mut window) = open();
        window.ssthresh = 1000.0;
        for rtt_s in [0.040, 0.080, 0.160, 0.320, 0.640, 1.280, 2.560] {
            round(&mut hystart, &mut window, rtt_s, 8);
        }
        assert_eq!((window.cwnd, window.ssthresh), (10.0 + 7.0 * 8.0, 1000.0));
    }

    // 4.2: each ACK's RTT counts, also while the application limits the sender and the window does not grow.
    #[test]
    fn round_trips_are_measured_while_the_window_does_not_grow() {
        let (mut hystart, mut window) = open();
        round(&mut hystart, &mut window, 0.040, 8);
        let ack = |number| Ack { delivered: 1, rtt_s: Some(0.050), ends_round: number == 0, ..Ack::default() };
        for number in 0..8 {
            hystart.grow(&ack(number), &Path::default(), &mut window);
        }
        assert!(hystart.css.is_some());
        assert_eq!(window.cwnd, 18.0);
    }
}
