//! Token buckets between agents and their nodes.

use ackclock_engine::net::token_bucket::{BucketId, TokenBucket};
use pyo3::prelude::*;

use crate::convert::{no_such, unknown_parameter, value_from_python, value_to_python};
use crate::simulation::Simulation;

impl Simulation {
    fn bucket(&mut self, bucket: u32) -> PyResult<&mut TokenBucket> {
        self.engine.net.buckets.get_mut(bucket as usize).ok_or_else(|| no_such("token bucket", bucket))
    }
}

#[pymethods]
impl Simulation {
    /// A new token bucket; its number.
    fn add_bucket(&mut self) -> u32 {
        self.engine.net.add_bucket().index()
    }

    fn bucket_param<'py>(&mut self, py: Python<'py>, bucket: u32, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.bucket(bucket)?.own_param(name).ok_or_else(|| unknown_parameter("a token bucket", name))?;
        value_to_python(py, value)
    }

    fn set_bucket_param(&mut self, bucket: u32, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let known = self.bucket(bucket)?.set_own_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("a token bucket", name)) }
    }

    /// An agent's packets pass this bucket on their way to the node.
    fn pass_bucket(&mut self, agent: u32, bucket: u32) -> PyResult<()> {
        let agent = self.check_agent(agent)?;
        self.bucket(bucket)?;
        self.engine.agents[agent.0 as usize].endpoint_mut().bucket = Some(BucketId::new(bucket));
        Ok(())
    }
}
