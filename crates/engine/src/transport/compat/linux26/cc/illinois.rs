//! TCP-Illinois: growth and decrease follow the queueing delay between its minimum and maximum.
//!
//! Source: S. Liu, T. Basar and R. Srikant, "TCP-Illinois: a loss and delay-based congestion control algorithm for
//! high-speed networks", VALUETOOLS 2006; Linux 2.6.22's Illinois, as in ns-2.35 (`illinois`).
//! What it decides: once per round, alpha between 10 and 0.3 packets per round trip and beta between 1/8 and 1/2 of the
//! window; below `win_thresh` both are Reno's.
//! Departures: after a long delay, alpha returns to 10 only after `theta` rounds of short delay. Linux 2.6.22 and ns-2
//! take beta for the part of the window that is left; today's sender subtracts it, as the paper and Linux 6.12 do.
//! Not implemented: nothing.
//! Checked against: ns-2.35 (amd64).

use super::control::{KernelModule, LinuxCongestionOps, NO_RTT, at_least_two, wide};
use super::socket::{CaState, Socket};
use super::tunable::Tunable;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "illinois",
    about: "Illinois: growth and cuts by the queueing delay (Liu, Basar and Srikant 2006)",
    wants_sending_times: true,
    tunables: &[Tunable { name: "win_thresh", default: 15 }, Tunable { name: "theta", default: 5 }],
    make: || Box::<Illinois>::default(),
};

const WIN_THRESH: usize = 0;
const THETA: usize = 1;

/// Alpha is in 128ths.
const ALPHA_SHIFT: u32 = 7;
const ALPHA_BASE: u64 = 1 << ALPHA_SHIFT;
const ALPHA_LEAST: u64 = 3 * ALPHA_BASE / 10;
const ALPHA_GREATEST: u64 = 10 * ALPHA_BASE;
/// Beta is in 64ths.
const BETA_SHIFT: u32 = 6;
const BETA_LEAST: u64 = (1 << BETA_SHIFT) / 8;
const BETA_GREATEST: u64 = (1 << BETA_SHIFT) / 2;
/// Upper limit of RTT samples, microseconds.
const LONGEST_RTT: u64 = 0xffff_ffff / ALPHA_GREATEST;

#[derive(Default)]
struct Illinois {
    sum_us: u64,
    samples: u32,
    least_rtt: u64,
    greatest_rtt: u64,
    ends_at: u64,
    alpha: u64,
    beta: u64,
    acked: u32,
    was_delayed: bool,
    short_rounds: u8,
}

/// The decrease (beta) for the average and the maximum queueing delay.
fn beta(average: u64, greatest: u64, socket: &mut Socket) -> u64 {
    let low = greatest / 10;
    if average <= low {
        return BETA_LEAST;
    }
    let high = greatest.wrapping_mul(8) / 10;
    if average >= high || high <= low {
        return BETA_GREATEST;
    }
    let line = BETA_LEAST.wrapping_mul(high).wrapping_sub(BETA_GREATEST.wrapping_mul(low));
    let rise = (BETA_GREATEST - BETA_LEAST).wrapping_mul(average);
    socket.divide(line.wrapping_add(rise), high - low)
}

impl Illinois {
    fn begin_round(&mut self, socket: &Socket) {
        self.ends_at = socket.snd_nxt;
        self.samples = 0;
        self.sum_us = 0;
    }

    fn alpha(&mut self, average: u64, greatest: u64, socket: &mut Socket) -> u64 {
        let low = greatest / 100;
        if average <= low {
            if !self.was_delayed {
                return ALPHA_GREATEST;
            }
            self.short_rounds = self.short_rounds.wrapping_add(1);
            if i32::from(self.short_rounds) < socket.tunable(THETA) {
                return self.alpha;
            }
            self.short_rounds = 0;
            self.was_delayed = false;
            return ALPHA_GREATEST;
        }
        self.was_delayed = true;
        let (span, above) = (greatest.wrapping_sub(low), average - low);
        let slope = above.wrapping_mul(ALPHA_GREATEST - ALPHA_LEAST) / ALPHA_LEAST;
        socket.divide(span.wrapping_mul(ALPHA_GREATEST), span.wrapping_add(slope))
    }

    fn end_round(&mut self, socket: &mut Socket) {
        if socket.snd_cwnd < wide(socket.tunable(WIN_THRESH)) {
            self.alpha = ALPHA_BASE;
            self.beta = BETA_GREATEST;
        } else if self.samples > 0 {
            let greatest = self.greatest_rtt.wrapping_sub(self.least_rtt);
            let average = (self.sum_us / u64::from(self.samples)).wrapping_sub(self.least_rtt);
            self.alpha = self.alpha(average, greatest, socket);
            self.beta = beta(average, greatest, socket);
        }
        self.begin_round(socket);
    }
}

impl LinuxCongestionOps for Illinois {
    fn init(&mut self, socket: &mut Socket) {
        *self = Illinois { alpha: ALPHA_GREATEST, beta: BETA_GREATEST, least_rtt: NO_RTT, ..Illinois::default() };
        self.begin_round(socket);
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        at_least_two(socket.snd_cwnd.wrapping_mul(self.beta) >> BETA_SHIFT)
    }

    fn mended_ssthresh(&mut self, socket: &mut Socket) -> u64 {
        at_least_two(socket.snd_cwnd - (socket.snd_cwnd.wrapping_mul(self.beta) >> BETA_SHIFT))
    }

    fn cong_avoid(&mut self, socket: &mut Socket, ack: u64, in_flight: u64, _good: bool) {
        if self.ends_at < ack {
            self.end_round(socket);
        }
        if !socket.is_cwnd_limited(in_flight) {
            return;
        }
        if socket.in_slow_start() {
            socket.slow_start();
            return;
        }
        socket.save_up(u64::from(self.acked));
        self.acked = 1;
        let gain = u64::from(socket.snd_cwnd_cnt).wrapping_mul(self.alpha) >> ALPHA_SHIFT;
        if gain >= socket.snd_cwnd {
            let packets = socket.divide(gain, socket.snd_cwnd);
            socket.snd_cwnd = socket.snd_cwnd.wrapping_add(packets).min(u64::from(socket.snd_cwnd_clamp));
            socket.snd_cwnd_cnt = 0;
        }
    }

    fn pkts_acked(&mut self, socket: &mut Socket, packets: u64, sent_ns: i64) {
        self.acked = packets as u32;
        if sent_ns == 0 {
            return;
        }
        let rtt_us = socket.microseconds_since(sent_ns).min(LONGEST_RTT);
        self.least_rtt = self.least_rtt.min(rtt_us);
        self.greatest_rtt = self.greatest_rtt.max(rtt_us);
        self.samples = self.samples.wrapping_add(1);
        self.sum_us = self.sum_us.wrapping_add(rtt_us);
    }

    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        if state == CaState::Loss {
            self.alpha = ALPHA_BASE;
            self.beta = BETA_GREATEST;
            self.short_rounds = 0;
            self.was_delayed = false;
            self.begin_round(socket);
        }
    }
}
