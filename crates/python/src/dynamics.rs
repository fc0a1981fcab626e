//! Links that fail and recover, and routes that change.

use ackclock_engine::node::Way;
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::simulation::Simulation;

#[pymethods]
impl Simulation {
    /// Whether packets pass a link's gate, if one is tapped into it.
    fn set_link_up(&mut self, link: u32, is_up: bool) -> PyResult<()> {
        let link = self.check_link(link)?;
        self.engine.net.links[link.0 as usize].is_up = is_up;
        Ok(())
    }

    /// Whether what a link's gate refuses goes the way of lost packets.
    fn set_reports_refused(&mut self, link: u32, reports: bool) -> PyResult<()> {
        let link = self.check_link(link)?;
        self.engine.net.links[link.0 as usize].reports_refused = reports;
        Ok(())
    }

    /// Loses every packet on a link's wire.
    fn cut_wire(&mut self, link: u32) -> PyResult<()> {
        let link = self.check_link(link)?;
        self.engine.net.cut_wire(link);
        Ok(())
    }

    /// From now on a node throws away packets for a destination.
    fn discard_route(&mut self, node: u32, destination: u32) -> PyResult<()> {
        let (node, destination) = (self.check_node(node)?, self.check_node(destination)?);
        self.engine.net.nodes[node.0 as usize].set_way(destination, Way::Discard);
        Ok(())
    }

    /// A new turn of a node: links that packets take one after the other; its number.
    fn add_turn(&mut self, node: u32) -> PyResult<u32> {
        let node = self.check_node(node)?;
        Ok(self.engine.net.nodes[node.0 as usize].add_turn())
    }

    /// The links of a node's turn from now on; `None` is passed over.
    fn set_turn(&mut self, node: u32, turn: u32, links: Vec<Option<u32>>) -> PyResult<()> {
        let node = self.check_node(node)?;
        let slots = links.into_iter().map(|link| link.map(|link| self.check_link(link)).transpose());
        let slots = slots.collect::<PyResult<Vec<_>>>()?;
        let known = self.engine.net.nodes[node.0 as usize].set_turn(turn, slots);
        if known { Ok(()) } else { Err(no_such("turn", turn)) }
    }

    /// From now on packets for a destination take the links of a turn.
    fn route_in_turn(&mut self, node: u32, destination: u32, turn: u32) -> PyResult<()> {
        let (node, destination) = (self.check_node(node)?, self.check_node(destination)?);
        self.engine.net.nodes[node.0 as usize].set_way(destination, Way::InTurn(turn));
        Ok(())
    }
}
