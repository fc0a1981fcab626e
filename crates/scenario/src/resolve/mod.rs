//! From a description to what the engine receives: numbered nodes, one-way links, flows, parameters.

pub mod codes;
mod datagrams;
mod ends;
pub mod flows;
pub mod layout;
pub mod leo_satellite;
pub mod network;
pub mod nr;
mod processes;
pub mod queues;
pub mod terms;
pub mod transfers;
