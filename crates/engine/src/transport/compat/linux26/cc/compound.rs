//! Compound TCP: Reno's window plus a delay window, which grows while the queue is short.
//!
//! Source: K. Tan, J. Song, Q. Zhang and M. Sridharan, "A compound TCP approach for high-speed and long distance
//! networks", INFOCOM 2006; the Linux module by A. Castellani and S. Hemminger, as in ns-2.35 (`compound`).
//! What it decides: once per round, with fewer than 30 packets queued, the delay window grows by an eighth of
//! window^(3/4); else it shrinks by the packets queued.
//! Departures: the threshold is Reno's, for the sum of both windows.
//! Not implemented: restart after an idle period (ns-2 sends no such event).
//! Checked against: ns-2.35 (amd64).

use super::control::{KernelModule, LinuxCongestionOps};
use super::delay::Rounds;
use super::socket::{CaState, Socket};

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "compound",
    about: "Compound: Reno's window and a delay window on top (Tan et al. 2006)",
    wants_sending_times: true,
    tunables: &[],
    make: || Box::<Compound>::default(),
};

/// Queued packets are counted in halves.
const SHIFT: u32 = 1;
/// The delay window stops growing at this number of queued packets.
const MAX_QUEUED: u64 = 30;
/// Growth of the delay window: window^(3/4) divided by 2^3.
const GROWTH_LOG2: u32 = 3;

#[derive(Default)]
struct Compound {
    rounds: Rounds,
    reno_cwnd: u64,
    delay_cwnd: u64,
}

/// The fourth root by Newton's method, until two steps differ by at most one.
fn fourth_root(number: u64) -> u64 {
    let bits = 64 - number.leading_zeros();
    let mut root = 1_u64 << (bits >> 2);
    loop {
        let last = root;
        root = last.wrapping_mul(3).wrapping_add(quotient(number, last.wrapping_mul(last).wrapping_mul(last))) / 4;
        if (last.wrapping_sub(root) as i32).wrapping_abs() <= 1 || root == 0 {
            return root;
        }
    }
}

/// Division as with a 32-bit divisor: both numbers are shifted right until the divisor fits.
fn quotient(dividend: u64, divisor: u64) -> u64 {
    let extra = 64 - (divisor >> 32).leading_zeros();
    (dividend >> extra).checked_div(divisor >> extra).unwrap_or(0)
}

impl Compound {
    fn end_round(&mut self, socket: &mut Socket) {
        let sent_bytes = self.rounds.ends_at.wrapping_sub(self.rounds.began_at);
        let sent = socket.divide(sent_bytes, socket.mss);
        self.rounds.begin_next(socket);
        if self.rounds.is_sampled() {
            let undelayed = sent.wrapping_mul(self.rounds.base) << SHIFT;
            let target = socket.divide(undelayed, self.rounds.least);
            let queued = (sent << SHIFT).wrapping_sub(target);
            let delay_cwnd = self.delay_cwnd << SHIFT;
            self.delay_cwnd = if queued < MAX_QUEUED << SHIFT {
                let growth = fourth_root(sent.wrapping_mul(sent).wrapping_mul(sent)) >> GROWTH_LOG2;
                self.delay_cwnd.wrapping_add(growth.saturating_sub(1))
            } else {
                delay_cwnd.saturating_sub(queued) >> SHIFT
            };
        }
        self.rounds.forget_samples();
    }
}

impl LinuxCongestionOps for Compound {
    fn init(&mut self, socket: &mut Socket) {
        self.rounds.init(socket);
        self.delay_cwnd = 0;
        self.reno_cwnd = socket.snd_cwnd;
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        socket.reno_ssthresh()
    }

    fn cong_avoid(&mut self, socket: &mut Socket, ack: u64, in_flight: u64, _good: bool) {
        if self.reno_cwnd.wrapping_add(self.delay_cwnd) > socket.snd_cwnd {
            if self.reno_cwnd > socket.snd_cwnd || self.delay_cwnd > socket.snd_cwnd {
                self.reno_cwnd = socket.snd_cwnd;
                self.delay_cwnd = 0;
            } else {
                self.reno_cwnd = socket.snd_cwnd - self.delay_cwnd;
            }
        }
        if !socket.is_cwnd_limited(in_flight) {
            return;
        }
        let mut grows = false;
        if self.reno_cwnd <= socket.snd_ssthresh {
            grows = true;
        } else if u64::from(socket.snd_cwnd_cnt) < socket.snd_cwnd {
            socket.save_up(1);
        }
        if u64::from(socket.snd_cwnd_cnt) >= socket.snd_cwnd {
            grows = true;
            socket.snd_cwnd_cnt = 0;
        }
        if grows && socket.snd_cwnd < u64::from(socket.snd_cwnd_clamp) {
            self.reno_cwnd = self.reno_cwnd.wrapping_add(1);
        }
        if self.rounds.ends_with(ack) {
            self.end_round(socket);
        }
        socket.snd_cwnd = self.reno_cwnd.wrapping_add(self.delay_cwnd);
    }

    fn samples_rtt(&self) -> bool {
        true
    }

    fn rtt_sample(&mut self, _socket: &mut Socket, rtt_us: u64) {
        self.rounds.sample(rtt_us);
    }

    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        self.rounds.set_state(socket, state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fourth_roots_are_near() {
        for root in [1_u64, 2, 3, 10, 57, 1000, 30_000] {
            let found = fourth_root(root.pow(4));
            assert!(found.abs_diff(root) <= 1, "{root}: {found}");
        }
        assert_eq!(fourth_root(0), 0);
    }
}
