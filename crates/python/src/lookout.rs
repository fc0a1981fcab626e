//! A thread that waits for signals where Python's own would first have to wait for Python.

use std::io::{PipeReader, PipeWriter, Read, pipe};
use std::os::fd::AsRawFd;
use std::sync::Mutex;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};

/// Waits for signals in a thread of its own: `heard(number)` is called there for each, and `heard(None)` when `every_s` seconds
/// have passed without one, until it says False. `OSError` where the system refuses.
///
/// The thread takes nothing of Python's before there is something to hear: one of Python's would stop the main thread to begin.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Lookout(Mutex<Option<(PipeWriter, JoinHandle<()>)>>);

#[pymethods]
impl Lookout {
    #[new]
    fn new(every_s: f64, heard: Py<PyAny>) -> PyResult<Lookout> {
        let (reader, writer) = pipe()?;
        ioctl_fionbio(&writer, true).map_err(std::io::Error::from)?;
        let every = Duration::try_from_secs_f64(every_s)
            .map_err(|_| pyo3::exceptions::PyValueError::new_err(format!("every_s = {every_s}: expected seconds")))?;
        let thread = Builder::new().spawn(move || wait(reader, every, &heard))?;
        Ok(Lookout(Mutex::new(Some((writer, thread)))))
    }

    /// The file to which the numbers of signals are to be written (`signal.set_wakeup_fd`); -1 behind `close`.
    fn fileno(&self) -> i32 {
        self.0.lock().unwrap().as_ref().map_or(-1, |(writer, _)| writer.as_raw_fd())
    }

    /// Ends the thread, and waits until it has ended.
    fn close(&self, py: Python) {
        let open = self.0.lock().unwrap().take();
        if let Some((writer, thread)) = open {
            drop(writer);
            // What it heard may still be at work, which needs Python.
            let _ = py.detach(|| thread.join());
        }
    }
}

fn wait(mut reader: PipeReader, every: Duration, heard: &Py<PyAny>) {
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
