//! TCP Vegas as in Linux: keeps a few packets queued.
//!
//! Source: L. Brakmo and L. Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC
//! 13(8), 1995; Linux 2.6.22's Vegas, as in ns-2.35 (`vegas`).
//! What it decides: once per round, one packet more or less, so that between `alpha` and `beta` half packets are
//! queued; slow start ends above `gamma`. Outside the Open state it grows as Reno's.
//! Departures: slow start doubles the window every round trip, not every other one; losses are detected and repaired as
//! with every Linux control; the delay of a round is its minimum.
//! Not implemented: restart after an idle period (ns-2 sends no such event).
//! Checked against: ns-2.35 (amd64).

use super::control::{KernelModule, LinuxCongestionOps, wide};
use super::delay::Rounds;
use super::socket::{CaState, Socket};
use super::tunable::Tunable;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "vegas",
    about: "Vegas: a window that keeps a few packets queued (Brakmo and Peterson 1995)",
    wants_sending_times: true,
    tunables: &[
        Tunable { name: "alpha", default: 2 << SHIFT },
        Tunable { name: "beta", default: 4 << SHIFT },
        Tunable { name: "gamma", default: 1 << SHIFT },
    ],
    make: || Box::<Vegas>::default(),
};

const ALPHA: usize = 0;
const BETA: usize = 1;
const GAMMA: usize = 2;

/// Queued packets are counted in halves.
const SHIFT: u32 = 1;

#[derive(Default)]
struct Vegas {
    rounds: Rounds,
}

impl Vegas {
    fn end_round(&mut self, socket: &mut Socket, in_flight: u64) {
        let sent_bytes = self.rounds.ends_at.wrapping_sub(self.rounds.began_at);
        let sent = socket.divide(sent_bytes, socket.mss);
        let old_cwnd = self.rounds.cwnd;
        self.rounds.begin_next(socket);
        if self.rounds.is_sampled() {
            self.adjust(socket, sent, old_cwnd);
        } else {
            socket.reno_cong_avoid(in_flight);
        }
        self.rounds.forget_samples();
    }

    fn adjust(&mut self, socket: &mut Socket, sent: u64, old_cwnd: u64) {
        let undelayed = sent.wrapping_mul(self.rounds.base) << SHIFT;
        let target = socket.divide(undelayed, self.rounds.least);
        let queued = (sent << SHIFT).wrapping_sub(target);
        if socket.in_slow_start() {
            if queued > wide(socket.tunable(GAMMA)) {
                socket.snd_ssthresh = 2;
                socket.snd_cwnd = socket.snd_cwnd.min((target >> SHIFT).wrapping_add(1));
            }
            socket.slow_start();
        } else {
            let wanted = if queued > wide(socket.tunable(BETA)) {
                old_cwnd.wrapping_sub(1)
            } else if queued < wide(socket.tunable(ALPHA)) {
                old_cwnd.wrapping_add(1)
            } else {
                old_cwnd
            };
            if wanted > socket.snd_cwnd {
                socket.snd_cwnd += 1;
            } else if wanted < socket.snd_cwnd {
                socket.snd_cwnd -= 1;
            }
        }
        socket.hold_window();
    }
}

impl LinuxCongestionOps for Vegas {
    fn init(&mut self, socket: &mut Socket) {
        self.rounds.init(socket);
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        socket.reno_ssthresh()
    }

    fn cong_avoid(&mut self, socket: &mut Socket, ack: u64, in_flight: u64, _good: bool) {
        if !self.rounds.is_on {
            socket.reno_cong_avoid(in_flight);
        } else if self.rounds.ends_with(ack) {
            self.end_round(socket, in_flight);
        } else if socket.in_slow_start() {
            socket.slow_start();
        }
    }

    fn pkts_acked(&mut self, socket: &mut Socket, _packets: u64, sent_ns: i64) {
        self.rounds.sample_sent(socket, sent_ns);
    }

    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        self.rounds.set_state(socket, state);
    }
}
