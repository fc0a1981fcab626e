//! Files as Python names them: names that are not UTF-8, errors that name the file, and reads that a signal ends.

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// Between two checks for a signal while a file is read.
const EVERY: Duration = Duration::from_millis(50);

/// A file's name for a message: bytes that are not UTF-8 as `\xff`, control and bidirectional characters as `\u{202e}`.
pub fn shown(path: &Path) -> String {
    let mut text = String::new();
    for part in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for letter in part.valid().chars() {
            if ackclock_trace::read::text::is_hidden(letter) {
                text.extend(letter.escape_unicode());
            } else {
                text.push(letter);
            }
        }
        for byte in part.invalid() {
            write!(text, "\\x{byte:02x}").expect("a string takes everything");
        }
    }
    text
}

/// The `OSError` of a file that cannot be read or written, with the system's error number where there is one.
pub fn os_error(path: impl AsRef<Path>, error: &(dyn Error + 'static)) -> PyErr {
    let path = path.as_ref();
    match system_error(error) {
        Some(number) => numbered_error(number, Some(path.as_os_str().to_owned())),
        None => PyOSError::new_err(format!("{}: {error}", shown(path))),
    }
}

/// The `OSError` of a file of which only the descriptor is known. Linux has its name in `/proc`.
pub fn os_error_of_fd(fd: i32, error: &io::Error) -> PyErr {
    let name = std::fs::read_link(format!("/proc/self/fd/{fd}")).ok().map(PathBuf::into_os_string);
    match (error.raw_os_error(), name) {
        (Some(number), name) => numbered_error(number, name),
        (None, Some(name)) => os_error(Path::new(&name), error),
        (None, None) => PyOSError::new_err(error.to_string()),
    }
}

/// The file of a descriptor of the C library, which the caller hands over and uses no more.
#[cfg(unix)]
#[allow(unsafe_code)]
pub fn take_descriptor(fd: i32) -> PyResult<File> {
    use std::os::fd::{FromRawFd, OwnedFd};
    if fd < 0 {
        return Err(PyValueError::new_err(format!("{fd} is not a file descriptor")));
    }
    // SAFETY: the caller hands over a descriptor of its own making (os.dup).
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// The file of a descriptor of the C library, which the caller hands over and uses no more.
///
/// The C library owns the handle behind the descriptor: it is duplicated, and the descriptor closed.
#[cfg(windows)]
#[allow(unsafe_code)]
pub fn take_descriptor(fd: i32) -> PyResult<File> {
    use std::os::windows::io::{BorrowedHandle, RawHandle};
    // SAFETY: both functions check the descriptor, and end the process only where a debugging C library is told to.
    let handle = unsafe { libc::get_osfhandle(fd) };
    if handle == -1 {
        return Err(PyValueError::new_err(format!("{fd} is not a file descriptor")));
    }
    // SAFETY: the descriptor is open until it is closed below.
    let handle = unsafe { BorrowedHandle::borrow_raw(handle as RawHandle) }.try_clone_to_owned()?;
    // SAFETY: the caller hands over a descriptor of its own making (os.dup).
    unsafe { libc::close(fd) };
    Ok(File::from(handle))
}

fn numbered_error(number: i32, name: Option<OsString>) -> PyErr {
    let told = io::Error::from_raw_os_error(number).to_string();
    let told = told.split(" (os error").next().unwrap_or_default().to_owned();
    match name {
        Some(name) => PyOSError::new_err((number, told, name)),
        None => PyOSError::new_err((number, told)),
    }
}

/// The system's error number. The writers of Parquet and Arrow wrap the error of the file in their own.
fn system_error(error: &(dyn Error + 'static)) -> Option<i32> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return error.raw_os_error().or_else(|| system_error(error.get_ref()?));
    }
    system_error(error.source()?)
}

/// A reader that gives Python's signal handlers a turn. An exception of theirs (`KeyboardInterrupt`) ends the reading:
/// it is the error's inner one.
pub struct Interruptible<R> {
    input: R,
    checked: Instant,
}

impl<R> Interruptible<R> {
    pub fn new(input: R) -> Interruptible<R> {
        Interruptible { input, checked: Instant::now() }
    }
}

impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.checked.elapsed() >= EVERY {
            self.checked = Instant::now();
            Python::attach(|py| py.check_signals()).map_err(io::Error::other)?;
        }
        self.input.read(buffer)
    }
}

/// The exception that ended the reading of an [`Interruptible`].
pub fn interruption(py: Python, error: &io::Error) -> Option<PyErr> {
    error.get_ref()?.downcast_ref::<PyErr>().map(|error| error.clone_ref(py))
}
