//! TCP Westwood+: after a loss, the window is the measured bandwidth-delay product.
//!
//! Source: L. Grieco and S. Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP
//! congestion control", Computer Communication Review 34(2), 2004; Linux 2.6.22's Westwood+, as in ns-2.35
//! (`westwood`).
//! What it decides: the rate of acknowledged bytes over each round trip of at least 50 ms, smoothed twice; after
//! congestion the window is that rate times the minimum round-trip time. Threshold and growth are Reno's.
//! Departures: in ns-2's sender, which has no event at the end of a reduction, the rate sets only the window, not the
//! threshold. On today's sender it sets both, and the threshold after a timeout, as in Linux 6.12.
//! Not implemented: the event of F-RTO (ns-2 sends none).
//! Checked against: ns-2.35 (amd64).

use super::control::{CaEvent, HZ, KernelModule, LinuxCongestionOps, at_least_two};
use super::socket::Socket;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "westwood",
    about: "Westwood+: after a loss, the window that the measured rate fills (Grieco and Mascolo 2004)",
    wants_sending_times: false,
    tunables: &[],
    make: || Box::<Westwood>::default(),
};

/// Minimum period of a rate measurement, jiffies.
const MIN_PERIOD: u64 = HZ / 20;
/// Initial round-trip time, jiffies.
const FIRST_RTT: u64 = 20 * HZ;

#[derive(Default)]
struct Westwood {
    /// The rate in bytes per jiffy, smoothed once; `rate` is smoothed twice.
    rate_once: u64,
    rate: u64,
    period_began: u64,
    bytes: u64,
    snd_una: u64,
    /// Bytes counted for duplicate ACKs, which later ACKs will cover.
    ahead: u64,
    rtt: u64,
    least_rtt: u64,
    is_first_ack: bool,
    starts_least_anew: bool,
}

fn smooth(old: u64, new: u64) -> u64 {
    old.wrapping_mul(7).wrapping_add(new) >> 3
}

impl Westwood {
    fn end_period(&mut self, socket: &mut Socket) {
        let period = socket.jiffies.wrapping_sub(self.period_began);
        if self.is_first_ack {
            self.snd_una = socket.snd_una;
            self.is_first_ack = false;
        }
        if self.rtt == 0 || period <= self.rtt.max(MIN_PERIOD) {
            return;
        }
        let rate = socket.divide(self.bytes, period);
        if self.rate_once == 0 && self.rate == 0 {
            self.rate_once = rate;
            self.rate = rate;
        } else {
            self.rate_once = smooth(self.rate_once, rate);
            self.rate = smooth(self.rate, self.rate_once);
        }
        self.bytes = 0;
        self.period_began = socket.jiffies;
    }

    fn update_least(&mut self) {
        if self.starts_least_anew {
            self.least_rtt = self.rtt;
            self.starts_least_anew = false;
        } else {
            self.least_rtt = self.least_rtt.min(self.rtt);
        }
    }

    /// Bytes delivered, according to a duplicate, partial or delayed ACK.
    fn newly_acked(&mut self, socket: &Socket) -> u64 {
        let mut acked = socket.snd_una.wrapping_sub(self.snd_una);
        if acked == 0 {
            self.ahead = self.ahead.wrapping_add(socket.mss);
            acked = socket.mss;
        }
        if acked > socket.mss {
            if self.ahead >= acked {
                self.ahead -= acked;
                acked = socket.mss;
            } else {
                acked -= self.ahead;
                self.ahead = 0;
            }
        }
        self.snd_una = socket.snd_una;
        acked
    }
}

impl LinuxCongestionOps for Westwood {
    fn init(&mut self, socket: &mut Socket) {
        *self = Westwood {
            starts_least_anew: true,
            rtt: FIRST_RTT,
            least_rtt: FIRST_RTT,
            period_began: socket.jiffies,
            snd_una: socket.snd_una,
            is_first_ack: true,
            ..Westwood::default()
        };
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        socket.reno_ssthresh()
    }

    fn min_cwnd(&self, socket: &mut Socket) -> u64 {
        at_least_two(socket.divide(self.rate.wrapping_mul(self.least_rtt), socket.mss))
    }

    fn reduced_cwnd(&mut self, socket: &mut Socket) -> Option<u64> {
        Some(self.min_cwnd(socket))
    }

    fn timeout_ssthresh(&mut self, socket: &mut Socket) -> Option<u64> {
        self.starts_least_anew = true;
        Some(self.min_cwnd(socket))
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, _good: bool) {
        socket.reno_cong_avoid(in_flight);
    }

    fn pkts_acked(&mut self, socket: &mut Socket, packets: u64, _sent_ns: i64) {
        if packets > 0 {
            self.rtt = socket.srtt >> 3;
        }
    }

    fn event(&mut self, socket: &mut Socket, what: CaEvent) {
        let acked = match what {
            CaEvent::FastAck => {
                self.end_period(socket);
                let acked = socket.snd_una.wrapping_sub(self.snd_una);
                self.snd_una = socket.snd_una;
                acked
            }
            CaEvent::SlowAck => {
                self.end_period(socket);
                self.newly_acked(socket)
            }
            CaEvent::Timeout => return,
        };
        self.bytes = self.bytes.wrapping_add(acked);
        self.update_least();
    }
}
