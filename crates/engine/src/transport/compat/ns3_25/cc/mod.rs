//! The congestion controls of ns-3.25, behind the interface of its TCP socket. One file per control, one line in
//! [`CONTROLS`].
//!
//! They differ from the window rules of [`window_law`](crate::transport::compat::ns2::window_law) and from Linux's
//! controls. An ns-3 control counts bytes in integers and receives the number of segments that an ACK acknowledges. It
//! computes its threshold from the data in flight, not from the window. The socket's own parts (recovery, timers) are
//! in [`super::sender`].

mod control;
mod high_speed;
mod hybla;
mod new_reno;
mod westwood;

pub use control::{Entry, Ns3CongestionOps, Socket};

/// All congestion controls. The first one is the default.
pub const CONTROLS: &[Entry] = &[new_reno::ENTRY, high_speed::ENTRY, westwood::ENTRY, westwood::PLUS, hybla::ENTRY];

/// The control with this id.
pub fn named(id: &str) -> Option<&'static Entry> {
    CONTROLS.iter().find(|entry| entry.id == id)
}
