//! LEDBAT: congestion control for background transfers; it adds at most 100 ms of queueing delay.
//!
//! Source: S. Shalunov, G. Hazel, J. Iyengar, M. Kuehlewind, RFC 6817, sections 2.4.2 and 2.5.
//! What it decides: the window changes in proportion to the difference of the target and the queueing delay. It grows
//! by at most one packet per round trip. A loss halves it.
//! Departures: the current delay is the min of the last four samples at any age; the RFC drops those older than a round
//! trip (2.5). An unused window does not grow, but is not reduced to the flight size. The one-way delay is the
//! difference of the two timestamps of an ACK, because all simulated clocks agree.
//! Not implemented: nothing.
//! Checked against: the RFC's equations by hand; its target on the wire (tests/spec/test_tcp_delay.py).

use super::{Ack, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::params::{Params, own_params};
use crate::transport::base_delay::BaseDelay;

/// LEDBAT's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "ledbat",
    about: "LEDBAT: background transfers with a queue of at most 100 ms (RFC 6817)",
    make: || Box::new(Ledbat::default()),
};

/// `MIN_CWND`, packets (2.5).
const MIN_CWND: f64 = 2.0;
/// `ALLOWED_INCREASE`, packets (2.5).
const ALLOWED_INCREASE: f64 = 1.0;
/// `CURRENT_FILTER`: number of samples of the min filter for the current delay (2.5).
const CURRENT_FILTER: usize = 4;

#[derive(Params)]
struct Ledbat {
    /// The target queueing delay, s.
    // `TARGET` (2.5).
    #[param("s")]
    target: f64,
    /// Window growth per round trip without a queue, packets.
    // `GAIN` (2.5).
    #[param("")]
    gain: f64,
    /// It begins with slow start.
    // The RFC has no slow start. This one ends at the target delay or at a loss.
    #[param("flag")]
    slow_start: bool,
    base_delay: BaseDelay,
    /// `current_delays`: the last samples, s, as a ring (2.4.2).
    current_delays_s: [f64; CURRENT_FILTER],
    /// Where the next sample goes in the ring.
    next: usize,
}

impl Default for Ledbat {
    fn default() -> Ledbat {
        let current_delays_s = [f64::INFINITY; CURRENT_FILTER];
        let base_delay = BaseDelay::default();
        Ledbat { target: 0.1, gain: 1.0, slow_start: false, base_delay, current_delays_s, next: 0 }
    }
}

impl Control for Ledbat {
    fn start(&mut self, _path: &Path, window: &mut Window) {
        self.base_delay = BaseDelay::default();
        self.current_delays_s = [f64::INFINITY; CURRENT_FILTER];
        if !self.slow_start {
            (window.cwnd, window.ssthresh) = (MIN_CWND, MIN_CWND);
        }
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let Some(delay_s) = ack.one_way_s else { return };
        self.base_delay.update(delay_s, path.now_s);
        self.current_delays_s[self.next] = delay_s;
        self.next = (self.next + 1) % CURRENT_FILTER;
        if path.is_recovering {
            return;
        }
        let mut packets = f64::from(ack.delivered);
        // 2.4.2: queuing_delay = FILTER(current_delays) - MIN(base_delays).
        let current_delay_s = self.current_delays_s.iter().copied().fold(f64::INFINITY, f64::min);
        let queuing_delay_s = current_delay_s - self.base_delay.get();
        let off_target = (self.target - queuing_delay_s) / self.target;
        if self.slow_start && window.in_slow_start() && off_target > 0.0 {
            if !path.is_limited {
                return;
            }
            packets = window.slow_start(packets);
        }
        let cwnd = window.cwnd + self.gain * off_target * packets / window.cwnd;
        let max_allowed_cwnd = f64::from(ack.prior_in_flight) + ALLOWED_INCREASE;
        // max_allowed_cwnd limits only growth; see the departures above.
        window.cwnd = if cwnd > window.cwnd { cwnd.min(max_allowed_cwnd.max(window.cwnd)) } else { cwnd }.max(MIN_CWND);
        if off_target <= 0.0 {
            // Slow start is over. It must not start again when the window shrinks.
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
    }

    fn on_congestion_event(&mut self, _event: CongestionEvent, _path: &Path, window: &mut Window) -> Response {
        window.ssthresh = (window.cwnd / 2.0).max(MIN_CWND);
        Response::Reduce
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 6817, 2.4.2: cwnd += GAIN * (TARGET - queuing_delay) / TARGET * acked / cwnd. Per round trip: one packet
    // without a queue, 3/4 at 25 ms, 0 at the target, -1/2 at 150 ms.
    #[test]
    fn growth_is_proportional_to_off_target() {
        for (queue_s, more) in [(0.0, 1.0), (0.025, 0.75), (0.1, 0.0), (0.15, -0.5)] {
            let mut ledbat = Ledbat::default();
            let mut window = Window { cwnd: 20.0, ssthresh: 2.0, pacing_per_s: None, holds_back: false };
            let path = Path { now_s: 1.0, ..Path::default() };
            ledbat.base_delay.update(0.02, 0.5);
            let one_way_s = Some(0.02 + queue_s);
            ledbat.on_ack(&Ack { delivered: 20, one_way_s, prior_in_flight: 20, ..Ack::default() }, &path, &mut window);
            assert!((window.cwnd - 20.0 - more).abs() < 1e-9, "{queue_s}: {}", window.cwnd);
        }
    }
}
