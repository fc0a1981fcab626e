//! Congestion controls compiled from the kernel's source: what a shared object has, and a sender that is given one.

use std::path::PathBuf;
use std::sync::Arc;

use ackclock_engine::net::node::AgentId;
use ackclock_engine::params::Value;
use ackclock_engine::sim::Simulation as Engine;
use ackclock_engine::transport::tcp::agent::give_control;
use ackclock_engine::transport::tcp::cc::Control;
use ackclock_kernel::control::KernelControl;
use ackclock_kernel::module::Module;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A shared object that `ackclock kernel build` has made, and the control of it that is used.
#[pyclass(frozen)]
pub struct KernelModule {
    module: Arc<Module>,
}

#[pymethods]
impl KernelModule {
    /// Reads and loads the file: its code runs. `control` names one of its controls; without it, the last one that it
    /// registers is used. `ValueError` in one line for a file that cannot be used.
    #[new]
    #[pyo3(signature = (path, control = None))]
    fn new(path: PathBuf, control: Option<&str>) -> PyResult<KernelModule> {
        let module = Module::open(&path, control).map_err(PyValueError::new_err)?;
        Ok(KernelModule { module: Arc::new(module) })
    }

    /// The name of the control.
    #[getter]
    fn control(&self) -> &str {
        &self.module.control
    }

    /// The names of all controls that the file has.
    #[getter]
    fn controls(&self) -> Vec<String> {
        self.module.controls.clone()
    }

    /// Ticks per second of its clock (`HZ`).
    #[getter]
    fn hz(&self) -> u32 {
        self.module.hz
    }

    /// The parameters of the module: name, description, default.
    #[getter]
    fn parameters(&self) -> Vec<(String, String, i64)> {
        let parameters = self.module.parameters.iter();
        parameters.map(|known| (known.name.clone(), known.about.clone(), known.default)).collect()
    }
}

impl KernelModule {
    /// Gives an agent the control, with these values of the module's parameters. An error is a message.
    pub fn give(&self, engine: &mut Engine, agent: AgentId, values: &[(String, Value)]) -> Result<(), String> {
        let mut control = KernelControl::new(Arc::clone(&self.module));
        for (name, value) in values {
            if !control.set_param(name, *value) {
                return Err(format!("{} has no parameter {name}", self.module.control));
            }
        }
        if !give_control(&mut *engine.agents[agent.0 as usize], Box::new(control)) {
            return Err("the kernel's controls work with today's TCP only".into());
        }
        Ok(())
    }
}
