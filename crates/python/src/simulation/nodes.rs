//! Nodes: where they send packets, and what addresses they have.

use ackclock_engine::net::node::{NextHop, NodeId};
use ackclock_trace::addresses::Addresses;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::simulation::handle::Handle;
use crate::simulation::links::Link;

/// A node. Destinations are numbers of nodes; `KeyError` for one that there is not.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Node(pub Handle<NodeId>);

impl Node {
    fn route(&self, py: Python, destination: u32, next_hop: NextHop) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let destination = simulation.check_node(destination)?;
        simulation.engine.net.nodes[self.0.id.0 as usize].set_next_hop(destination, next_hop);
        Ok(())
    }
}

#[pymethods]
impl Node {
    /// Its number: nodes are numbered from 0 in the order in which they are added.
    #[getter]
    fn number(&self) -> u32 {
        self.0.id.0
    }

    /// Sends packets for a destination over this link; over none, without one.
    fn set_route(&self, py: Python, destination: u32, link: Option<&Link>) -> PyResult<()> {
        let next_hop = match link {
            Some(link) => {
                let link = self.0.other(&link.0)?;
                self.0.simulation(py)?.engine.net.next_hop_over(link)
            }
            None => NextHop::Unknown,
        };
        self.route(py, destination, next_hop)
    }

    /// Throws away packets for a destination.
    fn discard_route(&self, py: Python, destination: u32) -> PyResult<()> {
        self.route(py, destination, NextHop::Discard)
    }

    /// Sends packets for a destination over the links of a turn, one after the other.
    fn route_in_turn(&self, py: Python, destination: u32, turn: u32) -> PyResult<()> {
        self.route(py, destination, NextHop::RoundRobin(turn))
    }

    /// Sends packets over this link for whose destination no other route is set.
    fn set_default_route(&self, py: Python, link: &Link) -> PyResult<()> {
        let link = self.0.other(&link.0)?;
        let mut simulation = self.0.simulation(py)?;
        let next_hop = simulation.engine.net.next_hop_over(link);
        simulation.engine.net.nodes[self.0.id.0 as usize].set_default_next_hop(next_hop);
        Ok(())
    }

    /// Sends the packets of one flow over this link: `flow` is source, destination and flow id.
    fn set_flow_route(&self, py: Python, flow: (i32, i32, i32), link: &Link) -> PyResult<()> {
        let link = self.0.other(&link.0)?;
        let mut simulation = self.0.simulation(py)?;
        simulation.check_node(u32::try_from(flow.1).map_err(|_| no_such("node", flow.1 as u32))?)?;
        let next_hop = simulation.engine.net.next_hop_over(link);
        simulation.engine.net.nodes[self.0.id.0 as usize].set_flow_next_hop(flow, next_hop);
        Ok(())
    }

    /// A new turn: links that packets take one after the other. Its number.
    fn add_turn(&self, py: Python) -> PyResult<u32> {
        Ok(self.0.simulation(py)?.engine.net.nodes[self.0.id.0 as usize].add_turn())
    }

    /// Sets the links of a turn; `None` is passed over. `KeyError` for a turn that there is not.
    fn set_turn(&self, py: Python, turn: u32, links: Vec<Option<Py<Link>>>) -> PyResult<()> {
        let slots = links.iter().map(|link| link.as_ref().map(|link| self.0.other(&link.get().0)).transpose());
        let slots = slots.collect::<PyResult<Vec<_>>>()?;
        let known = self.0.simulation(py)?.engine.net.nodes[self.0.id.0 as usize].set_turn(turn, slots);
        if known { Ok(()) } else { Err(no_such("turn", turn)) }
    }

    /// Sets what traces call the node: an address in levels, `packed` where there is room for one number only.
    /// `ValueError` for a `text` that is too long.
    fn set_address(&self, py: Python, packed: i32, text: &str) -> PyResult<()> {
        if text.len() > Addresses::MAX_LENGTH {
            return Err(PyValueError::new_err(format!(
                "the address {text} is longer than {} letters",
                Addresses::MAX_LENGTH
            )));
        }
        self.0.simulation(py)?.recorder().addresses.set(self.0.id.0, packed, text);
        Ok(())
    }
}
