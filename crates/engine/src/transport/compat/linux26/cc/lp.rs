//! TCP-LP: a low-priority sender that backs off at the first sign of queueing.
//!
//! Source: A. Kuzmanovic and E. Knightly, "TCP-LP: a distributed algorithm for low priority data transfer", INFOCOM
//! 2003; Linux 2.6.22's LP, as in ns-2.35 (`lp`).
//! What it decides: when the smoothed one-way delay exceeds its minimum by 15 % of its range, the window is halved. If
//! that repeats within the inference time of three round trips, the window falls to one packet. The window does not
//! grow during the inference time. Otherwise it is Reno.
//! Departures: each cut resets the delay's range. Without timestamps there is no delay, and the inference time is three
//! times the simulation time so far.
//! Not implemented: nothing.
//! Checked against: ns-2.35 (amd64), which also prints, on every ACK, the state that is the remark here.

use super::control::{HZ, KernelModule, LinuxCongestionOps};
use super::socket::Socket;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "lp",
    about: "TCP-LP: low priority, gives way at the first sign of a queue (Kuzmanovic and Knightly 2003)",
    wants_sending_times: true,
    tunables: &[],
    make: || Box::<LowPriority>::default(),
};

/// One-way delays are in milliseconds.
const RESOLUTION: u64 = 1000;
/// Delay threshold, per cent of the delay's range.
const THRESHOLD: u64 = 15;
/// The inference time, round trips.
const INFERENCE: u64 = 3;

/// State flags, as the remark reports them.
mod flag {
    pub const CLOCK_RATE: u64 = 1;
    pub const DELAY: u64 = 1 << 1;
    pub const WITHIN_THRESHOLD: u64 = 1 << 3;
    pub const WITHIN_INFERENCE: u64 = 1 << 4;
}

#[derive(Default)]
struct LowPriority {
    flags: u64,
    /// Smoothed one-way delay, in eighths.
    smoothed: u64,
    least: u64,
    greatest: u64,
    next_greatest: u64,
    /// Estimated rate of the peer's clock, ticks per second.
    peer_rate: u64,
    peer_time: u64,
    own_time: u64,
    cut_at: u64,
    inference: u64,
}

impl LowPriority {
    fn flag(&mut self, bit: u64, is_on: bool) {
        if is_on { self.flags |= bit } else { self.flags &= !bit }
    }

    fn estimate_peer_rate(&mut self, socket: &mut Socket) {
        let mut scaled = (self.peer_rate << 6) as i64;
        let (peer, own) = (socket.rcv_tsval, socket.rcv_tsecr);
        let has_times = self.peer_time != 0 && self.own_time != 0;
        if has_times && peer != self.peer_time && own != self.own_time {
            let passed = HZ.wrapping_mul(peer.wrapping_sub(self.peer_time));
            let rate = (socket.divide(passed, own.wrapping_sub(self.own_time)) as i64).wrapping_abs();
            scaled = if scaled > 0 { scaled.wrapping_add(rate.wrapping_sub(scaled >> 6)) } else { rate << 6 };
        }
        self.flag(flag::CLOCK_RATE, scaled >> 6 > 0);
        self.peer_time = peer;
        self.own_time = own;
        self.peer_rate = (scaled >> 6) as u64;
    }

    /// The one-way delay: the difference between the two clocks.
    fn one_way_delay(&mut self, socket: &mut Socket) -> i64 {
        self.estimate_peer_rate(socket);
        let mut delay = 0;
        if self.flags & flag::CLOCK_RATE != 0 {
            let peer = socket.rcv_tsval.wrapping_mul(socket.divide(RESOLUTION, self.peer_rate));
            let own = socket.rcv_tsecr.wrapping_mul(RESOLUTION / HZ);
            delay = (peer.wrapping_sub(own) as i64).wrapping_abs();
        }
        self.flag(flag::DELAY, delay > 0);
        delay
    }

    fn sample(&mut self, socket: &mut Socket) {
        let delay = self.one_way_delay(socket);
        if self.flags & flag::CLOCK_RATE == 0 || self.flags & flag::DELAY == 0 {
            return;
        }
        if delay < self.least as i64 {
            self.least = delay as u64;
        }
        if delay > self.greatest as i64 {
            // A new maximum counts only after an even greater delay.
            if delay > self.next_greatest as i64 {
                self.greatest = if self.next_greatest == 0 { delay as u64 } else { self.next_greatest };
                self.next_greatest = delay as u64;
            } else {
                self.greatest = delay as u64;
            }
        }
        self.smoothed = if self.smoothed == 0 {
            (delay as u64) << 3
        } else {
            self.smoothed.wrapping_add((delay as u64).wrapping_sub(self.smoothed >> 3))
        };
    }
}

impl LinuxCongestionOps for LowPriority {
    fn init(&mut self, _socket: &mut Socket) {
        *self = LowPriority { least: 0xffff_ffff, ..LowPriority::default() };
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        socket.reno_ssthresh()
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, _good: bool) {
        if self.flags & flag::WITHIN_INFERENCE == 0 {
            socket.reno_cong_avoid(in_flight);
        }
    }

    fn pkts_acked(&mut self, socket: &mut Socket, _packets: u64, sent_ns: i64) {
        if sent_ns != 0 {
            self.sample(socket);
        }
        let now = socket.jiffies;
        if now > socket.rcv_tsecr {
            self.inference = (now - socket.rcv_tsecr).wrapping_mul(INFERENCE);
        }
        let within_inference = self.cut_at != 0 && now.wrapping_sub(self.cut_at) < self.inference;
        self.flag(flag::WITHIN_INFERENCE, within_inference);
        let smoothed = self.smoothed >> 3;
        let range = self.greatest.wrapping_sub(self.least);
        let within_threshold = smoothed < self.least.wrapping_add(range.wrapping_mul(THRESHOLD) / 100);
        self.flag(flag::WITHIN_THRESHOLD, within_threshold);
        socket.remark([self.flags, socket.snd_cwnd, self.peer_rate, self.least, self.greatest, smoothed]);
        if within_threshold {
            return;
        }
        self.least = smoothed;
        self.greatest = self.smoothed >> 2;
        self.next_greatest = self.smoothed >> 2;
        socket.snd_cwnd = if within_inference { 1 } else { (socket.snd_cwnd >> 1).max(1) };
        self.cut_at = now;
    }
}
