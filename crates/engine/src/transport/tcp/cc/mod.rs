//! The congestion controls of TCP. One file per control, one entry in [`CONTROLS`].
//!
//! One trait covers five kinds of control: based on loss, delay, delivery rate, the fraction of marks, or a model of
//! the path. Inputs: each ACK ([`Ack`]), each segment marked lost, each congestion event ([`CongestionEvent`]), and the
//! detection that an event was spurious. Outputs: a window, a threshold and optionally a pacing rate ([`Window`]). A
//! control also selects two behaviours. [`Response`] states who reduces the window after a congestion event: the sender
//! step by step (PRR), or the control. [`Feedback`] states which ECN feedback the control needs. The socket decides
//! what to retransmit ([`crate::transport::tcp::socket`]).
//!
//! Windows are in packets, rates in packets per second.

pub mod bbr;
pub mod bbr3;
mod control;
pub mod copa;
pub mod cubic;
pub mod dctcp;
pub mod hystart;
mod kernel;
pub mod ledbat;
pub mod ledbat_pp;
pub mod linux_bbr3;
pub mod linux_cubic;
mod linux_hystart;
mod linux_window;
pub mod model_log;
pub mod prague;
pub mod reno;
mod windowed_max;

use control::MIN_SSTHRESH;
pub use control::{Ack, CaState, CongestionEvent, Control, Entry, Feedback, Model, Path, Rate, Response, Window};

/// All congestion controls. The first one is the default.
pub const CONTROLS: &[Entry] = &[
    cubic::ENTRY,
    linux_cubic::ENTRY,
    reno::ENTRY,
    bbr::ENTRY,
    bbr3::ENTRY,
    linux_bbr3::ENTRY,
    dctcp::ENTRY,
    prague::ENTRY,
    ledbat::ENTRY,
    ledbat_pp::ENTRY,
    copa::ENTRY,
];

/// The entry with this id.
pub fn named(id: &str) -> Option<&'static Entry> {
    CONTROLS.iter().find(|entry| entry.id == id)
}
