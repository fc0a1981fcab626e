//! LEDBAT: for what can wait: the queue that it adds to the way there is 100 ms at most.
//!
//! Source: S. Shalunov, G. Hazel, J. Iyengar, M. Kuehlewind, RFC 6817, sections 2.4.2 and 2.5.
//! What it decides: growth and decline in proportion to how far the queueing delay is from the target, growth by one packet in a
//! round trip at most; half of the window after a loss.
//! Departures: the last four delays count, however old, where the RFC drops those older than a round trip (2.5); a window that
//! is not used does not grow, but is not cut to what is in flight. The one-way delay is the difference of the two timestamps
//! of an ACK, whose clocks agree here.
//! Not implemented: nothing.
//! Checked against: the RFC's equations by hand; its target on the wire (tests/spec/test_modern_delay.py).

use super::base_delay::BaseDelay;
use super::{Ack, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::params;
use crate::params::own_params;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "ledbat",
    about: "background transfers: a queue of 100 ms at most (RFC 6817)",
    make: || Box::new(Ledbat::default()),
};

const MIN_CWND: f64 = 2.0;
const ALLOWED_INCREASE: f64 = 1.0;
/// Delays of which the least is the present one.
const CURRENT_FILTER: usize = 4;

struct Ledbat {
    /// The queueing delay aimed at, s.
    target: f64,
    /// Packets in a round trip by which the window grows where there is no queue.
    gain: f64,
    /// Whether it begins with slow start, up to the target or a loss, which the RFC does not have.
    slow_start: bool,
    base: BaseDelay,
    recent_s: [f64; CURRENT_FILTER],
    next: usize,
}

params!(Ledbat { target, gain, slow_start });

impl Default for Ledbat {
    fn default() -> Ledbat {
        let recent_s = [f64::INFINITY; CURRENT_FILTER];
        Ledbat { target: 0.1, gain: 1.0, slow_start: false, base: BaseDelay::default(), recent_s, next: 0 }
    }
}

impl Control for Ledbat {
    fn start(&mut self, _path: &Path, window: &mut Window) {
        self.base = BaseDelay::default();
        self.recent_s = [f64::INFINITY; CURRENT_FILTER];
        if !self.slow_start {
            (window.cwnd, window.ssthresh) = (MIN_CWND, MIN_CWND);
        }
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let Some(delay_s) = ack.one_way_s else { return };
        self.base.update(delay_s, path.now_s);
        self.recent_s[self.next] = delay_s;
        self.next = (self.next + 1) % CURRENT_FILTER;
        if path.is_recovering {
            return;
        }
        let mut packets = f64::from(ack.delivered);
        let current_s = self.recent_s.iter().copied().fold(f64::INFINITY, f64::min);
        let off_target = (self.target - (current_s - self.base.get())) / self.target;
        if self.slow_start && window.in_slow_start() && off_target > 0.0 {
            if !path.is_limited {
                return;
            }
            packets = window.slow_start(packets);
        }
        let grown = window.cwnd + self.gain * off_target * packets / window.cwnd;
        let allowed = f64::from(ack.prior_in_flight) + ALLOWED_INCREASE;
        // What is not used does not grow; what is too much goes down in any case.
        window.cwnd = if grown > window.cwnd { grown.min(allowed.max(window.cwnd)) } else { grown }.max(MIN_CWND);
        if off_target <= 0.0 {
            // Slow start is over, and does not come back where the window goes down.
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
    }

    fn on_congestion_event(&mut self, _sign: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        window.ssthresh = (window.cwnd / 2.0).max(MIN_CWND);
        Response::Reduce
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 6817, 2.4.2: cwnd += GAIN * (TARGET - queuing_delay) / TARGET * acked / cwnd: with no queue a whole packet in a round
    // trip, at 25 ms 3/4, at the target none, at 150 ms half a packet less.
    #[test]
    fn growth_is_in_proportion_to_the_distance_from_the_target() {
        for (queue_s, more) in [(0.0, 1.0), (0.025, 0.75), (0.1, 0.0), (0.15, -0.5)] {
            let mut law = Ledbat::default();
            let mut window = Window { cwnd: 20.0, ssthresh: 2.0, pacing_per_s: None, holds_back: false };
            let path = Path { now_s: 1.0, ..Path::default() };
            law.base.update(0.02, 0.5);
            let one_way_s = Some(0.02 + queue_s);
            law.on_ack(&Ack { delivered: 20, one_way_s, prior_in_flight: 20, ..Ack::default() }, &path, &mut window);
            assert!((window.cwnd - 20.0 - more).abs() < 1e-9, "{queue_s}: {}", window.cwnd);
        }
    }
}
