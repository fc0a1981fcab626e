//! What only the ns-2 front end uses.

pub mod clock;
pub mod lazy_objects;
#[cfg(unix)]
pub mod signal_watcher;
pub mod tcl_hash_order;
