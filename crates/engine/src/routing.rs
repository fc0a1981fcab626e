//! Static routes: the cheapest way, ties broken as ns-2 breaks them.
//!
//! Source: ns-2.35's `RouteLogic` (Dijkstra from every node over an adjacency matrix). Among nodes equally far the one
//! with the smallest number is settled first, and a way found first stays unless a strictly cheaper one comes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What a link costs.
#[derive(Clone, Copy)]
struct Cost {
    from: u32,
    to: u32,
    cost: f64,
}

impl Cost {
    fn ends(&self) -> (u32, u32) {
        (self.from, self.to)
    }
}

/// Costs of the links, and the routes that follow from them.
#[derive(Default)]
pub struct Routing {
    /// In the order of their ends, each pair of ends once; those that came since, behind them.
    costs: Vec<Cost>,
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
        self.costs.push(Cost { from, to, cost });
    }

    /// No link goes from one node to another any more.
    pub fn remove(&mut self, from: u32, to: u32) {
        self.costs.retain(|link| link.ends() != (from, to));
        self.first_of.clear();
    }

    /// Puts what came since the last time into its order.
    fn tidy_up(&mut self) {
        if self.first_of.last().is_some_and(|&known| known as usize == self.costs.len()) {
            return;
        }
        // Stable, so that of two between the same nodes the later one is behind.
        self.costs.sort_by_key(Cost::ends);
        self.costs.dedup_by(|later, earlier| {
            let is_same = later.ends() == earlier.ends();
            if is_same {
                earlier.cost = later.cost;
            }
            is_same
        });
        self.first_of.clear();
        for (place, link) in self.costs.iter().enumerate() {
            self.first_of.resize(self.first_of.len().max(link.from as usize + 1), place as u32);
        }
        self.first_of.resize(self.nodes as usize + 1, self.costs.len() as u32);
    }

    /// Costs of the links that leave a node, which are tidy.
    fn leaving(&self, node: u32) -> &[Cost] {
        match self.first_of.get(node as usize..) {
            Some(&[first, end, ..]) => &self.costs[first as usize..end as usize],
            _ => &[],
        }
    }

    /// Whether links of a node go anywhere but back. Most nodes are hosts, to which a way may lead but not beyond.
    fn leads_on(&self, node: u32, back: u32) -> bool {
        self.leaving(node).iter().any(|link| link.to != back)
    }

    /// The node that every way from `source` leads over, if there is only one that it has a link to.
    pub fn only_neighbour(&mut self, source: u32) -> Option<u32> {
        self.tidy_up();
        match self.leaving(source) {
            [Cost { to, .. }] if *to != source => Some(*to),
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
            for &Cost { to: node, cost: link_cost, .. } in self.leaving(source) {
                if node != source {
                    cost[node as usize] = link_cost;
                    next[node as usize] = Some(node);
                    if self.leads_on(node, source) {
                        heap.push(Reached { cost: link_cost, node });
                    }
                }
            }
        }
        while let Some(Reached { cost: reached_cost, node }) = heap.pop() {
            if std::mem::replace(&mut settled[node as usize], true) || reached_cost > cost[node as usize] {
                continue;
            }
            for &Cost { to: further, cost: link_cost, .. } in self.leaving(node) {
                let through = reached_cost + link_cost;
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
