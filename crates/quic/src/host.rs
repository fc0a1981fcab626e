//! The clock of the process and its random numbers, for stacks that take both from there.
//!
//! `build.rs` lets the linker put the functions below in the place of the C library's and BoringSSL's. Within
//! [`within`] they give the simulation's time and a generator's numbers, otherwise what they stand for.

// What takes the place of C functions is called with pointers.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::time::Duration;

use crate::seeded::{NOW_S, Random};

/// The monotonic clock's time at the simulation's time 0: subtractions from it must not end below 0.
const START: Duration = Duration::from_secs(1_000_000);

thread_local! {
    static HOST: Cell<Option<(Duration, &'static Random)>> = const { Cell::new(None) };
}

/// Calls a stack: while it runs, the thread's clocks stand at `now` of the simulation, and random numbers are those of the
/// generator.
pub fn within<R>(now: Duration, random: &'static Random, call: impl FnOnce() -> R) -> R {
    let before = HOST.replace(Some((now, random)));
    let result = call();
    HOST.set(before);
    result
}

fn host() -> Option<(Duration, &'static Random)> {
    HOST.try_with(Cell::get).ok().flatten()
}

unsafe extern "C" {
    fn __real_clock_gettime(clock: libc::clockid_t, out: *mut libc::timespec) -> c_int;
    fn __real_gettimeofday(out: *mut libc::timeval, zone: *mut c_void) -> c_int;
    fn __real_RAND_bytes(out: *mut u8, count: usize) -> c_int;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_clock_gettime(clock: libc::clockid_t, out: *mut libc::timespec) -> c_int {
    let start = match clock {
        libc::CLOCK_MONOTONIC => START,
        libc::CLOCK_REALTIME => Duration::from_secs(NOW_S),
        // SAFETY: the caller's arguments, to the function that it has called.
        _ => return unsafe { __real_clock_gettime(clock, out) },
    };
    let Some((now, _)) = host() else {
        // SAFETY: as above.
        return unsafe { __real_clock_gettime(clock, out) };
    };
    let at = start + now;
    // SAFETY: the caller gives a place for the time.
    unsafe { *out = libc::timespec { tv_sec: at.as_secs() as libc::time_t, tv_nsec: at.subsec_nanos().into() } };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_gettimeofday(out: *mut libc::timeval, zone: *mut c_void) -> c_int {
    let Some((now, _)) = host() else {
        // SAFETY: the caller's arguments, to the function that it has called.
        return unsafe { __real_gettimeofday(out, zone) };
    };
    let at = Duration::from_secs(NOW_S) + now;
    // SAFETY: the caller gives a place for the time.
    unsafe { *out = libc::timeval { tv_sec: at.as_secs() as libc::time_t, tv_usec: at.subsec_micros().into() } };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_RAND_bytes(out: *mut u8, count: usize) -> c_int {
    let Some((_, random)) = host() else {
        // SAFETY: the caller's arguments, to the function that it has called.
        return unsafe { __real_RAND_bytes(out, count) };
    };
    // SAFETY: the caller gives room for so many bytes.
    random.bytes(unsafe { std::slice::from_raw_parts_mut(out, count) });
    1
}
