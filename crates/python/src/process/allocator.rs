//! The extension's allocator: the system's, but a process whose memory is capped ends without a message of its own.
//!
//! Rust reports a refused allocation on stderr, with a stack backtrace where `RUST_BACKTRACE` is set. A supervised command
//! gets its one line from its supervisor (`ackclock.execution.supervise`), which knows the limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::abort;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

static IS_CAPPED: AtomicBool = AtomicBool::new(false);

#[global_allocator]
static ALLOCATOR: Capped = Capped;

/// From now on a refused allocation ends this process by SIGABRT, without a message.
#[pyfunction]
pub fn abort_silently_without_memory() {
    IS_CAPPED.store(true, Ordering::Relaxed);
}

struct Capped;

impl Capped {
    #[cold]
    #[inline(never)]
    fn refused() {
        if IS_CAPPED.load(Ordering::Relaxed) {
            abort();
        }
    }

    #[inline]
    fn checked(block: *mut u8) -> *mut u8 {
        if block.is_null() {
            Self::refused();
        }
        block
    }
}

// SAFETY: every call is passed on to the system's allocator as it is, under the contract of the caller.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Capped {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::checked(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::checked(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::checked(unsafe { System.realloc(block, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}
