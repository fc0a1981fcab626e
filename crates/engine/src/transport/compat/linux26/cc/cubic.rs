//! CUBIC: the window is a cubic function of the time since the last loss.
//!
//! Source: I. Rhee and L. Xu, "CUBIC: a new TCP-friendly high-speed TCP variant", PFLDnet 2005; Linux 2.6.22's CUBIC
//! 2.1, as in ns-2.35 (`cubic`).
//! What it decides: the number of ACKs per packet of growth, so that the window reaches the curve one round trip ahead,
//! and grows at least as fast as Reno. Congestion cuts the window by a fifth.
//! Departures: the curve assumes a round-trip time of 100 ms; `beta` and `bic_scale` do not change the constants
//! derived from their defaults.
//! Not implemented: undoing a cut (ns-2 does not).
//! Checked against: ns-2.35 (amd64).

use super::control::{BETA_SCALE, HZ, KernelModule, LinuxCongestionOps, at_least_two, last_max_after_loss, wide};
use super::delayed_acks::PacketsPerAck;
use super::socket::{CaState, Socket};
use super::tunable::Tunable;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "cubic",
    about: "CUBIC: a cubic function of the time since the last loss (Rhee and Xu 2005)",
    wants_sending_times: false,
    tunables: &[
        Tunable { name: "fast_convergence", default: 1 },
        Tunable { name: "max_increment", default: 16 },
        Tunable { name: "beta", default: DEFAULT_BETA as i32 },
        Tunable { name: "initial_ssthresh", default: 0 },
        Tunable { name: "bic_scale", default: DEFAULT_SCALE as i32 },
        Tunable { name: "tcp_friendliness", default: 1 },
    ],
    make: || Box::<Cubic>::default(),
};

const FAST_CONVERGENCE: usize = 0;
const MAX_INCREMENT: usize = 1;
const BETA: usize = 2;
const INITIAL_SSTHRESH: usize = 3;
const FRIENDLINESS: usize = 5;

const DEFAULT_BETA: u64 = 819;
const DEFAULT_SCALE: u64 = 41;
/// The curve's clock has 2^10 ticks per second.
const TICKS_LOG2: u32 = 10;
/// Before the first loss: ACKs per packet of growth.
const BEFORE_LOSS: u64 = 50;

/// 8 times the ACKs per packet of growth, divided by the window, of a Reno flow with the same average throughput.
const RENO_SCALE: u64 = 8 * (1024 + DEFAULT_BETA) / 3 / (1024 - DEFAULT_BETA);
/// The curve's constant C/RTT for a round-trip time of 100 ms, in 1024ths.
const CURVE: u64 = DEFAULT_SCALE * 10;
/// Cubed ticks per packet of distance to the plateau.
const TICKS_CUBED: u64 = (1 << (10 + 3 * TICKS_LOG2)) / CURVE;

#[derive(Default)]
struct Cubic {
    /// ACKs per packet of growth.
    acks: u64,
    last_max: u64,
    at_loss: u64,
    computed_for: u64,
    computed_at: u64,
    /// Window at the plateau, packets (the origin point of Linux).
    flat_at: u64,
    /// Ticks from the start of the epoch to the plateau (K).
    flat_after: u64,
    /// The minimum round-trip time, eighths of a jiffy.
    least_delay: u64,
    epoch: u64,
    acks_in_epoch: u64,
    /// The estimated window of Reno (`W_est`).
    reno_cwnd: u64,
    packets_per_ack: PacketsPerAck,
}

/// The cube root: a table lookup by the highest bits, then one step of Newton's method. Present kernels compute it in
/// the same way.
pub fn cube_root(number: u64) -> u64 {
    /// 64 times the cube root of 2^18 times the index, minus ten, which the step adds again.
    const ROOTS: [u8; 64] = [
        0, 54, 54, 54, 118, 118, 118, 118, 123, 129, 134, 138, 143, 147, 151, 156, //
        157, 161, 164, 168, 170, 173, 176, 179, 181, 185, 187, 190, 192, 194, 197, 199, //
        200, 202, 204, 206, 209, 211, 213, 215, 217, 219, 221, 222, 224, 225, 227, 229, //
        231, 232, 234, 236, 237, 239, 240, 242, 244, 245, 246, 248, 250, 251, 252, 254,
    ];
    let bits = u64::from(64 - number.leading_zeros());
    if bits < 7 {
        return (u64::from(ROOTS[number as usize]) + 35) >> 6;
    }
    let shift = ((bits * 84) >> 8) - 1;
    let guess = ((u64::from(ROOTS[(number >> (shift * 3)) as usize]) + 10) << shift) >> 6;
    let divisor = guess * (guess - 1);
    // ns-2 divides by 32 bits: both numbers are shifted right until the divisor fits.
    let extra = 64 - (divisor >> 32).leading_zeros();
    let quotient = (number >> extra) / (divisor >> extra);
    ((2 * guess + quotient) * 341) >> 10
}

impl Cubic {
    fn reset(&mut self) {
        *self = Cubic { packets_per_ack: PacketsPerAck::two(), ..Cubic::default() };
    }

    fn update(&mut self, socket: &mut Socket) {
        let cwnd = socket.snd_cwnd;
        self.acks_in_epoch = self.acks_in_epoch.wrapping_add(1);
        let age = socket.jiffies.wrapping_sub(self.computed_at) as i64;
        if self.computed_for == cwnd && age <= (HZ / 32) as i64 {
            return;
        }
        self.computed_for = cwnd;
        self.computed_at = socket.jiffies;
        if self.epoch == 0 {
            self.epoch = socket.jiffies;
            self.acks_in_epoch = 1;
            self.reno_cwnd = cwnd;
            if self.last_max <= cwnd {
                self.flat_after = 0;
                self.flat_at = cwnd;
            } else {
                self.flat_after = cube_root(TICKS_CUBED.wrapping_mul(self.last_max - cwnd));
                self.flat_at = self.last_max;
            }
        }
        let ahead = socket.jiffies.wrapping_add(self.least_delay >> 3).wrapping_sub(self.epoch);
        let ticks = ahead.wrapping_shl(TICKS_LOG2) / HZ;
        let target = self.curve(ticks);
        self.acks = if target > cwnd { cwnd / (target - cwnd) } else { cwnd.wrapping_mul(100) };
        if self.least_delay > 0 {
            let most = wide(socket.tunable(MAX_INCREMENT).wrapping_mul(10)).wrapping_mul(self.least_delay);
            let fewest = socket.divide(cwnd.wrapping_mul(HZ * 8), most);
            if self.acks < fewest && ticks >= self.flat_after {
                self.acks = fewest;
            }
        }
        if self.at_loss == 0 {
            self.acks = BEFORE_LOSS;
        }
        if socket.tunable(FRIENDLINESS) != 0 {
            self.keep_up_with_reno(socket);
        }
        self.acks = self.packets_per_ack.acks_for(self.acks, socket);
    }

    /// The cubic curve (`W_cubic`) at `ticks` after the start of the epoch.
    fn curve(&self, ticks: u64) -> u64 {
        let offset = ticks.abs_diff(self.flat_after);
        let cubed = CURVE.wrapping_mul(offset).wrapping_mul(offset).wrapping_mul(offset);
        let distance = cubed >> (10 + 3 * TICKS_LOG2);
        if ticks < self.flat_after { self.flat_at.wrapping_sub(distance) } else { self.flat_at.wrapping_add(distance) }
    }

    fn keep_up_with_reno(&mut self, socket: &mut Socket) {
        let cwnd = socket.snd_cwnd;
        let acks_per_packet = cwnd.wrapping_mul(RENO_SCALE) >> 3;
        if acks_per_packet == 0 {
            socket.divided_by_zero = true; // ns-2 loops forever
            return;
        }
        while self.acks_in_epoch > acks_per_packet {
            self.acks_in_epoch -= acks_per_packet;
            self.reno_cwnd = self.reno_cwnd.wrapping_add(1);
        }
        if self.reno_cwnd > cwnd {
            self.acks = self.acks.min(cwnd / (self.reno_cwnd - cwnd));
        }
    }

    fn measure_delay(&mut self, socket: &Socket) {
        let has_timestamp = socket.saw_tstamp && socket.rcv_tsecr != 0;
        let in_epoch = socket.jiffies.wrapping_sub(self.epoch) as i64;
        if !has_timestamp || in_epoch < HZ as i64 {
            return;
        }
        let delay = (socket.jiffies.wrapping_sub(socket.rcv_tsecr) << 3).max(1);
        if self.least_delay == 0 || self.least_delay > delay {
            self.least_delay = delay;
        }
    }
}

impl LinuxCongestionOps for Cubic {
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
        at_least_two(cwnd.wrapping_mul(wide(beta)) / wide(BETA_SCALE))
    }

    fn min_cwnd(&self, socket: &mut Socket) -> u64 {
        socket.snd_ssthresh
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, good: bool) {
        if good {
            self.measure_delay(socket);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    // The table's authors state an average error of 0.195 %; one step of Newton's method stays below 2 % from 64 on.
    #[test]
    fn cube_roots_are_near() {
        for number in [64_u64, 1000, 12_345, 1 << 20, 1 << 33, 1 << 40, (1 << 40) / 410 * 1000] {
            let root = cube_root(number) as f64;
            let exact = (number as f64).cbrt();
            assert!((root - exact).abs() <= 1.0 + 0.02 * exact, "{number}: {root}, not {exact}");
        }
        assert_eq!((0..9).map(cube_root).collect::<Vec<_>>(), [0, 1, 1, 1, 2, 2, 2, 2, 2]);
    }

    // C (t - K)^3 + W of the paper, with C/RTT 0.4 packets per cubed second: ten seconds past the plateau it is 400.
    #[test]
    fn the_curve_is_flat_at_the_last_maximum() {
        let law = Cubic { flat_at: 100, flat_after: 5000, ..Cubic::default() };
        assert_eq!(law.curve(5000), 100);
        assert_eq!(law.curve(5000 + 10 * 1024), 100 + 400);
        assert_eq!(law.curve(5000 - 1024), 100);
    }
}
