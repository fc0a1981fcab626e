//! H-TCP: growth by the time since the last congestion, decrease by the ratio of round-trip times.
//!
//! Source: R. Shorten and D. Leith, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004; Linux
//! 2.6.22's H-TCP, as in ns-2.35 (`htcp`).
//! What it decides: alpha is a quadratic function of the time since the last congestion, from one second on, scaled by
//! the round-trip time. Beta is the ratio of minimum to maximum round-trip time, between 0.5 and 0.8; it is 0.5 after a
//! throughput change of more than a fifth.
//! Departures: the maximum round-trip time decays towards the minimum at each congestion event.
//! Not implemented: undoing a cut (ns-2 does not).
//! Checked against: ns-2.35 (amd64).

use super::control::{HZ, KernelModule, LinuxCongestionOps, at_least_two};
use super::socket::{CaState, Socket};
use super::tunable::Tunable;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "htcp",
    about: "H-TCP: growth by the time since the last congestion (Shorten and Leith 2004)",
    wants_sending_times: false,
    tunables: &[Tunable { name: "use_rtt_scaling", default: 1 }, Tunable { name: "use_bandwidth_switch", default: 1 }],
    make: || Box::<HTcp>::default(),
};

const USE_RTT_SCALING: usize = 0;
const USE_BANDWIDTH_SWITCH: usize = 1;

/// Alpha and beta are in 128ths.
const SHIFT: u32 = 7;
const ONE: u64 = 1 << SHIFT;
const MIN_BETA: u8 = 1 << (SHIFT - 1);
const GREATEST_BETA: u8 = 102;
/// Beta follows the round-trip times only if their minimum is above this, jiffies.
const MIN_RTT: u64 = 10;
/// The maximum round-trip time rises by at most this per sample, jiffies.
const RTT_STEP: u64 = 20;
/// A threshold from this value on means that no congestion has occurred.
const NO_THRESHOLD: u64 = 0xffff;
/// Round trips after a congestion event without RTT measurement.
const TOO_EARLY: u64 = 3;

#[derive(Default)]
struct HTcp {
    alpha: u64,
    beta: u8,
    /// Throughput was stable at the last congestion event, so beta may follow the delay.
    follows_delay: bool,
    acked: u32,
    least_rtt: u64,
    greatest_rtt: u64,
    last_congestion: u64,
    packets: u64,
    counted_since: u64,
    /// Throughput in packets/s: minimum, maximum, before the last congestion, average.
    least_rate: u64,
    greatest_rate: u64,
    old_rate: u64,
    rate: u64,
}

impl HTcp {
    fn since_congestion(&self, socket: &Socket) -> u64 {
        socket.jiffies.wrapping_sub(self.last_congestion)
    }

    fn rounds_since_congestion(&self, socket: &mut Socket) -> u64 {
        let since = self.since_congestion(socket);
        socket.divide(since, self.least_rtt)
    }

    fn measure_rtt(&mut self, socket: &mut Socket) {
        let srtt = socket.srtt >> 3;
        if self.least_rtt > srtt || self.least_rtt == 0 {
            self.least_rtt = srtt;
        }
        if socket.state == CaState::Open
            && socket.snd_ssthresh < NO_THRESHOLD
            && self.rounds_since_congestion(socket) > TOO_EARLY
        {
            self.greatest_rtt = self.greatest_rtt.max(self.least_rtt);
            if self.greatest_rtt < srtt && srtt <= self.greatest_rtt.wrapping_add(RTT_STEP) {
                self.greatest_rtt = srtt;
            }
        }
    }

    fn measure_rate(&mut self, socket: &mut Socket) {
        let now = socket.jiffies;
        let period = now.wrapping_sub(self.counted_since);
        let almost_all = socket.snd_cwnd.wrapping_sub((self.alpha >> SHIFT).max(1));
        if self.packets < almost_all || period < self.least_rtt || self.least_rtt == 0 {
            return;
        }
        let rate = socket.divide(self.packets.wrapping_mul(HZ), period);
        if self.rounds_since_congestion(socket) <= TOO_EARLY {
            self.rate = rate;
            self.least_rate = rate;
            self.greatest_rate = rate;
        } else {
            self.rate = self.rate.wrapping_mul(3).wrapping_add(rate) / 4;
            self.greatest_rate = self.greatest_rate.max(self.rate);
            self.least_rate = self.least_rate.min(self.greatest_rate);
        }
        self.packets = 0;
        self.counted_since = now;
    }

    fn update_beta(&mut self, socket: &mut Socket) {
        if socket.tunable(USE_BANDWIDTH_SWITCH) != 0 {
            let old = self.old_rate;
            self.old_rate = self.greatest_rate;
            let (low, high) = (old.wrapping_mul(4), old.wrapping_mul(6));
            if self.greatest_rate.wrapping_mul(5).wrapping_sub(low) > high.wrapping_sub(low) {
                self.beta = MIN_BETA;
                self.follows_delay = false;
                return;
            }
        }
        if self.follows_delay && self.least_rtt > MIN_RTT && self.greatest_rtt != 0 {
            let ratio = (self.least_rtt.wrapping_shl(SHIFT) / self.greatest_rtt) as u8;
            self.beta = ratio.clamp(MIN_BETA, GREATEST_BETA);
        } else {
            self.beta = MIN_BETA;
            self.follows_delay = true;
        }
    }

    fn update_alpha(&mut self, socket: &mut Socket) {
        let mut factor: u64 = 1;
        let since = self.since_congestion(socket);
        if since > HZ {
            let late = since - HZ;
            let square = (late / 2).wrapping_mul(late / 2) / HZ;
            factor = late.wrapping_mul(10).wrapping_add(square) / HZ + 1;
        }
        if socket.tunable(USE_RTT_SCALING) != 0 && self.least_rtt != 0 {
            // The factor for a round-trip time of 100 ms is 1; in eighths, limited to one half and ten.
            let scale = socket.divide(HZ << 3, self.least_rtt.wrapping_mul(10)).clamp(1 << 2, 10 << 3);
            factor = (factor.wrapping_shl(3) / scale).max(1);
        }
        self.alpha = factor.wrapping_mul(2).wrapping_mul(ONE.wrapping_sub(u64::from(self.beta)));
        if self.alpha == 0 {
            self.alpha = ONE;
        }
    }
}

impl LinuxCongestionOps for HTcp {
    fn init(&mut self, socket: &mut Socket) {
        *self = HTcp { alpha: ONE, beta: MIN_BETA, acked: 1, last_congestion: socket.jiffies, ..HTcp::default() };
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        let (least, greatest) = (self.least_rtt, self.greatest_rtt);
        self.update_beta(socket);
        self.update_alpha(socket);
        if least > 0 && greatest > least {
            self.greatest_rtt = least + ((greatest - least).wrapping_mul(95)) / 100;
        }
        at_least_two(socket.snd_cwnd.wrapping_mul(u64::from(self.beta)) >> SHIFT)
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
            return;
        }
        self.measure_rtt(socket);
        if u64::from(socket.snd_cwnd_cnt).wrapping_mul(self.alpha) >> SHIFT >= socket.snd_cwnd {
            socket.grow_by_one();
            socket.snd_cwnd_cnt = 0;
            self.update_alpha(socket);
        } else {
            socket.save_up(u64::from(self.acked));
        }
        self.acked = 1;
    }

    fn pkts_acked(&mut self, socket: &mut Socket, packets: u64, _sent_ns: i64) {
        if socket.state == CaState::Open {
            self.acked = packets as u32;
        }
        if socket.tunable(USE_BANDWIDTH_SWITCH) == 0 {
            return;
        }
        if socket.state == CaState::Open {
            self.packets = self.packets.wrapping_add(packets);
            self.measure_rate(socket);
        } else {
            self.packets = 0;
            self.counted_since = socket.jiffies;
        }
    }

    fn set_state(&mut self, socket: &mut Socket, _state: CaState) {
        self.last_congestion = socket.jiffies;
    }
}
