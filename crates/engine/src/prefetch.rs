//! Memory prefetch hints.
//!
//! With many flows the caches cannot hold all packets and links. Then a hop waits for memory much longer than it
//! computes. The next event of a lane is known early, so its packet and link can be prefetched.

/// Size of a cache line, bytes.
const LINE: usize = 64;

/// Prefetches the first cache line of a value.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    prefetch_line(std::ptr::from_ref(value), 0);
}

/// Prefetches up to `lines` cache lines of the value at an index, if it exists.
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
    // SAFETY: a prefetch hint. It reads and writes nothing, for any address. All x86-64 processors have SSE.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(place) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch_line<T>(_: *const T, _: usize) {}
