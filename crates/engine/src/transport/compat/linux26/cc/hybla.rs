//! TCP Hybla: a long round trip grows its window as fast as a short one.
//!
//! Source: C. Caini and R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International
//! Journal of Satellite Communications and Networking 22(5), 2004; Linux 2.6.22's Hybla, as in ns-2.35 (`hybla`).
//! What it decides: with rho = RTT / `rtt0`, each ACK grows the window by 2^rho - 1 in slow start, then by rho^2 /
//! window. Outside the Open state it grows as Reno's.
//! Departures: rho is at least one, has three fraction bits, and is computed only when the smoothed round-trip time
//! reaches a new minimum. The maximum window is 65535 packets.
//! Not implemented: nothing.
//! Checked against: ns-2.35 (amd64).

use super::control::{KernelModule, LinuxCongestionOps, wide};
use super::socket::{CaState, Socket};
use super::tunable::Tunable;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "hybla",
    about: "Hybla: long round trips grow their window like short ones (Caini and Firrincieli 2004)",
    wants_sending_times: false,
    tunables: &[Tunable { name: "rtt0", default: 25 }],
    make: || Box::<Hybla>::default(),
};

const RTT0: usize = 0;

const GREATEST_WINDOW: u32 = 65_535;
/// Growth is in 128ths.
const ONE: u64 = 128;
/// 2^(i/8), in 128ths.
const POWERS: [u64; 8] = [128, 139, 152, 165, 181, 197, 215, 234];

#[derive(Default)]
struct Hybla {
    is_on: bool,
    saved: u64,
    rho: u64,
    rho_eighths: u64,
    /// rho^2, in 128ths.
    rho_squared: u64,
    least_rtt: u64,
}

impl Hybla {
    fn compute(&mut self, socket: &mut Socket) {
        let reference = wide(socket.tunable(RTT0));
        self.rho_eighths = socket.divide(socket.srtt, reference).max(8);
        self.rho = self.rho_eighths >> 3;
        self.rho_squared = self.rho_eighths.wrapping_mul(self.rho_eighths) << 1;
    }

    fn growth_in_slow_start(&self) -> u64 {
        let fraction = self.rho_eighths.wrapping_sub(self.rho << 3);
        let power = POWERS.get(fraction as usize).copied().unwrap_or(ONE);
        wide(1_i32.wrapping_shl(self.rho as u32)).wrapping_mul(power).wrapping_sub(ONE)
    }
}

impl LinuxCongestionOps for Hybla {
    fn init(&mut self, socket: &mut Socket) {
        self.saved = 0;
        self.is_on = true;
        socket.snd_cwnd_clamp = GREATEST_WINDOW;
        self.compute(socket);
        self.least_rtt = socket.srtt;
        socket.snd_cwnd = self.rho;
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        socket.reno_ssthresh()
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, _good: bool) {
        if socket.srtt < self.least_rtt {
            self.compute(socket);
            self.least_rtt = socket.srtt;
        }
        if !socket.is_cwnd_limited(in_flight) {
            return;
        }
        if !self.is_on {
            socket.reno_cong_avoid(in_flight);
            return;
        }
        if self.rho == 0 {
            self.compute(socket);
        }
        let in_slow_start = socket.snd_cwnd < socket.snd_ssthresh;
        let growth = if in_slow_start {
            self.growth_in_slow_start()
        } else {
            let growth = socket.divide(self.rho_squared, socket.snd_cwnd);
            if growth < ONE {
                socket.save_up(1);
            }
            growth
        };
        socket.snd_cwnd = socket.snd_cwnd.wrapping_add(growth / ONE);
        self.saved += growth % ONE;
        while self.saved >= ONE {
            socket.snd_cwnd = socket.snd_cwnd.wrapping_add(1);
            self.saved -= ONE;
            socket.snd_cwnd_cnt = 0;
        }
        if in_slow_start {
            socket.snd_cwnd = socket.snd_cwnd.min(socket.snd_ssthresh);
        }
        socket.snd_cwnd = socket.snd_cwnd.min(u64::from(socket.snd_cwnd_clamp));
    }

    fn set_state(&mut self, _socket: &mut Socket, state: CaState) {
        self.is_on = state == CaState::Open;
    }
}
