//! What a call returns, and the text of the last error.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

use ackclock::{BuildError, Error};

/// What a call returns. After all errors but the last three the handle can be used as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum AckclockStatus {
    /// Done.
    Ok = 0,
    /// A pointer is NULL.
    Null = 1,
    /// A number or a text is not one that the function takes.
    InvalidArgument = 2,
    /// The network cannot be simulated: an unknown name or a value out of range.
    Build = 3,
    /// The time has passed.
    Past = 4,
    /// The datagram does not fit through a link of its path.
    TooLarge = 5,
    /// No path leads from one node to the other.
    NoRoute = 6,
    /// The endpoint is of another network.
    UnknownEndpoint = 7,
    /// A file cannot be written.
    File = 8,
    /// The simulation has reached its end. Its reports can still be read.
    Over = 9,
    /// The simulation cannot continue: every later call that moves it gives the same error.
    Failed = 10,
    /// A defect of ackclock. The handle can only be freed.
    Panic = 11,
}

/// Why a call was refused.
#[derive(Debug)]
pub struct Failure {
    /// What C gets.
    pub status: AckclockStatus,
    /// What `ackclock_last_error` says.
    pub text: String,
}

impl Failure {
    pub(crate) fn new(status: AckclockStatus, text: impl Into<String>) -> Failure {
        Failure { status, text: text.into() }
    }

    pub(crate) fn argument(text: impl Into<String>) -> Failure {
        Failure::new(AckclockStatus::InvalidArgument, text)
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        Failure::new(AckclockStatus::Build, error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match error {
            Error::Past { .. } => AckclockStatus::Past,
            Error::TooLarge { .. } => AckclockStatus::TooLarge,
            Error::NoRoute(..) => AckclockStatus::NoRoute,
            Error::UnknownEndpoint => AckclockStatus::UnknownEndpoint,
            Error::Over { .. } => AckclockStatus::Over,
            Error::Failed(_) => AckclockStatus::Failed,
        };
        Failure::new(status, error.to_string())
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Keeps the text for `ackclock_last_error`. C cannot read a zero inside a text.
pub(crate) fn keep(text: &str) {
    let text = CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default();
    // A thread that ends has no place for it any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = text);
}

/// What was wrong with the last call of this thread that failed; an empty text if none has failed. The text is valid until
/// another call of this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn ackclock_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
