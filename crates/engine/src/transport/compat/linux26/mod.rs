//! Linux 2.6's sender and congestion controls, as ns-2.35's `Agent/TCP/Linux` runs them.

pub mod cc;
pub mod loss_scoreboard;
pub mod sender;
