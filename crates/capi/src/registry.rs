//! What can be named: congestion controls and queue disciplines.

use std::ffi::{CStr, CString, c_char};
use std::sync::OnceLock;

use crate::boundary::guard;

type Names = OnceLock<Vec<CString>>;

static CONTROLS: Names = OnceLock::new();
static QUEUES: Names = OnceLock::new();

fn name(names: &'static Names, ids: fn() -> Vec<&'static str>, index: usize) -> *const c_char {
    let mut found = std::ptr::null();
    guard(|| {
        let known = names.get_or_init(|| ids().into_iter().filter_map(|id| CString::new(id).ok()).collect());
        found = known.get(index).map_or(std::ptr::null(), |id| id.as_ptr());
        Ok(())
    });
    found
}

/// The id of a congestion control, counted from 0; NULL behind the last one.
#[unsafe(no_mangle)]
pub extern "C" fn ackclock_control(index: usize) -> *const c_char {
    name(&CONTROLS, || ackclock::controls().map(|(id, _)| id).collect(), index)
}

/// The id of a queue discipline, counted from 0; NULL behind the last one.
#[unsafe(no_mangle)]
pub extern "C" fn ackclock_queue(index: usize) -> *const c_char {
    name(&QUEUES, || ackclock::queues().map(|(id, _)| id).collect(), index)
}

/// The version of ackclock, such as "0.2.0". The header of another version may not fit.
#[unsafe(no_mangle)]
pub extern "C" fn ackclock_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}
