//! Congestion controls of users' own shared libraries: what a library has, and a sender that is given one.

use std::path::PathBuf;
use std::sync::Arc;

use ackclock_engine::net::node::AgentId;
use ackclock_engine::params::Value;
use ackclock_engine::sim::Simulation as Engine;
use ackclock_engine::transport::tcp::agent::give_control;
use ackclock_engine::transport::tcp::cc::Control;
use ackclock_plugins::control::LibraryControl;
use ackclock_plugins::library::Library;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A shared library of the user's own, and the congestion control of it that is used.
#[pyclass(frozen)]
pub struct ControlLibrary {
    library: Arc<Library>,
}

#[pymethods]
impl ControlLibrary {
    /// Reads and loads the file: its code runs. `control` names one of its controls. `ValueError` in one line for a file
    /// that cannot be used.
    #[new]
    fn new(path: PathBuf, control: &str) -> PyResult<ControlLibrary> {
        let library = Library::open(&path, control).map_err(PyValueError::new_err)?;
        Ok(ControlLibrary { library: Arc::new(library) })
    }

    /// One line of description.
    #[getter]
    fn about(&self) -> &str {
        &self.library.about
    }

    /// The parameters of the control: name, description, default.
    #[getter]
    fn parameters(&self) -> Vec<(String, String, f64)> {
        let parameters = self.library.parameters.iter();
        parameters.map(|known| (known.name.clone(), known.about.clone(), known.default)).collect()
    }
}

impl ControlLibrary {
    /// Gives an agent the control, with these values of its parameters; errors call it by the flow's `name`. An error is a
    /// message.
    pub fn give(
        &self,
        engine: &mut Engine,
        agent: AgentId,
        values: &[(String, Value)],
        name: &str,
    ) -> Result<(), String> {
        let mut control = LibraryControl::new(Arc::clone(&self.library), format!("flow {name}"));
        for (parameter, value) in values {
            if !control.set_param(parameter, *value) {
                return Err(format!("{} has no parameter {parameter}", self.library.control));
            }
        }
        if !give_control(&mut *engine.agents[agent.0 as usize], Box::new(control)) {
            return Err("controls of libraries work with today's TCP only".into());
        }
        Ok(())
    }
}
