//! The congestion controls of Linux 2.6, as ns-2.35's `Agent/TCP/Linux` runs them. One file per law, one line in
//! [`CONTROLS`].
//!
//! They stand apart from the laws of [`window_law`](crate::transport::compat::ns2::window_law): a Linux law counts whole
//! packets in integers, is asked for a threshold and a window separately, hears of states, events and round trips, and
//! writes the window itself. Some names are in both families (`vegas`, HighSpeed) for laws that differ in the bytes they
//! make a network carry.
//!
//! # Whole numbers of 64 bits
//!
//! The kernel's `u32` is 32 bits wide. ns-2.35 declares it as C's `unsigned long` and its `u16` as `unsigned int`, so that
//! in a 64-bit build, which is what these files are compared with, they are 64 and 32 bits wide: a difference below zero
//! is a number near 2^64, and products that wrap in the kernel do not. All such arithmetic wraps here in the same way.
//! Where ns-2 would die of a division by zero, the socket notes it and the simulation stops with an error.
//!
//! # Tunables
//!
//! Each law has tunables as the module has parameters ([`Tunables`]). Three bytes belong to all laws and lie side by
//! side: the debugging level, the largest burst after recovery, and byte counting. They are set as if each were a number
//! of four bytes, as in ns-2, so setting the first also clears the two behind it. ns-2's own test suite does that, and the
//! laws there run without byte counting.

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

use delay::Rounds;
use delayed_acks::PacketsPerAck;
pub use kernel::{Kernel, Override, Tunable, TunableId, Tunables};
pub use socket::Socket;

/// Jiffies in a second.
pub const HZ: u64 = 1000;
/// A round-trip time before there is a sample, microseconds.
const NO_RTT: u64 = 0x7fff_ffff;

/// What a sender is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaState {
    /// Nothing special.
    #[default]
    Open,
    /// Recovering from a loss or a mark.
    Recovery,
    /// Recovering from a timeout.
    Loss,
}

/// What a law hears of besides ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaEvent {
    /// A timeout.
    Timeout,
    /// An ACK of new data with nothing unusual about it.
    FastAck,
    /// Any other ACK.
    SlowAck,
}

/// What the low-priority law has to say about each ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its flags, the window, the peer's clock rate, the least, greatest and smoothed one-way delay.
    pub fields: [u64; 6],
}

/// A Linux congestion control. A new one is all zeros, as the kernel's private memory is.
pub trait Control: Send + Sync {
    /// The first ACK has come, or the law takes over in mid-connection.
    fn init(&mut self, socket: &mut Socket) {
        let _ = socket;
    }

    /// The slow-start threshold after congestion.
    fn ssthresh(&mut self, socket: &mut Socket) -> u64;

    /// The window after congestion.
    fn min_cwnd(&self, socket: &mut Socket) -> u64 {
        socket.snd_ssthresh / 2
    }

    /// New data up to byte `ack` was acknowledged while the window may grow; before that, `in_flight` packets were in
    /// flight. `good`: nothing else is unusual.
    fn cong_avoid(&mut self, socket: &mut Socket, ack: u64, in_flight: u64, good: bool);

    /// Whether [`Control::rtt_sample`] is wanted.
    fn samples_rtt(&self) -> bool {
        false
    }

    /// A round trip took `rtt_us` microseconds.
    fn rtt_sample(&mut self, socket: &mut Socket, rtt_us: u64) {
        let _ = (socket, rtt_us);
    }

    /// `packets` more were acknowledged; the last one was sent at `sent_ns`, 0 if that is not known.
    fn pkts_acked(&mut self, socket: &mut Socket, packets: u64, sent_ns: i64) {
        let _ = (socket, packets, sent_ns);
    }

    /// The sender is about to be in another state.
    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        let _ = (socket, state);
    }

    /// Something happened.
    fn event(&mut self, socket: &mut Socket, what: CaEvent) {
        let _ = (socket, what);
    }
}

/// One law of the table.
pub struct Entry {
    /// Its id everywhere: `cubic`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// It needs to know when each packet was sent.
    pub wants_sending_times: bool,
    /// Its tunables.
    pub tunables: &'static [Tunable],
    /// Makes one.
    pub make: fn() -> Box<dyn Control>,
}

/// Every law, in the order in which ns-2 lists them.
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

/// The table's place of the law with this id.
pub fn named(id: &str) -> Option<usize> {
    CONTROLS.iter().position(|entry| entry.id == id)
}

/// The greater of a window and two packets.
fn at_least_two(packets: u64) -> u64 {
    packets.max(2)
}

/// A tunable's value where it meets unsigned numbers.
fn wide(tunable: i32) -> u64 {
    i64::from(tunable) as u64
}
