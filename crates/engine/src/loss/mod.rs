//! Error models: loss, delay, duplication and ECN marking of packets on a link.
//!
//! Each model has one file and one line in [`MODELS`]. Model ids are unique in the simulation. A model can be attached
//! to a link, serve some flows in an error module, or be a state of another model. A model draws from its random
//! variable if it has one, else from the default stream.
//!
//! Source: ns-2.35's `ErrorModel`, `ErrorModule` and their subclasses. Random delay, with or without reordering, and
//! duplication follow tc-netem(8); ns-2 does not have them.
//! Not implemented: the bit unit with forward error correction, errors read from a file, the complex two-state model.

mod list;
mod model;
mod models;
mod multi_state;
mod periodic;
mod select;
mod two_state;
mod uniform;

pub use model::{Common, Deputy, Entry, Fate, Model, ModelContext, ModelId, Unit};
pub use models::Models;

/// Every error model.
pub const MODELS: &[Entry] =
    &[uniform::ENTRY, list::ENTRY, periodic::ENTRY, two_state::ENTRY, multi_state::ENTRY, select::ENTRY];

/// Creates the model with this id.
pub fn make(id: &str) -> Option<Box<dyn Model>> {
    MODELS.iter().find(|entry| entry.id == id).map(|entry| (entry.make)())
}
