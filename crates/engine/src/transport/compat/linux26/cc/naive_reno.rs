//! Naive Reno: additive increase and multiplicative decrease with tunable parameters.
//!
//! Source: D. Chiu and R. Jain, "Analysis of the increase and decrease algorithms for congestion avoidance in computer
//! networks", Computer Networks and ISDN Systems 17(1), 1989; ns-2.35's example of a Linux control (`naive_reno`).
//! What it decides: the window grows by `alpha` packets per round trip; congestion cuts it by 1/`beta`.
//! Departures: slow start ends below the threshold, not above it, and the window grows even if it is not used.
//! Not implemented: nothing.
//! Checked against: ns-2.35 (amd64).

use super::control::{KernelModule, LinuxCongestionOps, at_least_two, wide};
use super::socket::Socket;
use super::tunable::Tunable;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "naive_reno",
    about: "additive increase and multiplicative decrease, both tunable (Chiu and Jain 1989)",
    wants_sending_times: false,
    tunables: &[Tunable { name: "alpha", default: 1 }, Tunable { name: "beta", default: 2 }],
    make: || Box::new(NaiveReno),
};

const ALPHA: usize = 0;
const BETA: usize = 1;

struct NaiveReno;

impl LinuxCongestionOps for NaiveReno {
    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        let part = wide(socket.tunable(BETA));
        let reduction = socket.divide(socket.snd_cwnd, part) as i32;
        at_least_two(socket.snd_cwnd.wrapping_sub(wide(reduction)))
    }

    fn min_cwnd(&self, socket: &mut Socket) -> u64 {
        socket.snd_ssthresh
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, _in_flight: u64, _good: bool) {
        if socket.snd_cwnd < socket.snd_ssthresh {
            socket.snd_cwnd += 1;
        } else if u64::from(socket.snd_cwnd_cnt) >= socket.snd_cwnd {
            let grown = socket.snd_cwnd.wrapping_add(wide(socket.tunable(ALPHA)));
            socket.snd_cwnd = grown.min(u64::from(socket.snd_cwnd_clamp));
            socket.snd_cwnd_cnt = 0;
        } else {
            socket.save_up(1);
        }
    }
}
