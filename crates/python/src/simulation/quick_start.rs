//! Routers that take part in Quick-Start.

use ackclock_engine::net::quick_start::{Measuring, Router, RouterId};
use pyo3::prelude::*;

use crate::convert::{no_such, unknown_parameter, value_from_python, value_to_python};
use crate::simulation::Simulation;

impl Simulation {
    fn router(&mut self, router: u32) -> PyResult<&mut Router> {
        self.engine.net.quick_start.routers.get_mut(router as usize).ok_or_else(|| no_such("router", router))
    }
}

#[pymethods]
impl Simulation {
    /// A new router that takes part; its number. Its clock is to be started when it has its parameters.
    fn add_router(&mut self) -> u32 {
        self.engine.net.add_quick_start_router().0
    }

    fn start_router(&mut self, router: u32) -> PyResult<()> {
        self.router(router)?;
        self.engine.net.start_quick_start(RouterId(router));
        Ok(())
    }

    fn router_param<'py>(&mut self, py: Python<'py>, router: u32, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.router(router)?.own_param(name).ok_or_else(|| unknown_parameter("a router", name))?;
        value_to_python(py, value)
    }

    fn set_router_param(&mut self, router: u32, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let known = self.router(router)?.set_own_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("a router", name)) }
    }

    /// How the rates of all requests are coded: 1 by 10240 bytes/s, 2 by powers of two times 5000 bytes/s.
    fn set_rate_function(&mut self, function: i32) {
        self.engine.net.quick_start.rate_function = function;
    }

    /// Requests that leave the router over this link are judged, and the link's use is measured from now on.
    fn put_router(&mut self, router: u32, link: u32, weight: f64, period_s: f64, periods: usize) -> PyResult<()> {
        self.router(router)?;
        let link = self.check_link(link)?;
        self.engine.net.put_quick_start(RouterId(router), link, Measuring { weight, period_s, periods });
        Ok(())
    }
}
