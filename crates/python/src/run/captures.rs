//! Captures of a run, for Wireshark.

use ackclock_engine::net::link::{Hook, HookPoint};
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::run::channels::Channel;
use crate::simulation::Simulation;
use crate::simulation::handle::Handle;
use crate::simulation::links::Link;

/// A capture (pcapng) of a run.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Capture(pub Handle<usize>);

#[pymethods]
impl Capture {
    /// A new interface, at the near end of some links and at the far end of others: packets that come to the queues of
    /// `leaving` and those that `entering` deliver.
    fn add_interface(&self, py: Python, name: &str, leaving: Vec<Py<Link>>, entering: Vec<Py<Link>>) -> PyResult<()> {
        let links = |ends: &[Py<Link>], point| -> PyResult<Vec<_>> {
            ends.iter().map(|link| Ok((self.0.other(&link.get().0)?, point))).collect()
        };
        let hooks = [links(&leaving, HookPoint::Head)?, links(&entering, HookPoint::Received)?].concat();
        let (mut simulation, capture) = (self.0.simulation(py)?, self.0.id);
        let interface = simulation.recorder().add_capture_interface(capture, name);
        let interface = interface.ok_or_else(|| no_such("capture", capture as u32))?;
        for (link, point) in hooks {
            let hook = Hook::Trace(simulation.recorder().add_capture_place(capture, interface));
            simulation.engine.net.links[link.0 as usize].add_hook(point, None, hook);
        }
        Ok(())
    }
}

#[pymethods]
impl Simulation {
    /// Begins a capture in a channel that nothing else is written to.
    fn add_capture(this: &Bound<Simulation>, channel: &Channel) -> PyResult<Capture> {
        let channel = channel.0.id_in(this)?;
        let made = Handle::made(this, |simulation| {
            if simulation.recorder().channel(channel).is_none() {
                return Err(no_such("channel", channel.0));
            }
            Ok(simulation.recorder().add_capture(channel))
        });
        made.map(Capture)
    }
}
