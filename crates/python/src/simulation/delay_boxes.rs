//! Boxes at the doors of nodes, which delay flows.

use ackclock_engine::net::delay_box::{BoxId, DelayBox, Rule, Treatment};
use ackclock_engine::random::random_variable::VariableId;
use pyo3::prelude::*;

use crate::convert::{no_such, unknown_parameter};
use crate::simulation::Simulation;

impl Simulation {
    fn delay_box(&mut self, number: u32) -> PyResult<&mut DelayBox> {
        self.engine.net.delay_boxes.get_mut(BoxId(number)).ok_or_else(|| no_such("delay box", number))
    }
}

#[pymethods]
impl Simulation {
    /// A box at the door of a node; its number.
    fn add_delay_box(&mut self, node: u32) -> PyResult<u32> {
        let node = self.check_node(node)?;
        Ok(self.engine.net.add_delay_box(node).0)
    }

    /// `is_symmetric`: ACKs are treated as the data they answer. `is_lossless`: nothing is lost. `keeps_record`: flows that
    /// are met are written down.
    fn set_delay_box(&mut self, delay_box: u32, name: &str, value: bool) -> PyResult<()> {
        let found = self.delay_box(delay_box)?;
        match name {
            "is_symmetric" => found.is_symmetric = value,
            "is_lossless" => found.is_lossless = value,
            "keeps_record" => found.keeps_record = value,
            _ => return Err(unknown_parameter("a delay box", name)),
        }
        Ok(())
    }

    /// Flows between two nodes draw from these random variables: a delay in ms, a loss ratio, a rate in Mbit/s.
    #[pyo3(signature = (delay_box, source, destination, delay_ms, loss, rate_mbps))]
    fn set_delay_rule(
        &mut self,
        delay_box: u32,
        source: i32,
        destination: i32,
        delay_ms: u32,
        loss: Option<u32>,
        rate_mbps: Option<u32>,
    ) -> PyResult<()> {
        let count = self.engine.net.rng.variables.len();
        if let Some(&unknown) = [Some(delay_ms), loss, rate_mbps].iter().flatten().find(|&&id| id as usize >= count) {
            return Err(no_such("random variable", unknown));
        }
        let (loss, rate_mbps) = (loss.map(VariableId), rate_mbps.map(VariableId));
        let rule = Rule { delay_ms: VariableId(delay_ms), loss, rate_mbps };
        self.delay_box(delay_box)?.set_rule(source, destination, rule);
        Ok(())
    }

    /// The nodes that a box has rules for, in order.
    fn delay_rules(&mut self, delay_box: u32) -> PyResult<Vec<(i32, i32)>> {
        Ok(self.delay_box(delay_box)?.ruled())
    }

    /// A flow (source, destination, flow id) is delayed so long and loses such a part of its packets.
    fn add_delayed_flow(&mut self, delay_box: u32, ends: (i32, i32, i32), delay_s: f64, loss: f64) -> PyResult<()> {
        self.delay_box(delay_box)?;
        let treatment = Treatment { delay_s, loss, bytes_per_s: 0.0 };
        self.engine.net.add_delayed_flow(BoxId(delay_box), ends, treatment);
        Ok(())
    }

    /// The flows of a box in order: their ends, delay in s, loss ratio, rate in bytes/s.
    fn delayed_flows(&mut self, delay_box: u32) -> PyResult<Vec<((i32, i32, i32), f64, f64, f64)>> {
        self.delay_box(delay_box)?;
        let flows = self.engine.net.delay_boxes.flows_of(BoxId(delay_box));
        Ok(flows.into_iter().map(|(ends, how)| (ends, how.delay_s, how.loss, how.bytes_per_s)).collect())
    }

    /// The flows that a box has met since the last call, and their delays in s.
    fn take_met_flows(&mut self, delay_box: u32) -> PyResult<Vec<((i32, i32, i32), f64)>> {
        Ok(std::mem::take(&mut self.delay_box(delay_box)?.met))
    }
}
