//! Routers that take part in Quick-Start.

use ackclock_engine::net::quick_start::{Measuring, RouterId};
use pyo3::prelude::*;

use crate::convert::{unknown_parameter, value_from_python, value_to_python};
use crate::simulation::handle::Handle;
use crate::simulation::links::Link;

/// A router that takes part in Quick-Start (RFC 4782). `KeyError` for a parameter that it does not have.
#[pyclass(frozen, module = "ackclock._native")]
pub struct QuickStartRouter(pub Handle<RouterId>);

#[pymethods]
impl QuickStartRouter {
    /// Starts its clock, when it has its parameters.
    fn start(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.start_quick_start(self.0.id);
        Ok(())
    }

    /// A parameter's value.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut simulation = self.0.simulation(py)?;
        let router = &mut simulation.engine.net.quick_start.routers[self.0.id.0 as usize];
        value_to_python(py, router.own_param(name).ok_or_else(|| unknown_parameter("a router", name))?)
    }

    /// Sets a parameter.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let router = &mut simulation.engine.net.quick_start.routers[self.0.id.0 as usize];
        let known = router.set_own_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("a router", name)) }
    }

    /// Judges requests that leave the router over this link, and measures the link's use: over `periods` periods of `period_s`
    /// s each, smoothed by `weight`.
    fn add_link(&self, py: Python, link: &Link, weight: f64, period_s: f64, periods: usize) -> PyResult<()> {
        let link = self.0.other(&link.0)?;
        let measuring = Measuring { weight, period_s, periods };
        self.0.simulation(py)?.engine.net.put_quick_start(self.0.id, link, measuring);
        Ok(())
    }
}
