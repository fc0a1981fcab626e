//! Token buckets between agents and their nodes.

use ackclock_engine::net::token_bucket::BucketId;
use pyo3::prelude::*;

use crate::convert::{unknown_parameter, value_from_python, value_to_python};
use crate::simulation::handle::Handle;

/// A token bucket between an agent and its node. `KeyError` for a parameter that it does not have.
#[pyclass(frozen, module = "ackclock._native")]
pub struct TokenBucket(pub Handle<BucketId>);

#[pymethods]
impl TokenBucket {
    /// A parameter's value.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut simulation = self.0.simulation(py)?;
        let bucket = &mut simulation.engine.net.buckets[self.0.id.index() as usize];
        value_to_python(py, bucket.own_param(name).ok_or_else(|| unknown_parameter("a token bucket", name))?)
    }

    /// Sets a parameter.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let bucket = &mut simulation.engine.net.buckets[self.0.id.index() as usize];
        let known = bucket.set_own_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("a token bucket", name)) }
    }
}
