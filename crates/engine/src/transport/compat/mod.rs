//! Senders and receivers that reproduce old simulators and kernels, one folder per family.

pub(crate) mod high_speed_table;
pub mod linux26;
pub mod ns2;
pub mod ns3_25;
