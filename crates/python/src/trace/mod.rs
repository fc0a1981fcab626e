//! Trace files and recordings for the player.

pub mod files;
pub mod recordings;
