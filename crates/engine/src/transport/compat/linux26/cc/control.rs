//! The interface of Linux 2.6's congestion controls (`struct tcp_congestion_ops`).

use super::socket::{CaState, Socket};
use super::tunable::Tunable;

/// Jiffies per second.
pub const HZ: u64 = 1000;
/// Initial value of a minimum round-trip time, microseconds.
pub(super) const NO_RTT: u64 = 0x7fff_ffff;

/// An event for the congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaEvent {
    /// A timeout.
    Timeout,
    /// An ordinary ACK of new data in the Open state.
    FastAck,
    /// Any other ACK.
    SlowAck,
}

/// A Linux congestion control. A new one is all zeros, like the kernel's private memory.
pub trait LinuxCongestionOps: Send + Sync {
    /// Called at the first ACK, or when the control is selected in mid-connection.
    fn init(&mut self, socket: &mut Socket) {
        let _ = socket;
    }

    /// The slow-start threshold after congestion.
    fn ssthresh(&mut self, socket: &mut Socket) -> u64;

    /// The window after congestion.
    fn min_cwnd(&self, socket: &mut Socket) -> u64 {
        socket.snd_ssthresh / 2
    }

    /// The slow-start threshold after congestion on today's sender, where a later kernel mended that of 2.6.22.
    fn mended_ssthresh(&mut self, socket: &mut Socket) -> u64 {
        self.ssthresh(socket)
    }

    /// The window and the threshold at the end of a reduction (`CA_EVENT_COMPLETE_CWR`), if the control sets them. ns-2
    /// has no such event; today's sender has.
    fn reduced_cwnd(&mut self, socket: &mut Socket) -> Option<u64> {
        let _ = socket;
        None
    }

    /// The threshold after a timeout (`CA_EVENT_LOSS`), if the control sets it. On today's sender only.
    fn timeout_ssthresh(&mut self, socket: &mut Socket) -> Option<u64> {
        let _ = socket;
        None
    }

    /// Called for an ACK up to byte `ack` when the window may grow. `in_flight`: packets in flight before it. `good`:
    /// an ordinary ACK of new data.
    fn cong_avoid(&mut self, socket: &mut Socket, ack: u64, in_flight: u64, good: bool);

    /// Whether the control needs [`LinuxCongestionOps::rtt_sample`].
    fn samples_rtt(&self) -> bool {
        false
    }

    /// Provides an RTT sample, microseconds.
    fn rtt_sample(&mut self, socket: &mut Socket, rtt_us: u64) {
        let _ = (socket, rtt_us);
    }

    /// Provides the number of packets just acknowledged, and the transmission time of the last one (0 if unknown).
    fn pkts_acked(&mut self, socket: &mut Socket, packets: u64, sent_ns: i64) {
        let _ = (socket, packets, sent_ns);
    }

    /// Called before the sender changes its state.
    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        let _ = (socket, state);
    }

    /// Called for an event.
    fn event(&mut self, socket: &mut Socket, what: CaEvent) {
        let _ = (socket, what);
    }
}

/// A line of the table of congestion controls: the kernel module of a control.
pub struct KernelModule {
    /// The id: `cubic`.
    pub id: &'static str,
    /// One-line description for lists and help.
    pub about: &'static str,
    /// Whether the control needs the transmission time of each packet.
    pub wants_sending_times: bool,
    /// Tunables.
    pub tunables: &'static [Tunable],
    /// Constructor.
    pub make: fn() -> Box<dyn LinuxCongestionOps>,
}

/// The maximum of a window and two packets.
pub(super) fn at_least_two(packets: u64) -> u64 {
    packets.max(2)
}

/// Converts a tunable to the kernel's unsigned type.
pub(super) fn wide(tunable: i32) -> u64 {
    i64::from(tunable) as u64
}

/// Scale of the parameter `beta` of BIC and CUBIC.
pub(super) const BETA_SCALE: i32 = 1024;

/// The window that BIC and CUBIC take as the last maximum when a loss is found at `cwnd`. With fast convergence it is
/// smaller if the window has not reached the maximum again: another flow may have begun.
pub(super) fn last_max_after_loss(cwnd: u64, last_max: u64, fast_convergence: bool, beta: i32) -> u64 {
    if cwnd < last_max && fast_convergence {
        cwnd.wrapping_mul(wide(BETA_SCALE.wrapping_add(beta))) / wide(2 * BETA_SCALE)
    } else {
        cwnd
    }
}
