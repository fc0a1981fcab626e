//! The window rules of ns-2.35 (`windowOption_`): growth in congestion avoidance and decrease after congestion. One
//! file per rule, one line in [`LAWS`].
//!
//! Slow start is common to all rules and is part of the sender; [`slow_start`] has limited slow start for large
//! windows.
//!
//! Windows are in packets, as everywhere in one-way TCP.

pub mod average;
pub mod binomial;
pub mod constant_rate;
pub mod counting;
pub mod high_speed;
pub mod rtt_linear;
mod savings;
pub mod slow_start;
pub mod standard;

use crate::transport::one_way::window_law::{WindowLaw, WindowOption};

/// All window rules.
pub const LAWS: &[WindowOption] = &[
    counting::ENTRY,
    standard::ENTRY,
    constant_rate::ENTRY,
    average::SQUARED,
    average::PLAIN,
    rtt_linear::ENTRY,
    binomial::ENTRY,
    high_speed::ENTRY,
];

/// Creates the rule with number `option`.
pub fn numbered(option: i32) -> Option<Box<dyn WindowLaw>> {
    LAWS.iter().find(|entry| entry.option == option).map(|entry| (entry.make)())
}
