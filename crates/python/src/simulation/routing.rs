//! Addresses in levels, the routes that follow from them, and default routes.

use ackclock_trace::addresses::Addresses;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::simulation::Simulation;

#[pymethods]
impl Simulation {
    /// By node, the next node on the way to every other, in a network of addresses (domain, cluster, node) and links (from,
    /// to, cost).
    #[staticmethod]
    fn hierarchical_next_hops(places: Vec<[u32; 3]>, links: Vec<(u32, u32, f64)>) -> PyResult<Vec<Vec<Option<u32>>>> {
        if let Some(node) = links.iter().flat_map(|&(from, to, _)| [from, to]).find(|&end| end as usize >= places.len())
        {
            return Err(no_such("node", node));
        }
        Ok(ackclock_engine::net::routing::hierarchical::next_hops(&places, &links))
    }

    /// Sets every node's routes: by node, the next node on the way to every other.
    fn install_next_hops(&mut self, next_hops: Vec<Vec<Option<u32>>>) -> PyResult<()> {
        if next_hops.len() > self.engine.net.nodes.len() {
            return Err(no_such("node", self.engine.net.nodes.len() as u32));
        }
        self.engine.net.install_next_hops(next_hops);
        Ok(())
    }

    /// Where a node's packets of one conversation go: those of a flow id from one node to another.
    fn give_route(&mut self, node: u32, conversation: (i32, i32, i32), link: u32) -> PyResult<()> {
        let (node, link) = (self.check_node(node)?, self.check_link(link)?);
        self.check_node(u32::try_from(conversation.1).map_err(|_| no_such("node", conversation.1 as u32))?)?;
        let way = self.engine.net.next_hop_over(link);
        self.engine.net.nodes[node.0 as usize].set_flow_next_hop(conversation, way);
        Ok(())
    }

    /// Where a node's packets go for whose destination no other route is set.
    fn set_default_route(&mut self, node: u32, link: u32) -> PyResult<()> {
        let (node, link) = (self.check_node(node)?, self.check_link(link)?);
        let way = self.engine.net.next_hop_over(link);
        self.engine.net.nodes[node.0 as usize].set_default_next_hop(way);
        Ok(())
    }

    /// What traces call a node from now on: an address in levels, `packed` where there is room for one number only.
    fn set_address(&mut self, node: u32, packed: i32, text: &str) -> PyResult<()> {
        self.check_node(node)?;
        if text.len() > Addresses::MOST {
            return Err(PyValueError::new_err(format!(
                "the address {text} is longer than {} letters",
                Addresses::MOST
            )));
        }
        self.recorder().addresses.set(node, packed, text);
        Ok(())
    }
}
