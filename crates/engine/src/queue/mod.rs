//! Queue disciplines: which packet is stored, which is sent next, and which is dropped.
//!
//! Each discipline has one file and one line in [`DISCIPLINES`] or [`OF_SCRIPTS`]. A discipline uses packets, the clock
//! and random numbers. It has no access to links or agents.

pub(crate) mod accounting;
pub mod blue;
pub mod cbq;
pub mod cobalt;
pub mod codel;
mod discipline;
pub mod drop_tail;
pub mod drr;
pub mod ds_red;
pub mod dualpi2;
mod fifo;
mod flow_queues;
pub mod fq;
pub mod gibbens_kelly;
pub mod int_serv;
mod link_queue;
pub mod linux_fq;
pub mod management;
pub mod pi;
pub mod pie;
pub mod policer;
pub mod priority;
pub mod red;
pub mod rem;
pub mod sfb;
pub mod sfq;
pub mod srr;
pub mod step;
pub mod token_bucket;
pub mod virtual_queue;
mod watched;
pub mod weighted_drr;
pub mod xcp;

pub use discipline::{Discipline, Entry, QueueContext, QueueLimit};
pub use fifo::{Fifo, TimedFifo};
pub use link_queue::Queue;
pub use watched::{TrueAverage, Watched};

use discipline::{lengths_of, limited_to_packets};
use watched::watches;

/// Every queue discipline.
pub const DISCIPLINES: &[Entry] = &[
    drop_tail::ENTRY,
    red::ENTRY,
    red::rio::ENTRY,
    pi::ENTRY,
    rem::ENTRY,
    virtual_queue::ENTRY,
    gibbens_kelly::ENTRY,
    fq::ENTRY,
    sfq::ENTRY,
    drr::ENTRY,
    codel::ENTRY,
    codel::fq_codel::ENTRY,
    pie::ENTRY,
    pie::fq_pie::ENTRY,
    cobalt::ENTRY,
    cobalt::cake::ENTRY,
    dualpi2::ENTRY,
    linux_fq::ENTRY,
    step::ENTRY,
    blue::ENTRY,
    sfb::ENTRY,
    priority::ENTRY,
    weighted_drr::ENTRY,
    token_bucket::ENTRY,
    policer::ENTRY,
    ds_red::CORE,
    ds_red::EDGE,
    xcp::ENTRY,
    management::ENTRY,
];

/// Disciplines that need configuration beyond parameters. An ns-2 script can give it, a scenario cannot.
pub const OF_SCRIPTS: &[Entry] = &[cbq::ENTRY, cbq::WEIGHTED, srr::ENTRY, int_serv::ENTRY, red::pd::ENTRY];

/// Creates the discipline with this id.
pub fn make(id: &str) -> Option<Queue> {
    if id == drop_tail::ENTRY.id {
        return Some(Queue::drop_tail());
    }
    DISCIPLINES.iter().chain(OF_SCRIPTS).find(|entry| entry.id == id).map(|entry| Queue::Other((entry.make)()))
}
