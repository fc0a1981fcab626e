//! ns-3.25's TCP socket and its congestion controls.

pub mod cc;
pub mod sender;
