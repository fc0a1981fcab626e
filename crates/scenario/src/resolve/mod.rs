//! From a description to what the engine receives: numbered nodes, one-way links, flows, parameters.

mod ends;
pub mod flows;
pub mod layout;
pub mod leo_satellite;
pub mod network;
pub mod queues;
pub mod transfers;
