//! YeAH-TCP: Scalable TCP while the queue is short, Reno while it is long, with early decongestion.
//!
//! Source: A. Baiocchi, A. Castellani and F. Vacirca, "YeAH-TCP: yet another highspeed TCP", PFLDnet 2007; Linux
//! 2.6.22's YeAH, as in ns-2.35 (`yeah`).
//! What it decides: the window grows as Scalable TCP's until a round has more than 80 packets queued, or a delay more
//! than an eighth above the minimum. Then it grows as Reno's. The sender removes the queued packets from the window,
//! down to a competing Reno's window. A loss cuts the window by the packets queued, unless 16 rounds needed Reno.
//! Departures: a loss may set the threshold to zero or, with a window of one, to almost 2^64 packets.
//! Not implemented: restart after an idle period (ns-2 sends no such event).
//! Checked against: ns-2.35 (amd64).

use super::control::{KernelModule, LinuxCongestionOps, at_least_two};
use super::delay::Rounds;
use super::socket::{CaState, Socket};

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "yeah",
    about: "YeAH: Scalable while the queue is short, else Reno (Baiocchi et al. 2007)",
    wants_sending_times: true,
    tunables: &[],
    make: || Box::<Yeah>::default(),
};

/// Maximum number of packets queued in fast mode.
const MAX_QUEUED: u64 = 80;
/// Maximum queueing delay in fast mode: 1/8 of the minimum round-trip time.
const DELAY_PART: u64 = 8;
/// Minimum cut after a loss: 1/2^3 of the window.
const MIN_CUT_LOG2: u32 = 3;
/// After this many Reno rounds, a loss is attributed to competing flows.
const ROUNDS_TO_COMPETE: u64 = 16;
/// After this many fast rounds, there is no competing flow.
const ROUNDS_TO_FORGET: u64 = 50;
/// Upper limit of the count of Reno rounds.
const MAX_ROUNDS: u64 = 0xff_ffff;
const ACKS_PER_PACKET: u64 = 100;

#[derive(Default)]
struct Yeah {
    rounds: Rounds,
    queued: u64,
    reno_rounds: u64,
    /// Estimated window of a competing Reno flow.
    reno_cwnd: u64,
    fast_rounds: u64,
    acked: u64,
}

impl Yeah {
    fn grow(&mut self, socket: &mut Socket) {
        if socket.in_slow_start() {
            socket.slow_start();
        } else if self.reno_rounds == 0 {
            socket.save_up(self.acked);
            if u64::from(socket.snd_cwnd_cnt) > socket.snd_cwnd.min(ACKS_PER_PACKET) {
                socket.grow_by_one();
                socket.snd_cwnd_cnt = 0;
            }
            self.acked = 1;
        } else {
            if u64::from(socket.snd_cwnd_cnt) < socket.snd_cwnd {
                socket.save_up(1);
            }
            if u64::from(socket.snd_cwnd_cnt) >= socket.snd_cwnd {
                socket.snd_cwnd = socket.snd_cwnd.wrapping_add(1);
                socket.snd_cwnd_cnt = 0;
            }
        }
    }

    fn judge_queue(&mut self, socket: &mut Socket) {
        let rtt = self.rounds.least;
        let delay = rtt.wrapping_sub(self.rounds.base);
        // ns-2 divides by 32 bits.
        let queued = socket.divide(socket.snd_cwnd.wrapping_mul(delay), rtt & u64::from(u32::MAX));
        if queued > MAX_QUEUED || delay > self.rounds.base / DELAY_PART {
            if queued > MAX_QUEUED && socket.snd_cwnd > self.reno_cwnd {
                let reduction = queued.min(socket.snd_cwnd >> 1);
                socket.snd_cwnd = (socket.snd_cwnd - reduction).max(self.reno_cwnd);
                socket.snd_ssthresh = socket.snd_cwnd;
            }
            if self.reno_cwnd <= 2 {
                self.reno_cwnd = at_least_two(socket.snd_cwnd >> 1);
            } else {
                self.reno_cwnd += 1;
            }
            self.reno_rounds = (self.reno_rounds + 1).min(MAX_ROUNDS);
        } else {
            self.fast_rounds += 1;
            if self.fast_rounds > ROUNDS_TO_FORGET {
                self.reno_cwnd = 2;
                self.fast_rounds = 0;
            }
            self.reno_rounds = 0;
        }
        self.queued = queued;
    }
}

impl LinuxCongestionOps for Yeah {
    fn init(&mut self, socket: &mut Socket) {
        self.rounds.init(socket);
        self.reno_rounds = 0;
        self.queued = 0;
        self.reno_cwnd = 2;
        socket.clamp_for_products();
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        let half = at_least_two(socket.snd_cwnd >> 1);
        let reduction = if self.reno_rounds < ROUNDS_TO_COMPETE {
            self.queued.min(half).max(socket.snd_cwnd >> MIN_CUT_LOG2)
        } else {
            half
        };
        self.fast_rounds = 0;
        self.reno_cwnd = at_least_two(self.reno_cwnd >> 1);
        socket.snd_cwnd.wrapping_sub(reduction)
    }

    fn cong_avoid(&mut self, socket: &mut Socket, ack: u64, in_flight: u64, _good: bool) {
        if !socket.is_cwnd_limited(in_flight) {
            return;
        }
        self.grow(socket);
        if self.rounds.ends_with(ack) {
            if self.rounds.is_sampled() {
                self.judge_queue(socket);
            }
            self.rounds.begin_next(socket);
            self.rounds.forget_samples();
        }
    }

    fn pkts_acked(&mut self, socket: &mut Socket, packets: u64, sent_ns: i64) {
        if socket.state == CaState::Open {
            self.acked = packets;
        }
        self.rounds.sample_sent(socket, sent_ns);
    }

    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        self.rounds.set_state(socket, state);
    }
}
