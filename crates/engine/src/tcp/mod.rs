//! One-way TCP: what senders and receivers share, and the tables of variants.

use crate::agent::Entry;

/// Every TCP sender.
pub const VARIANTS: &[Entry] = &[];

/// Every TCP receiver.
pub const SINKS: &[Entry] = &[];
