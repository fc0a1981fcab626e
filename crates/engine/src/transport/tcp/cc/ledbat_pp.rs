//! LEDBAT++: LEDBAT without the latecomer advantage. It measures RTTs, and periodic slowdowns drain the queue.
//!
//! Source: P. Balasubramanian, O. Ertugay, D. Havey, draft-irtf-iccrg-ledbat-plus-plus-01 (August 2020), section 4. Later
//! versions exist, up to -06; this file does not follow them.
//! What it decides: slow start ends at three quarters of the target (4.1). The gain is small on short RTTs (4.2). The
//! multiplicative decrease is proportional to the window (4.3). A slowdown keeps the window at two packets for two
//! round trips; slowdowns take a tenth of the time (4.4). Delays are RTTs, and the target is 60 ms (4.5).
//! Departures: none known. Not implemented: nothing.
//! Checked against: the draft's equations by hand; the target on the wire (tests/spec/test_tcp_delay.py).

use super::{Ack, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::params::{Params, own_params};
use crate::transport::base_delay::BaseDelay;

/// LEDBAT++'s entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "ledbat_pp",
    about: "LEDBAT++: background transfers by round trips, with slowdowns (draft-irtf-iccrg-ledbat-plus-plus)",
    make: || Box::new(LedbatPp::default()),
};

/// The window during a slowdown, and the min window, packets (4.4).
const MIN_CWND: f64 = 2.0;
/// `CURRENT_FILTER`: number of RTT samples of the min filter for the current delay (4.5).
const CURRENT_FILTER: usize = 4;
/// `Constant`: the coefficient of the multiplicative decrease (4.3).
const DECREASE_CONSTANT: f64 = 1.0;
/// The time until the next slowdown, as a multiple of the last one's duration (4.4).
const SLOWDOWN_INTERVAL: f64 = 9.0;

/// The phase of the initial and periodic slowdowns (4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Slowdown {
    /// Before the initial slowdown is scheduled.
    #[default]
    None,
    /// The next slowdown begins at this time, s.
    Scheduled(f64),
    /// The window is `MIN_CWND`: start and end time, s.
    Holding(f64, f64),
    /// Slow start back to `ssthresh`; start time of the slowdown, s.
    RampingUp(f64),
}

#[derive(Params)]
struct LedbatPp {
    /// The target queueing delay, s.
    // `TARGET` (4.5).
    #[param("s")]
    target: f64,
    base_delay: BaseDelay,
    /// `current_delays`: the last RTT samples, s, as a ring (RFC 6817, 2.4.2).
    current_delays_s: [f64; CURRENT_FILTER],
    /// Where the next sample goes in the ring.
    next: usize,
    slowdown: Slowdown,
    /// Whether this is the initial slow start (4.1).
    is_initial_slow_start: bool,
}

impl Default for LedbatPp {
    fn default() -> LedbatPp {
        LedbatPp {
            target: 0.06,
            base_delay: BaseDelay::default(),
            current_delays_s: [f64::INFINITY; CURRENT_FILTER],
            next: 0,
            slowdown: Slowdown::None,
            is_initial_slow_start: true,
        }
    }
}

impl LedbatPp {
    /// `GAIN` = 1 / min(16, ceil(2 TARGET / base)) (4.2).
    fn gain(&self) -> f64 {
        1.0 / (2.0 * self.target / self.base_delay.get()).ceil().clamp(1.0, 16.0)
    }

    /// Starts and ends slowdowns (4.4).
    fn update_slowdown(&mut self, path: &Path, window: &mut Window) {
        self.slowdown = match self.slowdown {
            Slowdown::Scheduled(at_s) if path.now_s >= at_s => {
                window.ssthresh = window.cwnd;
                window.cwnd = MIN_CWND;
                Slowdown::Holding(path.now_s, path.now_s + 2.0 * path.srtt_s)
            }
            Slowdown::Holding(since_s, until_s) if path.now_s >= until_s => Slowdown::RampingUp(since_s),
            Slowdown::RampingUp(since_s) if !window.in_slow_start() => {
                Slowdown::Scheduled(path.now_s + SLOWDOWN_INTERVAL * (path.now_s - since_s))
            }
            Slowdown::None if !window.in_slow_start() => Slowdown::Scheduled(path.now_s + 2.0 * path.srtt_s),
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
            self.base_delay.update(rtt_s, path.now_s);
            self.current_delays_s[self.next] = rtt_s;
            self.next = (self.next + 1) % CURRENT_FILTER;
        }
        let current_delay_s = self.current_delays_s.iter().copied().fold(f64::INFINITY, f64::min);
        if path.is_recovering || !current_delay_s.is_finite() {
            return;
        }
        self.update_slowdown(path, window);
        if matches!(self.slowdown, Slowdown::Holding(..)) || !path.is_limited {
            return;
        }
        let queuing_delay_s = current_delay_s - self.base_delay.get();
        let packets = f64::from(ack.delivered);
        if window.in_slow_start() {
            // 4.1: the delay ends only the initial slow start.
            if self.is_initial_slow_start && queuing_delay_s > 0.75 * self.target {
                window.ssthresh = window.cwnd;
                self.is_initial_slow_start = false;
            } else {
                window.slow_start(packets * self.gain());
            }
            return;
        }
        self.is_initial_slow_start = false;
        // 4.2 and 4.3: the change of the window per round trip, packets.
        let part_of_round = packets / window.cwnd;
        let change = if queuing_delay_s < self.target {
            self.gain()
        } else {
            (self.gain() - DECREASE_CONSTANT * window.cwnd * (queuing_delay_s / self.target - 1.0))
                .max(-window.cwnd / 2.0)
        };
        window.cwnd = (window.cwnd + part_of_round * change).max(MIN_CWND);
        // Slow start must not start again when the window shrinks.
        window.ssthresh = window.ssthresh.min(window.cwnd);
    }

    fn on_congestion_event(&mut self, _event: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        window.ssthresh = (window.cwnd / 2.0).max(MIN_CWND);
        self.is_initial_slow_start = false;
        Response::Reduce
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_delays(base_s: f64, rtt_s: f64) -> LedbatPp {
        let mut ledbat_pp = LedbatPp::default();
        ledbat_pp.base_delay.update(base_s, 0.0);
        ledbat_pp.current_delays_s = [rtt_s; CURRENT_FILTER];
        ledbat_pp
    }

    // 4.2: GAIN = 1 / min(16, ceil(2 * 60 / base)): 1/3 at 50 ms, 1/12 at 10, 1/16 at 2, 1 at 200.
    #[test]
    fn the_gain_is_small_on_short_round_trips() {
        for (base_s, one_over) in [(0.05, 3.0), (0.01, 12.0), (0.002, 16.0), (0.2, 1.0)] {
            assert_eq!(with_delays(base_s, base_s).gain(), 1.0 / one_over);
        }
    }

    // 4.3, per round trip: below the target the window grows by GAIN. At a queueing delay of 75 ms, 1/4 above the
    // target, a window of 20 changes by GAIN - 5; at 240 ms by -10, half of it.
    #[test]
    fn the_decrease_is_proportional_to_the_window() {
        let path = Path { is_limited: true, now_s: 1.0, srtt_s: 0.1, ..Path::default() };
        let third = 1.0 / 3.0;
        for (rtt_s, change) in [(0.08, third), (0.125, third - 5.0), (0.29, -10.0)] {
            let mut ledbat_pp = with_delays(0.05, rtt_s);
            ledbat_pp.slowdown = Slowdown::Scheduled(100.0);
            let mut window = Window { cwnd: 20.0, ssthresh: 10.0, pacing_per_s: None, holds_back: false };
            ledbat_pp.on_ack(&Ack { delivered: 20, rtt_s: Some(rtt_s), ..Ack::default() }, &path, &mut window);
            assert!((window.cwnd - 20.0 - change).abs() < 1e-9, "{rtt_s}: {}", window.cwnd);
        }
    }

    // 4.4: two packets for two round trips; the next slowdown begins after nine times the duration of this one.
    #[test]
    fn slowdowns_take_a_tenth_of_the_time() {
        let mut ledbat_pp = with_delays(0.05, 0.05);
        ledbat_pp.slowdown = Slowdown::Scheduled(10.0);
        let mut window = Window { cwnd: 40.0, ssthresh: 10.0, pacing_per_s: None, holds_back: false };
        let at = |now_s| Path { now_s, srtt_s: 0.05, is_limited: true, ..Path::default() };
        let ack = Ack { delivered: 120, rtt_s: Some(0.05), ..Ack::default() };
        ledbat_pp.on_ack(&ack, &at(10.0), &mut window);
        assert_eq!((window.cwnd, window.ssthresh), (2.0, 40.0));
        ledbat_pp.on_ack(&ack, &at(10.09), &mut window);
        assert_eq!(window.cwnd, 2.0);
        ledbat_pp.on_ack(&ack, &at(10.11), &mut window);
        assert_eq!(window.cwnd, 40.0);
        ledbat_pp.on_ack(&ack, &at(10.3), &mut window);
        let Slowdown::Scheduled(at_s) = ledbat_pp.slowdown else { panic!("{:?}", ledbat_pp.slowdown) };
        assert!((at_s - (10.3 + 9.0 * 0.3)).abs() < 1e-9);
    }
}
