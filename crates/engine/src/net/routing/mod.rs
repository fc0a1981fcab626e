//! Static shortest-path routing (Dijkstra), with the tie-breaking of ns-2.
//!
//! Source: ns-2.35's `RouteLogic` (Dijkstra from every node over an adjacency matrix). Of nodes at equal distance the
//! smallest number is settled first. A path is replaced only by a strictly cheaper one.

pub mod hierarchical;
pub(crate) mod install_routes;

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// The source and the destination node of a link.
type Ends = (u32, u32);

/// Link costs, and the routes computed from them.
#[derive(Default)]
pub struct Routing {
    /// Sorted and unique; links added later are at the end until the next sort.
    links: Vec<Ends>,
    /// Costs other than 1, which is the usual cost.
    costs: HashMap<Ends, f64>,
    /// For each node the index of its first outgoing link; then the number of links.
    first_of: Vec<u32>,
    /// One more than the highest number of a node.
    nodes: u32,
}

#[derive(PartialEq)]
struct Reached {
    cost: f64,
    node: u32,
}

impl Eq for Reached {}
impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Reached) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Reached {
    fn cmp(&self, other: &Reached) -> Ordering {
        // Reversed, for a min-heap: nearest first, then smallest number.
        other.cost.total_cmp(&self.cost).then(other.node.cmp(&self.node))
    }
}

impl Routing {
    /// Adds a link with this cost, or replaces the cost of the present link.
    pub fn insert(&mut self, from: u32, to: u32, cost: f64) {
        self.nodes = self.nodes.max(from.max(to) + 1);
        self.links.push((from, to));
        if cost != 1.0 {
            self.costs.insert((from, to), cost);
        } else if !self.costs.is_empty() {
            self.costs.remove(&(from, to));
        }
    }

    /// Removes a link.
    pub fn remove(&mut self, from: u32, to: u32) {
        self.links.retain(|&link| link != (from, to));
        self.costs.remove(&(from, to));
        self.first_of.clear();
    }

    /// Sorts the links added since the last call.
    fn tidy_up(&mut self) {
        if self.first_of.last().is_some_and(|&known| known as usize == self.links.len()) {
            return;
        }
        self.links.sort_unstable();
        self.links.dedup();
        self.first_of.clear();
        for (place, &(from, _)) in self.links.iter().enumerate() {
            self.first_of.resize(self.first_of.len().max(from as usize + 1), place as u32);
        }
        self.first_of.resize(self.nodes as usize + 1, self.links.len() as u32);
    }

    fn cost(&self, link: Ends) -> f64 {
        if self.costs.is_empty() { 1.0 } else { self.costs.get(&link).copied().unwrap_or(1.0) }
    }

    /// The outgoing links of a node; the links must be sorted.
    fn leaving(&self, node: u32) -> &[Ends] {
        match self.first_of.get(node as usize..) {
            Some(&[first, end, ..]) => &self.links[first as usize..end as usize],
            _ => &[],
        }
    }

    /// Whether a node has a link other than back to `back`. Most nodes are hosts, and no path goes through them.
    fn leads_on(&self, node: u32, back: u32) -> bool {
        self.leaving(node).iter().any(|&(_, to)| to != back)
    }

    /// The only neighbour of `source`, if it has exactly one.
    pub fn only_neighbour(&mut self, source: u32) -> Option<u32> {
        self.tidy_up();
        match self.leaving(source) {
            &[(_, to)] if to != source => Some(to),
            _ => None,
        }
    }

    /// The next hop from `source` to every node; `None` where there is no route, and at the source itself.
    pub fn next_hops(&mut self, source: u32) -> Vec<Option<u32>> {
        self.tidy_up();
        let count = self.nodes as usize;
        let mut next = vec![None; count];
        let mut cost = vec![f64::INFINITY; count];
        let mut settled = vec![false; count];
        let mut heap = BinaryHeap::new();
        if (source as usize) < count {
            settled[source as usize] = true;
            for &link in self.leaving(source) {
                let (_, node) = link;
                if node != source {
                    cost[node as usize] = self.cost(link);
                    next[node as usize] = Some(node);
                    if self.leads_on(node, source) {
                        heap.push(Reached { cost: self.cost(link), node });
                    }
                }
            }
        }
        while let Some(Reached { cost: reached_cost, node }) = heap.pop() {
            if std::mem::replace(&mut settled[node as usize], true) || reached_cost > cost[node as usize] {
                continue;
            }
            for &link in self.leaving(node) {
                let (_, further) = link;
                let through = reached_cost + self.cost(link);
                if !settled[further as usize] && through < cost[further as usize] {
                    cost[further as usize] = through;
                    next[further as usize] = next[node as usize];
                    if self.leads_on(further, node) {
                        heap.push(Reached { cost: through, node: further });
                    }
                }
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_cost_of_a_link_counts() {
        let mut routing = Routing::default();
        for (from, to) in [(0, 2), (2, 1)] {
            routing.insert(from, to, 1.0);
        }
        // The path over node 2 costs 2.
        for (direct, over) in [(5.0, 2), (1.0, 1), (3.0, 2), (2.0, 1)] {
            routing.insert(0, 1, direct);
            assert_eq!(routing.next_hops(0)[1], Some(over), "a direct link of {direct}");
        }
        routing.insert(0, 1, 5.0);
        routing.remove(0, 2);
        assert_eq!(routing.next_hops(0)[1], Some(1));
        routing.remove(0, 1);
        routing.insert(0, 2, 1.0);
        routing.insert(0, 1, 1.0);
        assert_eq!(routing.next_hops(0)[1], Some(1), "a cost goes with its link");
    }
}
