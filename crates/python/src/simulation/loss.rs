//! Error models and the modules on links that they stand in.

use ackclock_engine::loss::ModelId;
use ackclock_engine::net::link::ErrorsId;
use pyo3::prelude::*;

use crate::convert::{simulation_error, unknown_parameter, value_from_python, value_to_python};
use crate::simulation::handle::Handle;

/// An error model: which packets are lost or marked. `KeyError` for a parameter that it does not have.
#[pyclass(frozen, module = "ackclock._native")]
pub struct ErrorModel(pub Handle<ModelId>);

#[pymethods]
impl ErrorModel {
    /// Its number, by which commands of other models name it.
    #[getter]
    fn number(&self) -> u32 {
        self.0.id.0
    }

    /// A parameter's value.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.0.simulation(py)?.engine.net.models.param(self.0.id, name);
        value_to_python(py, value.ok_or_else(|| unknown_parameter("this error model", name))?)
    }

    /// Sets a parameter.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let value = value_from_python(value)?;
        let known = self.0.simulation(py)?.engine.net.models.set_param(self.0.id, name, value);
        if known { Ok(()) } else { Err(unknown_parameter("this error model", name)) }
    }

    /// Gives it a command; the answer. `SimulationError` for one that it does not know.
    fn command(&self, py: Python, name: &str, arguments: Vec<String>) -> PyResult<String> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.0.simulation(py)?.engine.net.model_command(self.0.id, name, &arguments).map_err(simulation_error)
    }
}

/// An error module on a link: says which error model judges which flow's packets.
#[pyclass(frozen, module = "ackclock._native")]
pub struct ErrorModule(pub Handle<ErrorsId>);

#[pymethods]
impl ErrorModule {
    /// Lets a model judge the packets of the flow with this id.
    fn assign(&self, py: Python, fid: i32, model: &ErrorModel) -> PyResult<()> {
        let model = self.0.other(&model.0)?;
        self.0.simulation(py)?.engine.net.errors[self.0.id.0 as usize].assign(fid, model);
        Ok(())
    }

    /// Lets a model, or none, judge the packets of all other flows.
    fn assign_others(&self, py: Python, model: Option<&ErrorModel>) -> PyResult<()> {
        let model = model.map(|model| self.0.other(&model.0)).transpose()?;
        self.0.simulation(py)?.engine.net.errors[self.0.id.0 as usize].assign_others(model);
        Ok(())
    }
}
