//! Hints to the processor about memory that will be looked at soon.
//!
//! Of many flows no cache holds all, and a packet's hop waits for memory much longer than it computes. What comes next is
//! known, so it can be asked for while others are at work.

/// Bytes that a processor fetches at once.
const LINE: usize = 64;

/// This value's first bytes will be looked at.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    prefetch_line(std::ptr::from_ref(value), 0);
}

/// So many lines of the value at this place will be looked at, if there is one.
#[inline(always)]
pub(crate) fn prefetch_at<T>(values: &[T], place: usize, lines: usize) {
    let value = values.as_ptr().wrapping_add(place);
    for line in 0..lines.min(size_of::<T>().div_ceil(LINE)) {
        prefetch_line(value, line);
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline(always)]
fn prefetch_line<T>(value: *const T, line: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let place = value.cast::<i8>().wrapping_add(line * LINE);
    // SAFETY: a hint. Nothing is read or written, whatever the address; all processors of this kind have it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(place) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch_line<T>(_: *const T, _: usize) {}
