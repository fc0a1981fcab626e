//! Applications, which give agents something to send.

use ackclock_engine::sim::AppId;
use pyo3::prelude::*;

use crate::convert::{simulation_error, unknown_parameter, value_from_python, value_to_python};
use crate::simulation::agents::Agent;
use crate::simulation::handle::Handle;

/// An application, which feeds an agent. `KeyError` for a parameter that it does not have.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Application(pub Handle<AppId>);

#[pymethods]
impl Application {
    /// A parameter's value.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let simulation = self.0.simulation(py)?;
        let app = &simulation.engine.apps[self.0.id.0 as usize].app;
        value_to_python(py, app.param(name).ok_or_else(|| unknown_parameter("this application", name))?)
    }

    /// Sets a parameter.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let known = simulation.engine.apps[self.0.id.0 as usize].app.set_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("this application", name)) }
    }

    /// Lets it feed this agent.
    fn attach(&self, py: Python, agent: &Agent) -> PyResult<()> {
        let agent = self.0.other(&agent.0)?;
        self.0.simulation(py)?.engine.attach_app(self.0.id, agent);
        Ok(())
    }

    /// Starts it.
    fn start(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.engine.with_app(self.0.id, |app, context| app.start(context));
        Ok(())
    }

    /// Stops it.
    fn stop(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.engine.with_app(self.0.id, |app, context| app.stop(context));
        Ok(())
    }

    /// Gives it a command; the answer. `SimulationError` for one that it does not know.
    fn command(&self, py: Python, name: &str, arguments: Vec<String>) -> PyResult<String> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut simulation = self.0.simulation(py)?;
        let app = self.0.id;
        simulation.engine.with_app(app, |app, context| app.command(name, &arguments, context)).map_err(simulation_error)
    }
}
