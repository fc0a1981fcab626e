//! Modern TCP: a sender with RACK-TLP, PRR and pacing, its congestion controls, and its receiver.

pub mod acc_ecn;
pub mod agent;
mod agent_settings;
pub mod cc;
pub mod receiver;
pub mod sender;
pub mod socket;
