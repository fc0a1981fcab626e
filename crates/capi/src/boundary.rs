//! What every function does with C's pointers, and with panics.

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::status::{AckclockStatus, Failure, keep};

/// A handle that is refused after a panic in one of its calls.
pub(crate) trait Breaks {
    /// Where the handle keeps that a panic has happened.
    fn broken(&mut self) -> &mut Option<String>;
}

/// Runs a call; a panic becomes an error with its message.
fn run<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // The state behind a panic is not used again: `change` refuses it.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(Failure::new(AckclockStatus::Panic, format!("a defect of ackclock: {}", message(&*panic))))
    })
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".into())
}

/// The status of a call without a handle that it changes.
pub(crate) fn guard(work: impl FnOnce() -> Result<(), Failure>) -> AckclockStatus {
    told(run(work))
}

/// The new object of a call, or NULL.
pub(crate) fn make<T>(work: impl FnOnce() -> Result<T, Failure>) -> *mut T {
    match run(work) {
        Ok(made) => Box::into_raw(Box::new(made)),
        Err(failure) => {
            keep(&failure.text);
            std::ptr::null_mut()
        }
    }
}

/// The status of a call that changes what a handle stands for.
///
/// # Safety
/// The handle is NULL, or of this library and used by this call only.
pub(crate) unsafe fn change<T: Breaks>(
    handle: *mut T,
    what: &str,
    work: impl FnOnce(&mut T) -> Result<(), Failure>,
) -> AckclockStatus {
    // SAFETY: by the caller.
    let Some(changed) = (unsafe { handle.as_mut() }) else { return told(Err(null(what))) };
    if let Some(text) = changed.broken() {
        return told(Err(Failure::new(AckclockStatus::Panic, text.clone())));
    }
    let done = run(|| work(changed));
    if let Err(Failure { status: AckclockStatus::Panic, text }) = &done {
        *changed.broken() = Some(text.clone());
    }
    told(done)
}

/// Frees an object. What panics meanwhile is left to leak.
///
/// # Safety
/// The handle is NULL, or of this library and never used again.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: by the caller: `make` has made it from a box.
        let owned = unsafe { Box::from_raw(handle) };
        let _ = run(move || {
            drop(owned);
            Ok(())
        });
    }
}

fn told(done: Result<(), Failure>) -> AckclockStatus {
    match done {
        Ok(()) => AckclockStatus::Ok,
        Err(failure) => {
            keep(&failure.text);
            failure.status
        }
    }
}

fn null(what: &str) -> Failure {
    Failure::new(AckclockStatus::Null, format!("{what} is NULL"))
}

/// The object of a handle.
///
/// # Safety
/// As for [`change`]; the object is not changed meanwhile.
pub(crate) unsafe fn read<'a, T>(handle: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: by the caller.
    unsafe { handle.as_ref() }.ok_or_else(|| null(what))
}

/// A text of C.
///
/// # Safety
/// The pointer is NULL, or points to a text that ends with a zero.
pub(crate) unsafe fn text<'a>(place: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if place.is_null() {
        return Err(null(what));
    }
    // SAFETY: by the caller.
    let text = unsafe { CStr::from_ptr(place) };
    text.to_str().map_err(|_| Failure::argument(format!("{what} is not UTF-8: {:?}", text.to_string_lossy())))
}

/// An array of C. NULL is an empty one.
///
/// # Safety
/// The pointer is NULL, or `count` values stand there.
pub(crate) unsafe fn array<'a, T>(place: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    match (place.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(what)),
        // SAFETY: by the caller.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(place, count) }),
    }
}

/// Refuses NULL as a place for a result.
pub(crate) fn place<T>(place: *mut T, what: &str) -> Result<(), Failure> {
    if place.is_null() { Err(null(what)) } else { Ok(()) }
}

/// A parameter's value. NaN is none.
pub(crate) fn value(name: &str, value: f64) -> Result<f64, Failure> {
    if value.is_nan() {
        return Err(Failure::argument(format!("the value of {name} is NaN; expected a number")));
    }
    Ok(value)
}

/// The part with this number.
pub(crate) fn part<T: Copy>(parts: &[T], number: u32, what: &str) -> Result<T, Failure> {
    parts.get(number as usize).copied().ok_or_else(|| {
        Failure::argument(format!("unknown {what} {number}; the network has {} of them, counted from 0", parts.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::ackclock_last_error;

    #[derive(Default)]
    struct Counter {
        count: u32,
        broken: Option<String>,
    }

    impl Breaks for Counter {
        fn broken(&mut self) -> &mut Option<String> {
            &mut self.broken
        }
    }

    fn last_error() -> String {
        // SAFETY: the text of this thread's last error.
        unsafe { CStr::from_ptr(ackclock_last_error()) }.to_str().unwrap().into()
    }

    #[test]
    fn a_panic_becomes_a_status_and_breaks_the_handle() {
        let counter = make(|| Ok(Counter::default()));
        let count = |counter: &mut Counter| {
            counter.count += 1;
            if counter.count == 2 { panic!("at {}", counter.count) } else { Ok(()) }
        };
        let statuses = [(); 3].map(|()| {
            // SAFETY: the handle lives until the end of the test.
            let status = unsafe { change(counter, "the counter", count) };
            (status, last_error())
        });
        let defect = || (AckclockStatus::Panic, "a defect of ackclock: at 2".to_owned());
        assert_eq!(statuses, [(AckclockStatus::Ok, String::new()), defect(), defect()]);
        // SAFETY: as above.
        unsafe {
            assert_eq!((*counter).count, 2, "the third call has not run");
            free(counter);
        }
    }

    #[test]
    fn a_panic_while_something_is_made_or_freed_stays_inside() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("in drop");
            }
        }
        assert!(make::<Counter>(|| panic!("no counter")).is_null());
        assert_eq!(last_error(), "a defect of ackclock: no counter");
        let bomb = make(|| Ok(Bomb));
        // SAFETY: used here only.
        unsafe { free(bomb) };
        assert_eq!(guard(|| std::panic::panic_any(7)), AckclockStatus::Panic);
        assert_eq!(last_error(), "a defect of ackclock: a panic without a message");
    }

    #[test]
    fn texts_are_checked() {
        let wrong = std::ffi::CString::new([0xff]).unwrap();
        // SAFETY: texts that end with a zero.
        unsafe {
            assert_eq!(text(c"codel".as_ptr(), "the queue").unwrap(), "codel");
            assert_eq!(text(std::ptr::null(), "the queue").unwrap_err().text, "the queue is NULL");
            let failure = text(wrong.as_ptr(), "the queue").unwrap_err();
            assert_eq!(
                (failure.status, &*failure.text),
                (AckclockStatus::InvalidArgument, "the queue is not UTF-8: \"\u{fffd}\"")
            );
        }
    }
}
