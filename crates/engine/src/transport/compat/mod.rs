//! Senders and receivers that reproduce those of old simulators and kernels, a family to a folder.

pub(crate) mod high_speed_table;
pub mod linux26;
pub mod ns2;
pub mod ns3_25;
