//! The congestion controls that a TCP socket can be given by name: [`cc::CONTROLS`] and those of Linux 2.6.

use crate::transport::tcp::cc::{self, CONTROLS, Control};
use crate::transport::tcp::linux26_adapter;

/// Ids and descriptions of all controls; the first one is the default.
pub fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = CONTROLS.iter().map(|entry| (entry.id, entry.about));
    own.chain(linux26_adapter::entries().map(|entry| (entry.id, entry.about)))
}

/// Ids of those that reduce their window in response to ECN marks; all of Linux 2.6 do.
pub fn answering_marks() -> impl Iterator<Item = &'static str> {
    let own = CONTROLS.iter().filter(|entry| (entry.make)().answers_marks()).map(|entry| entry.id);
    own.chain(linux26_adapter::entries().map(|entry| entry.id))
}

/// A new control with this id.
pub fn named(id: &str) -> Option<Box<dyn Control>> {
    cc::named(id).map(|entry| (entry.make)()).or_else(|| linux26_adapter::named(id))
}
