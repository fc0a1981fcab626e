//! A thread that waits for signals where Python's own would first have to wait for Python.

use std::io::{PipeReader, PipeWriter, Read, Write, pipe, stderr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;

use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, fcntl_dupfd_cloexec, ioctl_fionbio};

/// Waits for signals in a thread of its own: `heard(number)` is called there for each, and `heard(None)` when `every_s` seconds
/// have passed without one, until it says False. `OSError` where the system refuses.
///
/// The thread takes nothing of Python's before there is something to hear: one of Python's would stop the main thread to begin.
///
/// `interrupted` is a line for standard error. If SIGINT comes and `close` is not called within `GRACE_S` seconds, the line is
/// written and the process ends with status 130: Tcl may be in a computation that nothing can stop.
#[pyclass(frozen, module = "ackclock._native")]
pub struct SignalWatcher {
    open: Mutex<Option<(PipeWriter, JoinHandle<()>)>>,
    is_closed: Arc<AtomicBool>,
}

/// Seconds between an order to stop and the end of the process.
const GRACE_S: f64 = 3.0;
/// Scripts rarely have so many files.
const HIGH_FD: i32 = 512;
const SIGINT: u8 = 2;
/// The shells' exit status after SIGINT.
const INTERRUPTED: i32 = 130;

#[pymethods]
impl SignalWatcher {
    #[new]
    fn new(every_s: f64, heard: Py<PyAny>, interrupted: String) -> PyResult<SignalWatcher> {
        let (reader, writer) = pipe()?;
        // The script's files are to have the numbers that they have in ns-2, for their names tell them.
        let (reader, writer) = (PipeReader::from(out_of_the_way(reader)), PipeWriter::from(out_of_the_way(writer)));
        ioctl_fionbio(&writer, true).map_err(std::io::Error::from)?;
        let every = Duration::try_from_secs_f64(every_s)
            .map_err(|_| pyo3::exceptions::PyValueError::new_err(format!("every_s = {every_s}: expected seconds")))?;
        let is_closed = Arc::new(AtomicBool::new(false));
        let thread = Builder::new().spawn({
            let is_closed = is_closed.clone();
            move || wait(reader, every, &heard, &interrupted, &is_closed)
        })?;
        Ok(SignalWatcher { open: Mutex::new(Some((writer, thread))), is_closed })
    }

    /// Writes `line` to standard error and ends the process with `status`, unless `close` is called within `GRACE_S` seconds.
    fn end_soon(&self, line: String, status: i32) {
        end_soon(line, status, self.is_closed.clone());
    }

    /// The file to which the numbers of signals are to be written (`signal.set_wakeup_fd`); -1 behind `close`.
    fn fileno(&self) -> i32 {
        self.open.lock().unwrap().as_ref().map_or(-1, |(writer, _)| writer.as_raw_fd())
    }

    /// Ends the thread, and waits until it has ended.
    fn close(&self, py: Python) {
        self.is_closed.store(true, Ordering::Relaxed);
        let open = self.open.lock().unwrap().take();
        if let Some((writer, thread)) = open {
            drop(writer);
            // What it heard may still be at work, which needs Python.
            let _ = py.detach(|| thread.join());
        }
    }
}

/// The same file with a high number; with its own where the system gives none.
fn out_of_the_way(file: impl Into<OwnedFd>) -> OwnedFd {
    let file = file.into();
    fcntl_dupfd_cloexec(&file, HIGH_FD).unwrap_or(file)
}

/// A thread that ends the process. It needs neither Python nor the thread that waits for signals.
fn end_soon(line: String, status: i32, is_closed: Arc<AtomicBool>) {
    // Without a thread there is no hard end; the soft one goes on.
    let _ = Builder::new().spawn(move || {
        sleep(Duration::from_secs_f64(GRACE_S));
        if !is_closed.load(Ordering::Relaxed) {
            let _ = writeln!(stderr(), "{line}");
            // SAFETY: it only ends the process. `std::process::exit` would first run what libraries registered for the end,
            // while the main thread still uses them.
            #[allow(unsafe_code)]
            unsafe {
                libc::_exit(status)
            }
        }
    });
}

fn wait(mut reader: PipeReader, every: Duration, heard: &Py<PyAny>, interrupted: &str, is_closed: &Arc<AtomicBool>) {
    let every = Timespec { tv_sec: every.as_secs() as i64, tv_nsec: every.subsec_nanos() as _ };
    loop {
        let number = match poll(&mut [PollFd::new(&reader, PollFlags::IN)], Some(&every)) {
            Ok(0) => None,
            Ok(_) => {
                let mut number = [0];
                match reader.read(&mut number) {
                    Ok(1) => Some(number[0]),
                    // Nobody writes any more.
                    _ => return,
                }
            }
            Err(Errno::INTR) => continue,
            Err(_) => return,
        };
        if number == Some(SIGINT) {
            end_soon(interrupted.into(), INTERRUPTED, is_closed.clone());
        }
        let goes_on = Python::attach(|py| {
            let answer = heard.call1(py, (number,)).and_then(|answer| answer.is_truthy(py));
            answer.unwrap_or_else(|error| {
                error.write_unraisable(py, None);
                false
            })
        });
        if !goes_on {
            return;
        }
    }
}
