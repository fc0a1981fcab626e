//! Copa: a rate that leaves 1/delta packets in the queue, reached in steps that double while they go one way.
//!
//! Source: V. Arun, H. Balakrishnan, "Copa: practical delay-based congestion control for the Internet", NSDI 2018, sections 1
//! (equation 1), 2.1 and 2.2.
//! What it decides: the window moves towards the rate 1/(delta dq), dq being the queueing delay, by velocity/(delta cwnd)
//! packets for each one acknowledged; where the queue does not empty for five round trips, others fill it, and delta follows
//! losses as Reno's window does (2.2).
//! Departures: a turn within a round trip resets the velocity at once; an ACK moves the window by no more than the packets that
//! it acknowledges. A loss ends start-up, and a timeout leaves what is in flight and one packet.
//! Not implemented: nothing.
//! Checked against: the paper's equations by hand; its queue on the wire (tests/spec/test_modern_delay.py).

use super::{Ack, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::params;
use crate::params::own_params;
use std::collections::VecDeque;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "copa",
    about: "a rate that leaves two packets in the queue (Arun and Balakrishnan 2018)",
    make: || Box::new(Copa { delta: 0.5, mode_switching: true, ..Copa::default() }),
};

const MIN_CWND: f64 = 2.0;
/// How long the least round trip counts, s.
const MIN_RTT_S: f64 = 10.0;
/// The queue is nearly empty below this part of its greatest delay.
const NEARLY_EMPTY: f64 = 0.1;

/// The least value of a window of time.
#[derive(Clone, Debug, Default)]
struct Least {
    values: VecDeque<(f64, f64)>,
}

impl Least {
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

#[derive(Default)]
struct Copa {
    /// One over the packets that it leaves in the queue.
    delta: f64,
    /// It looks for others that fill the queue (2.2).
    mode_switching: bool,
    present_delta: f64,
    min_rtt: Least,
    standing: Least,
    max_rtt: Least,
    velocity: f64,
    grows: bool,
    /// Round trips in which the window went the same way.
    same_way: u32,
    round_cwnd: f64,
    is_starting: bool,
    emptied_at_s: f64,
    is_competing: bool,
}

params!(Copa { delta, mode_switching });

impl Copa {
    /// Once a round trip: the velocity doubles from the third one that goes the same way on (2.1).
    fn set_velocity(&mut self, window: &Window) {
        let grew = window.cwnd > self.round_cwnd;
        if grew == self.grows {
            self.same_way += 1;
            if self.same_way >= 3 {
                self.velocity *= 2.0;
            }
        } else {
            (self.grows, self.same_way, self.velocity) = (grew, 0, 1.0);
        }
        self.round_cwnd = window.cwnd;
    }

    /// 2.2: whether others fill the queue.
    fn look_for_others(&mut self, queue_s: f64, most_s: f64, ends_round: bool, path: &Path) {
        if queue_s <= NEARLY_EMPTY * most_s {
            self.emptied_at_s = path.now_s;
        }
        let competes = self.mode_switching && path.now_s > self.emptied_at_s + 5.0 * path.srtt_s;
        if !competes {
            self.present_delta = self.delta;
        } else if ends_round {
            // AIMD on 1/delta: one more in a round trip.
            self.present_delta = 1.0 / (1.0 / self.present_delta + 1.0);
        }
        self.is_competing = competes;
    }
}

impl Control for Copa {
    fn start(&mut self, path: &Path, _window: &mut Window) {
        *self = Copa {
            delta: self.delta,
            mode_switching: self.mode_switching,
            present_delta: self.delta,
            velocity: 1.0,
            grows: true,
            is_starting: true,
            emptied_at_s: path.now_s,
            ..Copa::default()
        };
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let Some(rtt_s) = ack.rtt_s else { return };
        let srtt_s = path.srtt_s.max(rtt_s / 8.0);
        let least_s = self.min_rtt.update(MIN_RTT_S, path.now_s, rtt_s);
        let standing_s = self.standing.update(srtt_s / 2.0, path.now_s, rtt_s);
        let most_s = -self.max_rtt.update(4.0 * srtt_s, path.now_s, -rtt_s);
        let queue_s = standing_s - least_s;
        self.look_for_others(queue_s, most_s - least_s, ack.ends_round, path);
        let rate = window.cwnd / standing_s;
        let is_below = queue_s <= 0.0 || rate <= 1.0 / (self.present_delta * queue_s);
        let packets = f64::from(ack.delivered);
        if self.is_starting && is_below {
            if path.is_limited {
                window.cwnd += packets;
            }
        } else {
            self.is_starting = false;
            if ack.ends_round {
                self.set_velocity(window);
            }
            if is_below != self.grows {
                // A change of direction within a round trip is not waited for with a great velocity.
                self.velocity = 1.0;
            }
            let step = (self.velocity * packets / (self.present_delta * window.cwnd)).min(packets);
            if !is_below {
                window.cwnd = (window.cwnd - step).max(MIN_CWND);
            } else if path.is_limited {
                window.cwnd += step;
            }
        }
        window.pacing_per_s = Some(2.0 * window.cwnd / standing_s);
    }

    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        match sign {
            CongestionEvent::Timeout => {
                window.cwnd = f64::from(path.in_flight) + 1.0;
                (self.velocity, self.is_starting) = (1.0, false);
            }
            CongestionEvent::Loss if self.is_competing => {
                self.present_delta = (2.0 * self.present_delta).min(self.delta);
            }
            CongestionEvent::Loss | CongestionEvent::Mark => {}
        }
        self.is_starting &= sign == CongestionEvent::Mark;
        Response::Own
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law() -> (Copa, Window) {
        let mut law = Copa { delta: 0.5, mode_switching: true, ..Copa::default() };
        let mut window = Window { cwnd: 20.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
        law.start(&Path::default(), &mut window);
        law.is_starting = false;
        (law, window)
    }

    // Equation 1: the target rate is 1/(delta dq). With 20 packets in 110 ms, 181.8/s, and a queue of 10 ms it is 200/s: the
    // window grows by v/(delta cwnd) = 0.1 for a packet (2.1); with 12 ms, 166.7/s, it shrinks. Pacing is at 2 cwnd / RTTstanding.
    #[test]
    fn the_window_moves_towards_the_target_rate() {
        for (rtt_s, change) in [(0.110, 0.1), (0.112, -0.1)] {
            let (mut law, mut window) = law();
            law.grows = change > 0.0;
            law.min_rtt.update(MIN_RTT_S, 0.0, 0.1);
            let path = Path { now_s: 1.0, srtt_s: 0.1, is_limited: true, ..Path::default() };
            law.on_ack(&Ack { delivered: 1, rtt_s: Some(rtt_s), ..Ack::default() }, &path, &mut window);
            assert!((window.cwnd - 20.0 - change).abs() < 1e-9, "{rtt_s}: {}", window.cwnd);
            assert!((window.pacing_per_s.unwrap() - 2.0 * window.cwnd / rtt_s).abs() < 1e-9);
        }
    }

    // 2.1: the velocity doubles in each round trip from the third in the same direction on, and is 1 after a turn.
    #[test]
    fn the_velocity_doubles_after_three_round_trips() {
        let (mut law, mut window) = law();
        let mut seen = Vec::new();
        for cwnd in [21.0, 22.0, 23.0, 24.0, 23.0] {
            window.cwnd = cwnd;
            law.set_velocity(&window);
            seen.push(law.velocity);
        }
        assert_eq!(seen, [1.0, 1.0, 2.0, 4.0, 1.0]);
    }

    // 2.2: five round trips without a nearly empty queue: 1/delta grows by one in a round trip, a loss halves it.
    #[test]
    fn others_that_fill_the_queue_are_met_in_kind() {
        let (mut law, mut window) = law();
        let at = |now_s| Path { now_s, srtt_s: 0.1, ..Path::default() };
        law.look_for_others(0.05, 0.1, true, &at(0.4));
        assert_eq!(law.present_delta, 0.5);
        law.look_for_others(0.05, 0.1, true, &at(0.6));
        law.look_for_others(0.05, 0.1, true, &at(0.7));
        assert_eq!(law.present_delta, 0.25);
        law.on_congestion_event(CongestionEvent::Loss, &at(0.7), &mut window);
        assert_eq!(law.present_delta, 0.5);
        law.look_for_others(0.005, 0.1, true, &at(0.8));
        assert!(!law.is_competing);
    }
}
