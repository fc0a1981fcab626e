//! Static routes: the cheapest way, ties broken as ns-2 breaks them.
//!
//! Source: ns-2.35's `RouteLogic` (Dijkstra from every node over an adjacency matrix). Among nodes equally far the one
//! with the smallest number is settled first, and a way found first stays unless a strictly cheaper one comes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Costs of the links, and the routes that follow from them.
#[derive(Default)]
pub struct Routing {
    /// For each node: (neighbour, cost).
    neighbours: Vec<Vec<(u32, f64)>>,
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
        let most = from.max(to) as usize;
        if self.neighbours.len() <= most {
            self.neighbours.resize(most + 1, Vec::new());
        }
        let neighbours = &mut self.neighbours[from as usize];
        match neighbours.binary_search_by_key(&to, |&(node, _)| node) {
            Ok(place) => neighbours[place].1 = cost,
            Err(place) => {
                if neighbours.is_empty() {
                    // Most nodes are hosts, with one link.
                    neighbours.reserve_exact(1);
                }
                neighbours.insert(place, (to, cost));
            }
        }
    }

    /// No link goes from one node to another any more.
    pub fn remove(&mut self, from: u32, to: u32) {
        if let Some(neighbours) = self.neighbours.get_mut(from as usize) {
            neighbours.retain(|&(node, _)| node != to);
        }
    }

    /// The node that every way from `source` leads over, if there is only one that it has a link to.
    pub fn only_neighbour(&self, source: u32) -> Option<u32> {
        match self.neighbours.get(source as usize)?[..] {
            [(node, _)] if node != source => Some(node),
            _ => None,
        }
    }

    /// The next node on the way from `source` to every node, `None` where there is no way and at the source itself.
    pub fn next_hops(&self, source: u32) -> Vec<Option<u32>> {
        let count = self.neighbours.len();
        let mut next = vec![None; count];
        let mut cost = vec![f64::INFINITY; count];
        let mut settled = vec![false; count];
        let mut heap = BinaryHeap::new();
        if (source as usize) < count {
            settled[source as usize] = true;
            for &(node, link_cost) in &self.neighbours[source as usize] {
                if node != source {
                    cost[node as usize] = link_cost;
                    next[node as usize] = Some(node);
                    heap.push(Reached { cost: link_cost, node });
                }
            }
        }
        while let Some(Reached { cost: reached_cost, node }) = heap.pop() {
            if std::mem::replace(&mut settled[node as usize], true) || reached_cost > cost[node as usize] {
                continue;
            }
            for &(further, link_cost) in &self.neighbours[node as usize] {
                let through = reached_cost + link_cost;
                if !settled[further as usize] && through < cost[further as usize] {
                    cost[further as usize] = through;
                    next[further as usize] = next[node as usize];
                    heap.push(Reached { cost: through, node: further });
                }
            }
        }
        next
    }
}
