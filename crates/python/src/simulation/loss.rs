//! Error models and the modules on links that they stand in.

use ackclock_engine::loss::ModelId;
use ackclock_engine::net::link::ErrorsId;
use ackclock_engine::net::link::error_module::ErrorModule;
use pyo3::prelude::*;

use crate::convert::{no_such, simulation_error, unknown_parameter, value_from_python, value_to_python};
use crate::simulation::Simulation;

impl Simulation {
    fn check_model(&self, model: u32) -> PyResult<ModelId> {
        let exists = (model as usize) < self.engine.net.models.len();
        exists.then_some(ModelId(model)).ok_or_else(|| no_such("error model", model))
    }

    fn module(&mut self, module: u32) -> PyResult<&mut ErrorModule> {
        self.engine.net.errors.get_mut(module as usize).ok_or_else(|| no_such("error module", module))
    }
}

#[pymethods]
impl Simulation {
    /// A new error model; its number.
    fn add_error_model(&mut self, kind: &str) -> PyResult<u32> {
        let model = self.engine.net.models.add(kind);
        Ok(model.ok_or_else(|| simulation_error(format!("unknown error model {kind}")))?.0)
    }

    fn error_model_param<'py>(&self, py: Python<'py>, model: u32, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.engine.net.models.param(self.check_model(model)?, name);
        value_to_python(py, value.ok_or_else(|| unknown_parameter("this error model", name))?)
    }

    fn set_error_model_param(&mut self, model: u32, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let model = self.check_model(model)?;
        let known = self.engine.net.models.set_param(model, name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("this error model", name)) }
    }

    fn error_model_command(&mut self, model: u32, name: &str, arguments: Vec<String>) -> PyResult<String> {
        let model = self.check_model(model)?;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.engine.net.model_command(model, name, &arguments).map_err(simulation_error)
    }

    /// A new error module, to be tapped into a link; its number.
    fn add_error_module(&mut self) -> u32 {
        self.engine.net.errors.push(ErrorModule::default());
        ErrorsId(self.engine.net.errors.len() as u32 - 1).0
    }

    /// From now on a model judges a flow's packets in a module.
    fn assign_error_model(&mut self, module: u32, fid: i32, model: u32) -> PyResult<()> {
        let model = self.check_model(model)?;
        self.module(module)?.assign(fid, model);
        Ok(())
    }

    /// From now on a model, or none, judges the packets of a module's other flows.
    fn assign_error_model_to_others(&mut self, module: u32, model: Option<u32>) -> PyResult<()> {
        let model = model.map(|model| self.check_model(model)).transpose()?;
        self.module(module)?.assign_others(model);
        Ok(())
    }
}
