//! TCP Veno: Reno that treats a loss without a queue as a random loss of the link.
//!
//! Source: C. Fu and S. Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks", IEEE JSAC
//! 21(2), 2003; Linux 2.6.22's Veno, as in ns-2.35 (`veno`).
//! What it decides: with three or more packets queued, the window grows only in every other round and is halved after
//! congestion. With fewer, it grows as Reno's and is cut by a fifth. Outside the Open state it grows as Reno's.
//! Departures: the delay of each single ACK counts; without a sample since the last ACK it is infinite.
//! Not implemented: restart after an idle period (ns-2 sends no such event).
//! Checked against: ns-2.35 (amd64).

use super::control::{KernelModule, LinuxCongestionOps, NO_RTT, at_least_two};
use super::socket::{CaState, Socket};

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "veno",
    about: "Veno: a loss without a queue costs less (Fu and Liew 2003)",
    wants_sending_times: true,
    tunables: &[],
    make: || Box::<Veno>::default(),
};

/// Queued packets are counted in halves.
const SHIFT: u32 = 1;
/// Congestion threshold: three packets queued, in halves.
const CONGESTED: u64 = 3 << SHIFT;

#[derive(Default)]
struct Veno {
    is_on: bool,
    samples: u32,
    least_rtt: u64,
    base_rtt: u64,
    may_grow: bool,
    queued: u64,
}

impl Veno {
    fn switch_on(&mut self) {
        self.is_on = true;
        self.least_rtt = NO_RTT;
    }

    fn grow(&mut self, socket: &mut Socket) {
        let undelayed = socket.snd_cwnd.wrapping_mul(self.base_rtt) << SHIFT;
        let target = socket.divide(undelayed, self.least_rtt);
        self.queued = (socket.snd_cwnd << SHIFT).wrapping_sub(target);
        if socket.in_slow_start() {
            socket.slow_start();
        } else if self.queued < CONGESTED {
            socket.grow_every(socket.snd_cwnd);
        } else if u64::from(socket.snd_cwnd_cnt) >= socket.snd_cwnd {
            if self.may_grow && socket.snd_cwnd < u64::from(socket.snd_cwnd_clamp) {
                socket.snd_cwnd += 1;
                self.may_grow = false;
            } else {
                self.may_grow = true;
            }
            socket.snd_cwnd_cnt = 0;
        } else {
            socket.save_up(1);
        }
        socket.hold_window();
    }
}

impl LinuxCongestionOps for Veno {
    fn init(&mut self, _socket: &mut Socket) {
        self.base_rtt = NO_RTT;
        self.may_grow = true;
        self.switch_on();
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        at_least_two(if self.queued < CONGESTED { socket.snd_cwnd.wrapping_mul(4) / 5 } else { socket.snd_cwnd >> 1 })
    }

    fn min_cwnd(&self, socket: &mut Socket) -> u64 {
        socket.snd_ssthresh
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, _good: bool) {
        if !self.is_on {
            socket.reno_cong_avoid(in_flight);
            return;
        }
        if !socket.is_cwnd_limited(in_flight) {
            return;
        }
        if self.samples <= 2 {
            socket.reno_cong_avoid(in_flight);
        } else {
            self.grow(socket);
        }
        self.least_rtt = NO_RTT;
    }

    fn pkts_acked(&mut self, socket: &mut Socket, _packets: u64, sent_ns: i64) {
        if sent_ns == 0 {
            return;
        }
        let rtt_us = socket.microseconds_since(sent_ns).wrapping_add(1);
        self.base_rtt = self.base_rtt.min(rtt_us);
        self.least_rtt = self.least_rtt.min(rtt_us);
        self.samples = self.samples.wrapping_add(1);
    }

    fn set_state(&mut self, _socket: &mut Socket, state: CaState) {
        if state == CaState::Open { self.switch_on() } else { self.is_on = false }
    }
}
