//! Reno: one packet per round trip, half the window after congestion.
//!
//! Source: RFC 5681 (then RFC 2581); Linux 2.6.22's Reno, as in ns-2.35 (`reno`).
//! What it decides: slow start, then one packet per window of bytes, or of ACKs without byte counting.
//! Departures: after congestion the window is half the new threshold, a quarter of its old value; the sender then
//! reduces it by one packet per ACK.
//! Not implemented: limited slow start (no tunable of ns-2 reaches it).
//! Checked against: ns-2.35 (amd64).

use super::control::{KernelModule, LinuxCongestionOps};
use super::socket::Socket;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "reno",
    about: "one packet more in a round trip, half the window after congestion (RFC 5681)",
    wants_sending_times: false,
    tunables: &[],
    make: || Box::new(Reno),
};

struct Reno;

impl LinuxCongestionOps for Reno {
    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        socket.reno_ssthresh()
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, _good: bool) {
        socket.reno_cong_avoid(in_flight);
    }
}
