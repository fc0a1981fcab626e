//! Queue disciplines of links.

use ackclock_engine::net::link::LinkId;
use pyo3::prelude::*;

use crate::convert::{
    Described, Params, described, simulation_error, unknown_parameter, value_from_python, value_to_python,
};
use crate::run::channels::Channel;
use crate::run::tracing::VariablePlace;
use crate::simulation::Simulation;
use crate::simulation::handle::Handle;

/// The queue discipline of a link. `KeyError` for a parameter that it does not have.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Queue(pub Handle<LinkId>);

impl Simulation {
    pub fn set_queue_param(&mut self, link: LinkId, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let known = self.engine.net.links[link.0 as usize].queue_mut().set_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("this queue discipline", name)) }
    }

    pub fn set_queue_params(&mut self, link: LinkId, params: &Params) -> PyResult<()> {
        let queue = self.engine.net.links[link.0 as usize].queue_mut();
        params.give(|name, value| queue.set_param(name, value), "this queue discipline")
    }

    pub fn reset_queue(&mut self, link: LinkId) {
        self.engine.net.use_queue(link, |queue, context| queue.reset(context));
    }
}

#[pymethods]
impl Queue {
    /// A parameter's value.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let simulation = self.0.simulation(py)?;
        let queue = simulation.engine.net.links[self.0.id.0 as usize].queue();
        value_to_python(py, queue.param(name).ok_or_else(|| unknown_parameter("this queue discipline", name))?)
    }

    /// The parameters that scenarios offer: name, present value, unit, description.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Vec<Described<'py>>> {
        let mut found = Vec::new();
        self.0.simulation(py)?.engine.net.links[self.0.id.0 as usize].queue().describe(&mut found);
        described(py, found)
    }

    /// Sets a parameter.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        self.0.simulation(py)?.set_queue_param(self.0.id, name, value)
    }

    /// Sets several parameters.
    fn set_params(&self, py: Python, params: &Params) -> PyResult<()> {
        self.0.simulation(py)?.set_queue_params(self.0.id, params)
    }

    /// Gives the discipline a command, with its arguments behind it; the answer. `SimulationError` for one that it does not
    /// know.
    fn command(&self, py: Python, name: &str) -> PyResult<String> {
        let mut simulation = self.0.simulation(py)?;
        let net = &mut simulation.engine.net;
        net.use_queue(self.0.id, |queue, context| queue.command(name, context)).map_err(simulation_error)
    }

    /// Empties the queue and begins anew.
    fn reset(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.reset_queue(self.0.id);
        Ok(())
    }

    /// Writes each change of a variable to a channel.
    fn watch(&self, py: Python, name: &str, channel: &Channel) -> PyResult<()> {
        let channel = self.0.other(&channel.0)?;
        let mut simulation = self.0.simulation(py)?;
        let place = simulation.recorder().add_queue_place(channel);
        let known = simulation.engine.net.links[self.0.id.0 as usize].queue_mut().watch(name, place);
        if known { Ok(()) } else { Err(unknown_parameter("this queue, among those that can be watched,", name)) }
    }

    /// Writes each change of a variable at a place.
    fn watch_at(&self, py: Python, name: &str, place: &VariablePlace) -> PyResult<()> {
        let place = self.0.other(&place.0)?;
        let mut simulation = self.0.simulation(py)?;
        let known = simulation.engine.net.links[self.0.id.0 as usize].queue_mut().watch(name, place);
        if known { Ok(()) } else { Err(unknown_parameter("this queue, among those that can be watched,", name)) }
    }
}
