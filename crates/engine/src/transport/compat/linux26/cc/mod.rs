//! The congestion controls of Linux 2.6, as ns-2.35's `Agent/TCP/Linux` runs them. One file per control, one line in
//! [`CONTROLS`].
//!
//! They differ from the window rules of [`window_law`](crate::transport::compat::ns2::window_law). A Linux control
//! counts whole packets in integers, provides threshold and window separately, receives states, events and RTT samples,
//! and writes the window itself. Both families have some names (`vegas`, HighSpeed) for algorithms with different
//! results.
//!
//! # 64-bit integers
//!
//! The kernel's `u32` is 32 bits wide. ns-2.35 declares it as C's `unsigned long` and its `u16` as `unsigned int`. In a
//! 64-bit build, which is the reference for these files, they are 64 and 32 bits wide. A negative difference is a
//! number near 2^64, and products that wrap in the kernel do not. All such arithmetic wraps here in the same way. Where
//! ns-2 would crash with a division by zero, the socket records it and the simulation stops with an error.
//!
//! # Tunables
//!
//! Each control has the tunables of its kernel module ([`Tunables`]). Three bytes belong to all controls and are
//! adjacent: the debug level, the maximum burst after recovery, and byte counting. As in ns-2, each is set as a number
//! of four bytes, so setting the first also clears the next two. ns-2's own test suite does that, and its controls run
//! without byte counting.

mod bic;
mod compound;
mod cubic;
mod delay;
mod delayed_acks;
mod highspeed;
mod htcp;
mod hybla;
mod illinois;
mod kernel;
mod lp;
mod naive_reno;
mod reno;
mod scalable;
mod socket;
mod vegas;
mod veno;
mod westwood;
mod yeah;

pub use cubic::cube_root;
use delay::Rounds;
use delayed_acks::PacketsPerAck;
pub use kernel::{Kernel, Override, Tunable, TunableId, Tunables};
pub use socket::Socket;

/// Jiffies per second.
pub const HZ: u64 = 1000;
/// Initial value of a minimum round-trip time, microseconds.
const NO_RTT: u64 = 0x7fff_ffff;

/// The congestion avoidance state of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaState {
    /// Normal operation.
    #[default]
    Open,
    /// Recovery from a loss or an ECN echo.
    Recovery,
    /// Recovery from a timeout.
    Loss,
}

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

/// TCP-LP's report on each ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Flags, window, rate of the peer's clock, minimum, maximum and smoothed one-way delay.
    pub fields: [u64; 6],
}

/// A Linux congestion control. A new one is all zeros, like the kernel's private memory.
pub trait Control: Send + Sync {
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

    /// Called for an ACK up to byte `ack` when the window may grow. `in_flight`: packets in flight before it. `good`:
    /// an ordinary ACK of new data.
    fn cong_avoid(&mut self, socket: &mut Socket, ack: u64, in_flight: u64, good: bool);

    /// Whether the control needs [`Control::rtt_sample`].
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

/// A registry entry of a congestion control.
pub struct Entry {
    /// The id: `cubic`.
    pub id: &'static str,
    /// One-line description for lists and help.
    pub about: &'static str,
    /// Whether the control needs the transmission time of each packet.
    pub wants_sending_times: bool,
    /// Tunables.
    pub tunables: &'static [Tunable],
    /// Constructor.
    pub make: fn() -> Box<dyn Control>,
}

/// All congestion controls, in ns-2's order.
pub const CONTROLS: &[Entry] = &[
    reno::ENTRY,
    naive_reno::ENTRY,
    highspeed::ENTRY,
    bic::ENTRY,
    htcp::ENTRY,
    scalable::ENTRY,
    cubic::ENTRY,
    westwood::ENTRY,
    vegas::ENTRY,
    hybla::ENTRY,
    illinois::ENTRY,
    yeah::ENTRY,
    veno::ENTRY,
    compound::ENTRY,
    lp::ENTRY,
];

/// The index of the control with this id.
pub fn named(id: &str) -> Option<usize> {
    CONTROLS.iter().position(|entry| entry.id == id)
}

/// The maximum of a window and two packets.
fn at_least_two(packets: u64) -> u64 {
    packets.max(2)
}

/// Converts a tunable to the kernel's unsigned type.
fn wide(tunable: i32) -> u64 {
    i64::from(tunable) as u64
}
