//! How large this process's stack may grow.

use pyo3::prelude::*;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

// Not by Python's `resource`: that is a library of its own, and takes longer to load than most scripts to be read.
/// Let the stack grow to so many bytes, or as far as the system allows; where more is allowed already, that stays.
#[pyfunction]
pub fn grow_stack(bytes: u64) {
    let Rlimit { current: Some(soft), maximum } = getrlimit(Resource::Stack) else { return };
    let room = maximum.map_or(bytes, |most| most.min(bytes));
    if soft < room {
        // Refused, it stays as it was: a script with fewer brackets within brackets runs all the same.
        let _ = setrlimit(Resource::Stack, Rlimit { current: Some(room), maximum });
    }
}
