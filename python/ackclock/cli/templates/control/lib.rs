//! A congestion control for ackclock. It begins as Reno (RFC 5681, 3.1), counted in whole packets as in Linux.

use ackclock_control::{Ack, Control, Event, Parameter, Path, Response, State, Window};

/// One connection's control.
pub struct TYPE {
    beta: f64,
    /// Packets acknowledged since the window grew last.
    count: u32,
}

impl Default for TYPE {
    fn default() -> TYPE {
        TYPE {
            beta: 0.5,
            count: 0,
        }
    }
}

impl Control for TYPE {
    const ABOUT: &'static str = "one packet more in a round trip, half after congestion";
    const PARAMETERS: &'static [Parameter] = &[Parameter {
        name: "beta",
        about: "the share of the window that remains after congestion",
        default: 0.5,
    }];

    fn set_param(&mut self, name: &str, value: f64) {
        if name == "beta" {
            self.beta = value;
        }
    }

    fn start(&mut self, _path: &Path, _window: &mut Window) {
        self.count = 0;
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if path.is_recovering || !path.is_limited || !ack.may_raise(path) {
            return;
        }
        let mut acked = ack.delivered;
        if window.in_slow_start() {
            acked = window.slow_start(acked);
            if acked == 0 {
                return;
            }
        }
        // A packet more for each window of packets acknowledged. A window that has shrunk leaves more than one in the count.
        let mut cwnd = window.cwnd as u32;
        let per_packet = cwnd;
        if self.count >= per_packet {
            self.count = 0;
            cwnd += 1;
        }
        self.count += acked;
        if self.count >= per_packet {
            cwnd += self.count / per_packet;
            self.count %= per_packet;
        }
        window.cwnd = f64::from(cwnd);
    }

    fn on_congestion_event(
        &mut self,
        _event: Event,
        _path: &Path,
        window: &mut Window,
    ) -> Response {
        self.count = 0;
        window.ssthresh = (window.cwnd.floor() * self.beta).floor().max(2.0);
        Response::Reduce
    }

    fn on_state(&mut self, state: State, _path: &Path, _window: &mut Window) {
        if state == State::Loss {
            self.count = 0;
        }
    }
}

ackclock_control::export!(TYPE);

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 5681, 3.1: a packet for each acknowledged one up to ssthresh, then one in a round trip; a loss halves the window.
    #[test]
    fn a_window_doubles_then_grows_by_one_then_is_halved() {
        let mut control = TYPE::default();
        let mut window = Window {
            cwnd: 10.0,
            ssthresh: 16.0,
            pacing_per_s: None,
        };
        let path = Path {
            is_limited: true,
            ..Path::default()
        };
        let ack = |acked| Ack {
            delivered: acked,
            acked,
            ..Ack::default()
        };
        control.on_ack(&ack(6), &path, &mut window);
        assert_eq!(window.cwnd, 16.0);
        control.on_ack(&ack(15), &path, &mut window);
        assert_eq!(window.cwnd, 16.0);
        control.on_ack(&ack(1), &path, &mut window);
        assert_eq!(window.cwnd, 17.0);
        let response = control.on_congestion_event(Event::Loss, &path, &mut window);
        assert_eq!((response, window.ssthresh), (Response::Reduce, 8.0));
    }
}
