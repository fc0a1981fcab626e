//! Shared media and their ports.

use ackclock_engine::net::lan::{Access, LanId};
use pyo3::prelude::*;

use crate::convert::{no_such, simulation_error, unknown_parameter};
use crate::simulation::Simulation;

#[pymethods]
impl Simulation {
    /// A new shared medium that a node stands for in routes; its number.
    fn add_lan(&mut self, node: u32, delay_s: f64) -> PyResult<u32> {
        let node = self.check_node(node)?;
        Ok(self.engine.net.add_lan(node.0, delay_s).0)
    }

    /// How long a packet is on a medium before others hear it.
    fn set_lan_delay(&mut self, lan: u32, delay_s: f64) -> PyResult<()> {
        let found = self.engine.net.lans.get_mut(lan as usize).ok_or_else(|| no_such("LAN", lan))?;
        found.delay_s = delay_s;
        Ok(())
    }

    /// A new port of a medium, with a queue; `access` is plain or ethernet. Its number, which is a link's.
    fn add_port(
        &mut self,
        lan: u32,
        node: u32,
        rate_bps: f64,
        delay_s: f64,
        discipline: &str,
        access: &str,
    ) -> PyResult<u32> {
        let node = self.check_node(node)?;
        let to = self.engine.net.lans.get(lan as usize).ok_or_else(|| no_such("LAN", lan))?.node;
        let to = self.check_node(to)?;
        let link = self.engine.add_link(node, to, rate_bps, delay_s, discipline).map_err(simulation_error)?;
        self.engine.net.make_port(link, LanId(lan), access == "ethernet");
        Ok(link.0)
    }

    /// Sets a parameter of how a port uses the medium: traces_collisions; rate_bps and delay_s of a plain one.
    fn set_port_param(&mut self, link: u32, name: &str, value: f64) -> PyResult<()> {
        let link = self.check_link(link)?;
        let port = self.engine.net.links[link.0 as usize].port_mut().ok_or_else(|| no_such("port", link.0))?;
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
