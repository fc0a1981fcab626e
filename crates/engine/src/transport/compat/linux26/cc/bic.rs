//! BIC: binary search for the window of the last loss.
//!
//! Source: L. Xu, K. Harfoush and I. Rhee, "Binary increase congestion control (BIC) for fast long-distance networks",
//! INFOCOM 2004; Linux 2.6.22's BIC, as in ns-2.35 (`bic`).
//! What it decides: the number of ACKs per packet of growth, from the distance to the last maximum. Congestion cuts the
//! window by a fifth, or by half in windows up to `low_window`.
//! Departures: each search step covers a quarter of the distance; a moving average of packets per ACK compensates for
//! delayed ACKs.
//! Not implemented: undoing a cut (ns-2 does not).
//! Checked against: ns-2.35 (amd64).

use super::control::{BETA_SCALE, HZ, KernelModule, LinuxCongestionOps, at_least_two, last_max_after_loss, wide};
use super::delayed_acks::PacketsPerAck;
use super::socket::{CaState, Socket};
use super::tunable::Tunable;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "bic",
    about: "BIC: binary search for the window of the last loss (Xu, Harfoush and Rhee 2004)",
    wants_sending_times: false,
    tunables: &[
        Tunable { name: "fast_convergence", default: 1 },
        Tunable { name: "max_increment", default: 16 },
        Tunable { name: "low_window", default: 14 },
        Tunable { name: "beta", default: 819 },
        Tunable { name: "initial_ssthresh", default: 0 },
        Tunable { name: "smooth_part", default: 20 },
    ],
    make: || Box::<Bic>::default(),
};

const FAST_CONVERGENCE: usize = 0;
const MAX_INCREMENT: usize = 1;
const LOW_WINDOW: usize = 2;
const BETA: usize = 3;
const INITIAL_SSTHRESH: usize = 4;
const SMOOTH_PART: usize = 5;

/// Each search step covers 1/4 of the distance.
const SEARCH_PARTS: i32 = 4;
/// Before the first loss: maximum number of ACKs per packet of growth.
const BEFORE_LOSS: u64 = 20;

#[derive(Default)]
struct Bic {
    /// ACKs per packet of growth.
    acks: u64,
    last_max: u64,
    at_loss: u64,
    computed_for: u64,
    computed_at: u64,
    epoch: u64,
    packets_per_ack: PacketsPerAck,
}

impl Bic {
    fn reset(&mut self) {
        *self = Bic { packets_per_ack: PacketsPerAck::two(), ..Bic::default() };
    }

    fn update(&mut self, socket: &mut Socket) {
        let cwnd = socket.snd_cwnd;
        let age = socket.jiffies.wrapping_sub(self.computed_at) as i64;
        if self.computed_for == cwnd && age <= (HZ / 32) as i64 {
            return;
        }
        self.computed_for = cwnd;
        self.computed_at = socket.jiffies;
        if self.epoch == 0 {
            self.epoch = socket.jiffies;
        }
        if cwnd <= wide(socket.tunable(LOW_WINDOW)) {
            self.acks = cwnd;
            return;
        }
        self.acks = self.search(socket);
        if self.at_loss == 0 {
            self.acks = self.acks.min(BEFORE_LOSS);
        }
        self.acks = self.packets_per_ack.acks_for(self.acks, socket);
    }

    fn search(&self, socket: &mut Socket) -> u64 {
        let cwnd = socket.snd_cwnd;
        let parts = wide(SEARCH_PARTS);
        let most = socket.tunable(MAX_INCREMENT);
        let smooth = cwnd.wrapping_mul(wide(socket.tunable(SMOOTH_PART))) / parts;
        let linear_to = self.last_max.wrapping_add(wide(most.wrapping_mul(SEARCH_PARTS - 1)));
        if cwnd < self.last_max {
            let distance = (self.last_max - cwnd) / parts;
            if distance > wide(most) {
                socket.divide(cwnd, wide(most))
            } else if distance <= 1 {
                smooth
            } else {
                cwnd / distance
            }
        } else if cwnd < self.last_max.wrapping_add(parts) {
            smooth
        } else if cwnd < linear_to {
            let above = cwnd.wrapping_sub(self.last_max);
            socket.divide(cwnd.wrapping_mul(parts - 1), above)
        } else {
            socket.divide(cwnd, wide(most))
        }
    }
}

impl LinuxCongestionOps for Bic {
    fn init(&mut self, socket: &mut Socket) {
        self.reset();
        socket.start_at_ssthresh(INITIAL_SSTHRESH);
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        let cwnd = socket.snd_cwnd;
        let beta = socket.tunable(BETA);
        self.epoch = 0;
        self.last_max = last_max_after_loss(cwnd, self.last_max, socket.tunable(FAST_CONVERGENCE) != 0, beta);
        self.at_loss = cwnd;
        at_least_two(if cwnd <= wide(socket.tunable(LOW_WINDOW)) {
            cwnd >> 1
        } else {
            cwnd.wrapping_mul(wide(beta)) / wide(BETA_SCALE)
        })
    }

    fn min_cwnd(&self, socket: &mut Socket) -> u64 {
        socket.snd_ssthresh
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, _good: bool) {
        if !socket.is_cwnd_limited(in_flight) {
            return;
        }
        if socket.in_slow_start() {
            socket.slow_start();
        } else {
            self.update(socket);
            socket.grow_every(self.acks);
        }
    }

    fn pkts_acked(&mut self, socket: &mut Socket, packets: u64, _sent_ns: i64) {
        self.packets_per_ack.acknowledged(socket, packets);
    }

    fn set_state(&mut self, _socket: &mut Socket, state: CaState) {
        if state == CaState::Loss {
            self.reset();
        }
    }
}
