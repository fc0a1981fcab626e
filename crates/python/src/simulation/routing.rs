//! The choice of routes. Nodes are told by their numbers, as the algorithms know nothing else of them.

use pyo3::prelude::*;

use crate::convert::no_such;
use crate::simulation::Simulation;

#[pymethods]
impl Simulation {
    /// Sets the cost of the link between two nodes.
    fn set_route_cost(&mut self, from_node: u32, to_node: u32, cost: f64) {
        self.engine.routing.insert(from_node, to_node, cost);
    }

    /// Takes the link between two nodes out of the choice of routes.
    fn remove_route_cost(&mut self, from_node: u32, to_node: u32) {
        self.engine.routing.remove(from_node, to_node);
    }

    /// The next node on the cheapest path from `source` to every other; `None` where there is no path.
    fn next_hops(&mut self, source: u32) -> Vec<Option<u32>> {
        self.engine.routing.next_hops(source)
    }

    /// Sets every node's routes from the costs. The last link made between two nodes is the one used.
    fn install_routes(&mut self) {
        self.engine.install_routes();
    }

    /// Sets every node's routes: by node, the next node on the way to every other. `KeyError` for more nodes than there are.
    fn install_next_hops(&mut self, next_hops: Vec<Vec<Option<u32>>>) -> PyResult<()> {
        if next_hops.len() > self.engine.net.nodes.len() {
            return Err(no_such("node", self.engine.net.nodes.len() as u32));
        }
        self.engine.net.install_next_hops(next_hops);
        Ok(())
    }

    /// By node, the next node on the way to every other, in a network of addresses (domain, cluster, node) and links (from,
    /// to, cost). `KeyError` for a link to a node that there is not.
    #[staticmethod]
    fn hierarchical_next_hops(places: Vec<[u32; 3]>, links: Vec<(u32, u32, f64)>) -> PyResult<Vec<Vec<Option<u32>>>> {
        if let Some(node) = links.iter().flat_map(|&(from, to, _)| [from, to]).find(|&end| end as usize >= places.len())
        {
            return Err(no_such("node", node));
        }
        Ok(ackclock_engine::net::routing::hierarchical::next_hops(&places, &links))
    }
}
