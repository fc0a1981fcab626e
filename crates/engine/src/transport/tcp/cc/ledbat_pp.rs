//! LEDBAT++: LEDBAT without the late-comer's advantage, by round trips, with slowdowns that let the queue drain.
//!
//! Source: P. Balasubramanian, O. Ertugay, D. Havey, draft-irtf-iccrg-ledbat-plus-plus-01, section 4.
//! What it decides: slow start that ends at three quarters of the target (4.1), growth by a gain that is small on short round
//! trips (4.2), decline in proportion to the window (4.3), slowdowns of two round trips at two packets, a tenth of the time
//! (4.4). Delays are round trips, the target is 60 ms (4.5).
//! Departures: none known. Not implemented: nothing.
//! Checked against: the draft's equations by hand; the target on the wire (tests/spec/test_modern_delay.py).

use super::base_delay::BaseDelay;
use super::{Ack, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::params;
use crate::params::own_params;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "ledbat_pp",
    about: "background transfers by round trips, with slowdowns (draft-irtf-iccrg-ledbat-plus-plus)",
    make: || Box::new(LedbatPp::default()),
};

const MIN_CWND: f64 = 2.0;
/// Round trips of which the least is the present one (4.5).
const CURRENT_FILTER: usize = 4;
/// The decline's constant of 4.3.
const DECREASE: f64 = 1.0;
/// So many times what a slowdown has lasted pass before the next one (4.4).
const SLOWDOWN_EVERY: f64 = 9.0;

/// Where it is between slowdowns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Slowdown {
    /// The next one begins at this time, s, if one is planned.
    #[default]
    None,
    Planned(f64),
    /// Since when, and until when two packets are in flight, s.
    Holding(f64, f64),
    /// Slow start back to the window of before; since when the slowdown lasts.
    Returning(f64),
}

struct LedbatPp {
    /// The queueing delay aimed at, s.
    target: f64,
    base: BaseDelay,
    recent_s: [f64; CURRENT_FILTER],
    next: usize,
    slowdown: Slowdown,
    is_first_start: bool,
}

params!(LedbatPp { target });

impl Default for LedbatPp {
    fn default() -> LedbatPp {
        LedbatPp {
            target: 0.06,
            base: BaseDelay::default(),
            recent_s: [f64::INFINITY; CURRENT_FILTER],
            next: 0,
            slowdown: Slowdown::None,
            is_first_start: true,
        }
    }
}

impl LedbatPp {
    /// 4.2: one over 2 * TARGET / base, between 1/16 and 1.
    fn gain(&self) -> f64 {
        1.0 / (2.0 * self.target / self.base.get()).ceil().clamp(1.0, 16.0)
    }

    fn follow_slowdown(&mut self, path: &Path, window: &mut Window) {
        self.slowdown = match self.slowdown {
            Slowdown::Planned(at_s) if path.now_s >= at_s => {
                window.ssthresh = window.cwnd;
                window.cwnd = MIN_CWND;
                Slowdown::Holding(path.now_s, path.now_s + 2.0 * path.srtt_s)
            }
            Slowdown::Holding(since_s, until_s) if path.now_s >= until_s => Slowdown::Returning(since_s),
            Slowdown::Returning(since_s) if !window.in_slow_start() => {
                Slowdown::Planned(path.now_s + SLOWDOWN_EVERY * (path.now_s - since_s))
            }
            Slowdown::None if !window.in_slow_start() => Slowdown::Planned(path.now_s + 2.0 * path.srtt_s),
            other => other,
        };
    }
}

impl Control for LedbatPp {
    fn start(&mut self, _path: &Path, window: &mut Window) {
        *self = LedbatPp { target: self.target, ..LedbatPp::default() };
        window.cwnd = MIN_CWND;
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if let Some(rtt_s) = ack.rtt_s {
            self.base.update(rtt_s, path.now_s);
            self.recent_s[self.next] = rtt_s;
            self.next = (self.next + 1) % CURRENT_FILTER;
        }
        let current_s = self.recent_s.iter().copied().fold(f64::INFINITY, f64::min);
        if path.is_recovering || !current_s.is_finite() {
            return;
        }
        self.follow_slowdown(path, window);
        if matches!(self.slowdown, Slowdown::Holding(..)) || !path.is_limited {
            return;
        }
        let queue_s = current_s - self.base.get();
        let packets = f64::from(ack.delivered);
        if window.in_slow_start() {
            // 4.1: only the first slow start ends by delay.
            if self.is_first_start && queue_s > 0.75 * self.target {
                window.ssthresh = window.cwnd;
                self.is_first_start = false;
            } else {
                window.slow_start(packets * self.gain());
            }
            return;
        }
        self.is_first_start = false;
        let part = packets / window.cwnd;
        let change = if queue_s < self.target {
            self.gain()
        } else {
            (self.gain() - DECREASE * window.cwnd * (queue_s / self.target - 1.0)).max(-window.cwnd / 2.0)
        };
        window.cwnd = (window.cwnd + part * change).max(MIN_CWND);
        // Where the window goes down, slow start does not come back.
        window.ssthresh = window.ssthresh.min(window.cwnd);
    }

    fn on_congestion_event(&mut self, _sign: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        window.ssthresh = (window.cwnd / 2.0).max(MIN_CWND);
        self.is_first_start = false;
        Response::Reduce
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(base_s: f64, rtt_s: f64) -> LedbatPp {
        let mut law = LedbatPp::default();
        law.base.update(base_s, 0.0);
        law.recent_s = [rtt_s; CURRENT_FILTER];
        law
    }

    // 4.2: GAIN = 1 / min(16, ceil(2 * 60 / base)): 1/3 at 50 ms, 1/12 at 10, 1/16 at 2, 1 at 200.
    #[test]
    fn the_gain_is_small_on_short_round_trips() {
        for (base_s, one_over) in [(0.05, 3.0), (0.01, 12.0), (0.002, 16.0), (0.2, 1.0)] {
            assert_eq!(law(base_s, base_s).gain(), 1.0 / one_over);
        }
    }

    // 4.3: below the target a gain in a round trip; at a queue of 75 ms, 1/4 above it, a window of 20 loses 5 less the gain; at
    // 240 ms no more than half.
    #[test]
    fn the_decline_is_in_proportion_to_the_window() {
        let path = Path { is_limited: true, now_s: 1.0, srtt_s: 0.1, ..Path::default() };
        let third = 1.0 / 3.0;
        for (rtt_s, change) in [(0.08, third), (0.125, third - 5.0), (0.29, -10.0)] {
            let mut law = law(0.05, rtt_s);
            law.slowdown = Slowdown::Planned(100.0);
            let mut window = Window { cwnd: 20.0, ssthresh: 10.0, pacing_per_s: None, holds_back: false };
            law.on_ack(&Ack { delivered: 20, rtt_s: Some(rtt_s), ..Ack::default() }, &path, &mut window);
            assert!((window.cwnd - 20.0 - change).abs() < 1e-9, "{rtt_s}: {}", window.cwnd);
        }
    }

    // 4.4: two packets for two round trips; the next slowdown comes after nine times what this one has lasted.
    #[test]
    fn slowdowns_take_a_tenth_of_the_time() {
        let mut law = law(0.05, 0.05);
        law.slowdown = Slowdown::Planned(10.0);
        let mut window = Window { cwnd: 40.0, ssthresh: 10.0, pacing_per_s: None, holds_back: false };
        let at = |now_s| Path { now_s, srtt_s: 0.05, is_limited: true, ..Path::default() };
        let ack = Ack { delivered: 120, rtt_s: Some(0.05), ..Ack::default() };
        law.on_ack(&ack, &at(10.0), &mut window);
        assert_eq!((window.cwnd, window.ssthresh), (2.0, 40.0));
        law.on_ack(&ack, &at(10.09), &mut window);
        assert_eq!(window.cwnd, 2.0);
        law.on_ack(&ack, &at(10.11), &mut window);
        assert_eq!(window.cwnd, 40.0);
        law.on_ack(&ack, &at(10.3), &mut window);
        let Slowdown::Planned(at_s) = law.slowdown else { panic!("{:?}", law.slowdown) };
        assert!((at_s - (10.3 + 9.0 * 0.3)).abs() < 1e-9);
    }
}
