//! Scalable TCP: growth by a fixed fraction of the window, so recovery from a loss takes a fixed number of round trips.
//!
//! Source: T. Kelly, "Scalable TCP: improving performance in highspeed wide area networks", Computer Communication
//! Review 33(2), 2003; Linux 2.6.22's Scalable, as in ns-2.35 (`scalable`).
//! What it decides: one packet per 51 ACKs, or per window of ACKs if that is less; congestion cuts the window by an
//! eighth.
//! Departures: the paper's hundred ACKs are halved for receivers that delay ACKs.
//! Not implemented: nothing.
//! Checked against: ns-2.35 (amd64).

use super::control::{KernelModule, LinuxCongestionOps, at_least_two};
use super::socket::Socket;

/// The registry entry.
pub const ENTRY: KernelModule = KernelModule {
    id: "scalable",
    about: "Scalable TCP: growth and cuts by fixed shares of the window (Kelly 2003)",
    wants_sending_times: false,
    tunables: &[],
    make: || Box::new(Scalable),
};

const ACKS_PER_PACKET: u64 = 50;
const DECREASE_LOG2: u32 = 3;

struct Scalable;

impl LinuxCongestionOps for Scalable {
    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        at_least_two(socket.snd_cwnd - (socket.snd_cwnd >> DECREASE_LOG2))
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, _good: bool) {
        if !socket.is_cwnd_limited(in_flight) {
            return;
        }
        if socket.in_slow_start() {
            socket.slow_start();
            return;
        }
        socket.save_up(1);
        if u64::from(socket.snd_cwnd_cnt) > socket.snd_cwnd.min(ACKS_PER_PACKET) {
            socket.grow_by_one();
            socket.snd_cwnd_cnt = 0;
        }
    }
}
