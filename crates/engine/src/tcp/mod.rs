//! One-way TCP: what senders and receivers share, and the tables of variants.

pub mod sink;
pub mod sink_sack;

use crate::agent::Entry;

pub use sink::SINKS;

/// Every TCP sender.
pub const VARIANTS: &[Entry] = &[];
