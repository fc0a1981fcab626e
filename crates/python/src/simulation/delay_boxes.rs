//! Boxes where packets enter nodes, which delay flows.

use ackclock_engine::net::delay_box::{BoxId, Rule, Treatment};
use pyo3::prelude::*;

use crate::convert::{no_such, unknown_parameter};
use crate::simulation::Simulation;
use crate::simulation::handle::Handle;
use crate::simulation::nodes::Node;
use crate::simulation::random_variables::RandomVariable;

/// A box where packets enter a node, which delays or loses those of some flows. A flow is source, destination and flow id.
#[pyclass(frozen, module = "ackclock._native")]
pub struct DelayBox(pub Handle<BoxId>);

impl Simulation {
    fn delay_box(&mut self, id: BoxId) -> PyResult<&mut ackclock_engine::net::delay_box::DelayBox> {
        self.engine.net.delay_boxes.get_mut(id).ok_or_else(|| no_such("delay box", id.0))
    }
}

#[pymethods]
impl Node {
    /// A new delay box where packets enter the node.
    fn add_delay_box(&self, py: Python) -> PyResult<DelayBox> {
        let id = self.0.simulation(py)?.engine.net.add_delay_box(self.0.id);
        Ok(DelayBox(self.0.beside(py, id)))
    }
}

#[pymethods]
impl DelayBox {
    /// Sets a flag by `name`: `is_symmetric`: ACKs are treated as the data they answer. `is_lossless`: nothing is lost.
    /// `keeps_record`: flows that are met are written down. `KeyError` for another.
    fn set_flag(&self, py: Python, name: &str, value: bool) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let found = simulation.delay_box(self.0.id)?;
        match name {
            "is_symmetric" => found.is_symmetric = value,
            "is_lossless" => found.is_lossless = value,
            "keeps_record" => found.keeps_record = value,
            _ => return Err(unknown_parameter("a delay box", name)),
        }
        Ok(())
    }

    /// Lets flows from node `source` to node `destination` draw from these random variables: a delay in ms, a loss ratio, a
    /// rate in Mbit/s.
    #[pyo3(signature = (source, destination, delay_ms, loss, rate_mbps))]
    fn set_rule(
        &self,
        py: Python,
        source: i32,
        destination: i32,
        delay_ms: &RandomVariable,
        loss: Option<&RandomVariable>,
        rate_mbps: Option<&RandomVariable>,
    ) -> PyResult<()> {
        let optional = |variable: Option<&RandomVariable>| variable.map(|one| self.0.other(&one.0)).transpose();
        let (loss, rate_mbps) = (optional(loss)?, optional(rate_mbps)?);
        let rule = Rule { delay_ms: self.0.other(&delay_ms.0)?, loss, rate_mbps };
        self.0.simulation(py)?.delay_box(self.0.id)?.set_rule(source, destination, rule);
        Ok(())
    }

    /// Source and destination of each rule, in order.
    fn rules(&self, py: Python) -> PyResult<Vec<(i32, i32)>> {
        Ok(self.0.simulation(py)?.delay_box(self.0.id)?.ruled())
    }

    /// Delays a flow so long, in s, and loses such a part of its packets.
    fn add_flow(&self, py: Python, flow: (i32, i32, i32), delay_s: f64, loss: f64) -> PyResult<()> {
        let treatment = Treatment { delay_s, loss, bytes_per_s: 0.0 };
        self.0.simulation(py)?.engine.net.add_delayed_flow(self.0.id, flow, treatment);
        Ok(())
    }

    /// The flows in order: flow, delay in s, loss ratio, rate in bytes/s.
    fn flows(&self, py: Python) -> PyResult<Vec<((i32, i32, i32), f64, f64, f64)>> {
        let flows = self.0.simulation(py)?.engine.net.delay_boxes.flows_of(self.0.id);
        Ok(flows.into_iter().map(|(flow, how)| (flow, how.delay_s, how.loss, how.bytes_per_s)).collect())
    }

    /// The flows that were met since the last call, and their delays in s.
    fn take_met_flows(&self, py: Python) -> PyResult<Vec<((i32, i32, i32), f64)>> {
        Ok(std::mem::take(&mut self.0.simulation(py)?.delay_box(self.0.id)?.met))
    }
}
