//! HighSpeed TCP (RFC 3649): faster growth and smaller cuts at large windows, by table.
//!
//! Source: S. Floyd, RFC 3649, appendix B; Linux 2.6.22's HighSpeed, as in ns-2.35 (`highspeed`).
//! What it decides: a(w) is the table row of the window, b(w) the value in that row.
//! Departures: windows above the table use its last row.
//! Not implemented: nothing.
//! Checked against: ns-2.35 (amd64); the table against RFC 3649, appendix B.

use super::control::{KernelModule, LinuxCongestionOps, at_least_two};
use super::socket::Socket;
use crate::transport::compat::high_speed_table::RFC_3649_WINDOWS;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "highspeed",
    about: "HighSpeed TCP (RFC 3649): faster growth and smaller cuts of large windows",
    wants_sending_times: false,
    tunables: &[],
    make: || Box::<HighSpeed>::default(),
};

/// The decrease b(w) of each row of RFC 3649's table except the last, in 256ths.
#[rustfmt::skip]
const CUTS: [u64; 72] = [
    128, 112, 104, 98, 93, 89, 86, 83, 81, 78, 76, 74, 72, 71, 69, 68, 66, 65, 64, 62, 61, 60, 59, 58,
    57, 56, 55, 54, 53, 52, 52, 51, 50, 49, 48, 48, 47, 46, 45, 45, 44, 43, 43, 42, 41, 41, 40, 39,
    39, 38, 38, 37, 36, 36, 35, 35, 34, 33, 33, 32, 32, 31, 30, 30, 29, 28, 28, 27, 26, 26, 25, 24,
];

/// The current table row.
#[derive(Default)]
struct HighSpeed {
    line: usize,
}

impl LinuxCongestionOps for HighSpeed {
    fn init(&mut self, socket: &mut Socket) {
        self.line = 0;
        socket.clamp_for_products();
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        let given_up = socket.snd_cwnd.wrapping_mul(CUTS[self.line]) >> 8;
        at_least_two(socket.snd_cwnd.wrapping_sub(given_up))
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, _good: bool) {
        if !socket.is_cwnd_limited(in_flight) {
            return;
        }
        if socket.in_slow_start() {
            socket.slow_start();
            return;
        }
        while self.line < CUTS.len() - 1 && socket.snd_cwnd > RFC_3649_WINDOWS[self.line] {
            self.line += 1;
        }
        while self.line > 0 && socket.snd_cwnd <= RFC_3649_WINDOWS[self.line - 1] {
            self.line -= 1;
        }
        if socket.snd_cwnd < u64::from(socket.snd_cwnd_clamp) {
            socket.save_up(self.line as u64 + 1);
            if u64::from(socket.snd_cwnd_cnt) >= socket.snd_cwnd {
                socket.snd_cwnd_cnt = socket.snd_cwnd_cnt.wrapping_sub(socket.snd_cwnd as u32);
                socket.snd_cwnd += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3649, appendix B: w, a(w), b(w).
    #[test]
    fn the_table_is_the_rfcs() {
        for (window, a, b) in [(38, 1, 0.50), (221, 3, 0.41), (1058, 8, 0.33), (10_661, 30, 0.21), (84_035, 71, 0.10)] {
            let line = RFC_3649_WINDOWS.iter().position(|&most| window <= most).expect("a window of the table");
            assert_eq!(line + 1, a, "a({window})");
            assert!((CUTS[line] as f64 / 256.0 - b).abs() < 0.01, "b({window})");
        }
        assert!(RFC_3649_WINDOWS.is_sorted());
    }
}
