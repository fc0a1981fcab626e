//! Shared media and their ports.

use ackclock_engine::net::lan::{Access, LanId};
use pyo3::prelude::*;

use crate::convert::{no_such, simulation_error, unknown_parameter};
use crate::simulation::handle::Handle;
use crate::simulation::links::Link;
use crate::simulation::nodes::Node;

/// A shared medium.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Lan(pub Handle<LanId>);

#[pymethods]
impl Lan {
    /// Sets how long, in s, a packet is on the medium before others hear it.
    fn set_delay(&self, py: Python, delay_s: f64) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.lans[self.0.id.0 as usize].delay_s = delay_s;
        Ok(())
    }

    /// A new port: a link from a node to the medium, with a queue. `access` is plain or ethernet. `SimulationError` for an
    /// unknown `discipline`.
    fn add_port(
        &self,
        py: Python,
        node: &Node,
        rate_bps: f64,
        delay_s: f64,
        discipline: &str,
        access: &str,
    ) -> PyResult<Link> {
        let node = self.0.other(&node.0)?;
        let mut simulation = self.0.simulation(py)?;
        let to = simulation.check_node(simulation.engine.net.lans[self.0.id.0 as usize].node)?;
        let link = simulation.engine.add_link(node, to, rate_bps, delay_s, discipline).map_err(simulation_error)?;
        simulation.engine.net.make_port(link, self.0.id, access == "ethernet");
        Ok(Link(self.0.beside(py, link)))
    }
}

#[pymethods]
impl Link {
    /// Sets how a link that is a port of a `Lan` uses the medium: `traces_collisions`; `rate_bps` and `delay_s` of a plain
    /// one. `KeyError` for another `name`, or a link that is no port.
    fn set_port_param(&self, py: Python, name: &str, value: f64) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let link = &mut simulation.engine.net.links[self.0.id.0 as usize];
        let port = link.port_mut().ok_or_else(|| no_such("port", self.0.id.0))?;
        match (name, &mut port.access) {
            ("traces_collisions", _) => port.traces_collisions = value != 0.0,
            ("rate_bps", Access::Plain { rate_bps, .. }) => *rate_bps = value,
            ("delay_s", Access::Plain { delay_s, .. }) => *delay_s = value,
            ("rate_bps" | "delay_s", Access::Ethernet(_)) => {}
            _ => return Err(unknown_parameter("a port", name)),
        }
        Ok(())
    }
}
