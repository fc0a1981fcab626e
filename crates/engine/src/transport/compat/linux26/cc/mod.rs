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
mod control;
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
mod tunable;
mod vegas;
mod veno;
mod westwood;
mod yeah;

pub use control::{CaEvent, HZ, KernelModule, LinuxCongestionOps};
pub use cubic::cube_root;
pub use kernel::{Kernel, Override, TunableId, Tunables};
pub use socket::{CaState, Remark, Socket};
pub use tunable::Tunable;

/// All congestion controls, in ns-2's order.
pub const CONTROLS: &[KernelModule] = &[
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
