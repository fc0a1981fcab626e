//! Copa: the window moves towards a rate that leaves 1/delta packets in the queue.
//!
//! Source: V. Arun, H. Balakrishnan, "Copa: practical delay-based congestion control for the Internet", NSDI 2018, sections 1
//! (equation 1), 2.1 and 2.2.
//! What it decides: the window moves towards the target rate 1/(delta dq), where dq is the queueing delay. Each packet
//! acknowledged moves it by v/(delta cwnd) packets, where v is the velocity (2.1). If the queue is not nearly empty for five
//! round trips, other flows fill it: in this competitive mode 1/delta is changed by AIMD (2.2).
//! Departures: a change of direction within a round trip resets the velocity immediately. An ACK moves the window by at
//! most the packets that it acknowledges. A loss ends slow start. After a timeout the window is the packets in flight
//! plus one.
//! Not implemented: nothing.
//! Checked against: the paper's equations by hand; its queue on the wire (tests/spec/test_tcp_delay.py).

use super::{Ack, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::params::{Params, own_params};
use std::collections::VecDeque;

/// Copa's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "copa",
    about: "Copa: a rate that leaves two packets in the queue (Arun and Balakrishnan 2018)",
    make: || Box::new(Copa { default_delta: 0.5, mode_switching: true, ..Copa::default() }),
};

/// The min window, packets.
const MIN_CWND: f64 = 2.0;
/// Length of the filter of `RTTmin`, s (2.1).
const RTT_MIN_WINDOW_S: f64 = 10.0;
/// The queue is nearly empty below this fraction of its max delay (2.2).
const NEARLY_EMPTY: f64 = 0.1;

/// The min value in a sliding time window.
#[derive(Clone, Debug, Default)]
struct WindowedMin {
    /// Time, s, and value; both increase.
    values: VecDeque<(f64, f64)>,
}

impl WindowedMin {
    /// Adds a sample. Returns the min of the last `window_s` seconds.
    fn update(&mut self, window_s: f64, now_s: f64, value: f64) -> f64 {
        while self.values.back().is_some_and(|&(_, last)| last >= value) {
            self.values.pop_back();
        }
        self.values.push_back((now_s, value));
        while self.values.front().is_some_and(|&(at_s, _)| at_s < now_s - window_s) {
            self.values.pop_front();
        }
        self.values.front().map_or(value, |&(_, least)| least)
    }
}

#[derive(Default, Params)]
struct Copa {
    /// 1 / the number of packets that it keeps in the queue.
    #[param("", name = "delta")]
    default_delta: f64,
    /// It detects buffer-filling competitors and becomes as aggressive.
    // The competitive mode (2.2).
    #[param("flag")]
    mode_switching: bool,
    /// `delta` now.
    delta: f64,
    /// `RTTmin`.
    rtt_min: WindowedMin,
    /// `RTTstanding`: the min RTT of the last half `srtt`.
    rtt_standing: WindowedMin,
    /// The max RTT of the last four round trips, stored negated (2.2).
    rtt_max: WindowedMin,
    /// `v`: the velocity (2.1).
    velocity: f64,
    /// The direction: whether the window grows.
    is_direction_up: bool,
    /// Round trips in the present direction.
    rounds_in_direction: u32,
    /// The window at the last end of a round trip, packets.
    round_start_cwnd: f64,
    /// Whether the sender is in slow start.
    in_slow_start: bool,
    /// When the queue was last nearly empty, s.
    nearly_empty_s: f64,
    /// Whether it is in the competitive mode (2.2).
    is_competitive: bool,
}

impl Copa {
    /// Updates the velocity once per round trip. It doubles from the third round trip in one direction on (2.1).
    fn update_velocity(&mut self, window: &Window) {
        let is_up = window.cwnd > self.round_start_cwnd;
        if is_up == self.is_direction_up {
            self.rounds_in_direction += 1;
            if self.rounds_in_direction >= 3 {
                self.velocity *= 2.0;
            }
        } else {
            (self.is_direction_up, self.rounds_in_direction, self.velocity) = (is_up, 0, 1.0);
        }
        self.round_start_cwnd = window.cwnd;
    }

    /// Selects the default or the competitive mode, and sets `delta` (2.2). `dq_s` is the queueing delay, `max_dq_s`
    /// its max over the last four round trips.
    fn update_mode(&mut self, dq_s: f64, max_dq_s: f64, ends_round: bool, path: &Path) {
        if dq_s <= NEARLY_EMPTY * max_dq_s {
            self.nearly_empty_s = path.now_s;
        }
        let is_competitive = self.mode_switching && path.now_s > self.nearly_empty_s + 5.0 * path.srtt_s;
        if !is_competitive {
            self.delta = self.default_delta;
        } else if ends_round {
            // AIMD on 1/delta: additive increase by one per round trip.
            self.delta = 1.0 / (1.0 / self.delta + 1.0);
        }
        self.is_competitive = is_competitive;
    }
}

impl Control for Copa {
    fn has_cong_control(&self) -> bool {
        true
    }

    fn start(&mut self, path: &Path, _window: &mut Window) {
        *self = Copa {
            default_delta: self.default_delta,
            mode_switching: self.mode_switching,
            delta: self.default_delta,
            velocity: 1.0,
            is_direction_up: true,
            in_slow_start: true,
            nearly_empty_s: path.now_s,
            ..Copa::default()
        };
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let Some(rtt_s) = ack.rtt_s else { return };
        let srtt_s = path.srtt_s.max(rtt_s / 8.0);
        let rtt_min_s = self.rtt_min.update(RTT_MIN_WINDOW_S, path.now_s, rtt_s);
        let rtt_standing_s = self.rtt_standing.update(srtt_s / 2.0, path.now_s, rtt_s);
        let rtt_max_s = -self.rtt_max.update(4.0 * srtt_s, path.now_s, -rtt_s);
        let dq_s = rtt_standing_s - rtt_min_s;
        self.update_mode(dq_s, rtt_max_s - rtt_min_s, ack.ends_round, path);
        // 2.1, steps 2 and 3: the current rate lambda and the target rate 1/(delta dq).
        let lambda = window.cwnd / rtt_standing_s;
        let is_below_target = dq_s <= 0.0 || lambda <= 1.0 / (self.delta * dq_s);
        let packets = f64::from(ack.delivered);
        if self.in_slow_start && is_below_target {
            if path.is_limited {
                window.cwnd += packets;
            }
        } else {
            self.in_slow_start = false;
            if ack.ends_round {
                self.update_velocity(window);
            }
            if is_below_target != self.is_direction_up {
                // The direction changes within a round trip: do not keep a high velocity until its end.
                self.velocity = 1.0;
            }
            let step = (self.velocity * packets / (self.delta * window.cwnd)).min(packets);
            if !is_below_target {
                window.cwnd = (window.cwnd - step).max(MIN_CWND);
            } else if path.is_limited {
                window.cwnd += step;
            }
        }
        window.pacing_per_s = Some(2.0 * window.cwnd / rtt_standing_s);
    }

    /// The paper's sender is a program over UDP that paces each packet. With bursts the queue is never nearly empty.
    fn max_tso_segs(&self) -> u32 {
        1
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        match event {
            CongestionEvent::Timeout => {
                window.cwnd = f64::from(path.in_flight) + 1.0;
                (self.velocity, self.in_slow_start) = (1.0, false);
            }
            CongestionEvent::Loss if self.is_competitive => {
                // AIMD on 1/delta: a loss halves it.
                self.delta = (2.0 * self.delta).min(self.default_delta);
            }
            CongestionEvent::Loss | CongestionEvent::Mark => {}
        }
        self.in_slow_start &= event == CongestionEvent::Mark;
        Response::Own
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_slow_start() -> (Copa, Window) {
        let mut copa = Copa { default_delta: 0.5, mode_switching: true, ..Copa::default() };
        let mut window = Window { cwnd: 20.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
        copa.start(&Path::default(), &mut window);
        copa.in_slow_start = false;
        (copa, window)
    }

    // Equation 1: the target rate is 1/(delta dq), 200/s for dq = 10 ms. 20 packets in 110 ms are 181.8/s, so the window grows by
    // v/(delta cwnd) = 0.1 for a packet (2.1). For dq = 12 ms the target is 166.7/s, and it shrinks. Pacing is at 2 cwnd /
    // RTTstanding.
    #[test]
    fn the_window_moves_towards_the_target_rate() {
        for (rtt_s, change) in [(0.110, 0.1), (0.112, -0.1)] {
            let (mut copa, mut window) = after_slow_start();
            copa.is_direction_up = change > 0.0;
            copa.rtt_min.update(RTT_MIN_WINDOW_S, 0.0, 0.1);
            let path = Path { now_s: 1.0, srtt_s: 0.1, is_limited: true, ..Path::default() };
            copa.on_ack(&Ack { delivered: 1, rtt_s: Some(rtt_s), ..Ack::default() }, &path, &mut window);
            assert!((window.cwnd - 20.0 - change).abs() < 1e-9, "{rtt_s}: {}", window.cwnd);
            assert!((window.pacing_per_s.unwrap() - 2.0 * window.cwnd / rtt_s).abs() < 1e-9);
        }
    }

    // 2.1: the velocity doubles per round trip from the third in one direction on, and is 1 after a change of
    // direction.
    #[test]
    fn the_velocity_doubles_after_three_round_trips() {
        let (mut copa, mut window) = after_slow_start();
        let mut seen = Vec::new();
        for cwnd in [21.0, 22.0, 23.0, 24.0, 23.0] {
            window.cwnd = cwnd;
            copa.update_velocity(&window);
            seen.push(copa.velocity);
        }
        assert_eq!(seen, [1.0, 1.0, 2.0, 4.0, 1.0]);
    }

    // 2.2: after five round trips without a nearly empty queue, 1/delta grows by one per round trip; a loss halves it.
    #[test]
    fn delta_follows_aimd_in_competitive_mode() {
        let (mut copa, mut window) = after_slow_start();
        let at = |now_s| Path { now_s, srtt_s: 0.1, ..Path::default() };
        copa.update_mode(0.05, 0.1, true, &at(0.4));
        assert_eq!(copa.delta, 0.5);
        copa.update_mode(0.05, 0.1, true, &at(0.6));
        copa.update_mode(0.05, 0.1, true, &at(0.7));
        assert_eq!(copa.delta, 0.25);
        copa.on_congestion_event(CongestionEvent::Loss, &at(0.7), &mut window);
        assert_eq!(copa.delta, 0.5);
        copa.update_mode(0.005, 0.1, true, &at(0.8));
        assert!(!copa.is_competitive);
    }
}
