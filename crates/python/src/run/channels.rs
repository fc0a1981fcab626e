//! Channels: files that scripts and the engine write to together.

use ackclock_trace::channel::Channel as OpenChannel;
use ackclock_trace::recorder::ChannelId;
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::process::files::take_descriptor;
use crate::simulation::Simulation;
use crate::simulation::handle::Handle;

/// A file that the engine writes to, through a buffer of its own. `OSError`, with the file's name, where writing fails.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Channel(pub Handle<ChannelId>);

#[pymethods]
impl Channel {
    /// Its number.
    #[getter]
    fn number(&self) -> u32 {
        self.0.id.0
    }

    /// Appends `bytes`. `KeyError` when it is closed.
    fn write(&self, py: Python, bytes: &[u8]) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let open = simulation.recorder().channel(self.0.id).ok_or_else(|| no_such("channel", self.0.id.0))?;
        open.write(bytes);
        Ok(())
    }

    /// Hands what is buffered to the file; with `in_blocks` only what Tcl's own buffers would have let go by now.
    #[pyo3(signature = (in_blocks = false))]
    fn flush(&self, py: Python, in_blocks: bool) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        if let Some(open) = simulation.recorder().channel(self.0.id) {
            if in_blocks {
                open.flush_blocks()
            } else {
                open.flush()
            }
            if let Some(failure) = open.take_failure() {
                return Err(simulation.channel_error(self.0.id.0, &failure));
            }
        }
        Ok(())
    }

    /// Flushes and closes the file.
    fn close(&self, py: Python) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        // The system knows the file's name only while it is open, so what fails is asked for before it is closed.
        let failure = simulation.recorder().channel(self.0.id).and_then(|open| {
            open.flush();
            open.take_failure()
        });
        let told = failure.map_or(Ok(()), |failure| Err(simulation.channel_error(self.0.id.0, &failure)));
        let _ = simulation.recorder().close(self.0.id);
        told
    }
}

#[pymethods]
impl Simulation {
    /// A channel that writes to a file; the file's descriptor `fd` is taken over and closed with the channel. With `block`
    /// it writes whole blocks of so many bytes, as C's standard output does. `begun`: the bytes that Tcl would not have
    /// written yet, had the channel been its own. `ValueError` for a negative descriptor.
    #[pyo3(signature = (fd, block = None, begun = 0))]
    fn open_channel(this: &Bound<Simulation>, fd: i32, block: Option<usize>, begun: usize) -> PyResult<Channel> {
        let file = Box::new(take_descriptor(fd)?);
        let channel = match block {
            None => OpenChannel::new(file).begun_with(begun),
            Some(block) => OpenChannel::in_blocks(file, block),
        };
        let made = Handle::made(this, |simulation| {
            let id = simulation.recorder().add_channel(channel);
            simulation.channel_fds.push(fd);
            Ok(id)
        });
        made.map(Channel)
    }
}
