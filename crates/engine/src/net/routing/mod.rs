//! Static routes: the cheapest way, ties broken as ns-2 breaks them.
//!
//! Source: ns-2.35's `RouteLogic` (Dijkstra from every node over an adjacency matrix). Among nodes equally far the one
//! with the smallest number is settled first, and a way found first stays unless a strictly cheaper one comes.

pub mod hierarchical;
pub(crate) mod install_routes;

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// The nodes that a link comes from and goes to.
type Ends = (u32, u32);

/// Costs of the links, and the routes that follow from them.
#[derive(Default)]
pub struct Routing {
    /// In order, each once; those that came since, behind them.
    links: Vec<Ends>,
    /// What those cost that do not cost 1. Most do.
    costs: HashMap<Ends, f64>,
    /// For each node the place of the first that leaves it, and the place behind all.
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
        // Reversed: the heap gives the nearest first, and of equally near ones the smallest number.
        other.cost.total_cmp(&self.cost).then(other.node.cmp(&self.node))
    }
}

impl Routing {
    /// A link of this cost goes from one node to another; a second one between the same two replaces it.
    pub fn insert(&mut self, from: u32, to: u32, cost: f64) {
        self.nodes = self.nodes.max(from.max(to) + 1);
        self.links.push((from, to));
        if cost != 1.0 {
            self.costs.insert((from, to), cost);
        } else if !self.costs.is_empty() {
            self.costs.remove(&(from, to));
        }
    }

    /// No link goes from one node to another any more.
    pub fn remove(&mut self, from: u32, to: u32) {
        self.links.retain(|&link| link != (from, to));
        self.costs.remove(&(from, to));
        self.first_of.clear();
    }

    /// Puts what came since the last time into its order.
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

    /// The links that leave a node, which are tidy.
    fn leaving(&self, node: u32) -> &[Ends] {
        match self.first_of.get(node as usize..) {
            Some(&[first, end, ..]) => &self.links[first as usize..end as usize],
            _ => &[],
        }
    }

    /// Whether links of a node go anywhere but back. Most nodes are hosts, to which a way may lead but not beyond.
    fn leads_on(&self, node: u32, back: u32) -> bool {
        self.leaving(node).iter().any(|&(_, to)| to != back)
    }

    /// The node that every way from `source` leads over, if there is only one that it has a link to.
    pub fn only_neighbour(&mut self, source: u32) -> Option<u32> {
        self.tidy_up();
        match self.leaving(source) {
            &[(_, to)] if to != source => Some(to),
            _ => None,
        }
    }

    /// The next node on the way from `source` to every node, `None` where there is no way and at the source itself.
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
        // Over node 2 the way costs 2.
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
