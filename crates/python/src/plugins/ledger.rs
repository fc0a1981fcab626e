//! What the users' objects of a run leave behind.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_trace::columns::Rows;
use pyo3::prelude::*;

/// What the objects of a run leave behind.
#[derive(Default)]
pub struct Ledger {
    /// What one of them has raised.
    pub raised: Option<PyErr>,
    /// Changes of traced variables, from the first object on that has any.
    pub changes: Option<Rows>,
}

/// A ledger that several objects write.
pub type Shared = Arc<Mutex<Ledger>>;

pub fn open(ledger: &Shared) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}
