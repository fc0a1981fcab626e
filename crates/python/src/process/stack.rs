//! How large this process's stack may grow.

use pyo3::prelude::*;

// Not by Python's `resource`: that is a library of its own, and takes longer to load than most scripts to be read.
/// Let the stack grow to so many bytes, or as far as the system allows; where more is allowed already, that stays.
#[cfg(unix)]
#[pyfunction]
pub fn grow_stack(bytes: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current: Some(soft), maximum } = getrlimit(Resource::Stack) else { return };
    let room = maximum.map_or(bytes, |most| most.min(bytes));
    if soft < room {
        // Refused, it stays as it was: a script with fewer brackets within brackets runs all the same.
        let _ = setrlimit(Resource::Stack, Rlimit { current: Some(room), maximum });
    }
}

/// The stack of a Windows program has the size that its file says.
#[cfg(not(unix))]
#[pyfunction]
pub fn grow_stack(_bytes: u64) {}
