//! Links that fail and recover or hold packets back, and routes that change.

use ackclock_engine::net::link::delayer::Spells;
use ackclock_engine::net::link::trace_driven::DeliveryTrace;
use ackclock_engine::net::node::NextHop;
use ackclock_engine::random::random_variable::VariableId;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::simulation::Simulation;

impl Simulation {
    fn spells(&self, interval: u32, length: u32) -> PyResult<Spells> {
        let known = self.engine.net.rng.variables.len();
        match [interval, length].into_iter().find(|&variable| variable as usize >= known) {
            Some(variable) => Err(no_such("random variable", variable)),
            None => Ok(Spells { interval: VariableId(interval), length: VariableId(length) }),
        }
    }
}

#[pymethods]
impl Simulation {
    /// The clock starts again at 0 and nothing is pending any more; uids and random numbers go on.
    fn restart_clock(&mut self) {
        self.engine.restart_clock();
    }

    /// Puts a delayer behind a link's queue, unless it has one. Whether it had none.
    fn insert_delayer(&mut self, link: u32) -> PyResult<bool> {
        let link = self.check_link(link)?;
        Ok(self.engine.net.insert_delayer(link))
    }

    /// A channel that was not used for a random while takes another random while to be allocated.
    fn set_allocation(&mut self, link: u32, interval: u32, length: u32) -> PyResult<()> {
        let (link, spells) = (self.check_link(link)?, self.spells(interval, length)?);
        self.engine.net.set_allocation(link, spells);
        Ok(())
    }

    /// Delay spikes of random lengths come after random intervals.
    fn set_spikes(&mut self, link: u32, interval: u32, length: u32) -> PyResult<()> {
        let (link, spells) = (self.check_link(link)?, self.spells(interval, length)?);
        self.engine.net.set_spikes(link, spells);
        Ok(())
    }

    /// A delay spike begins or ends by hand.
    fn set_spike(&mut self, link: u32, begins: bool) -> PyResult<()> {
        let link = self.check_link(link)?;
        self.engine.net.set_spike(link, begins);
        Ok(())
    }

    /// The link sends at opportunities only, each of 1504 bytes; their times in s, the last one being the period's length.
    fn set_deliveries(&mut self, link: u32, at_s: Vec<f64>) -> PyResult<()> {
        let link = self.check_link(link)?;
        let deliveries = DeliveryTrace::new(at_s).map_err(PyValueError::new_err)?;
        self.engine.net.set_delivery_trace(link, deliveries);
        Ok(())
    }

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
        self.engine.net.nodes[node.0 as usize].set_next_hop(destination, NextHop::Discard);
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
        self.engine.net.nodes[node.0 as usize].set_next_hop(destination, NextHop::RoundRobin(turn));
        Ok(())
    }
}
