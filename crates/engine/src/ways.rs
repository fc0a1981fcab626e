//! Every node's ways, from the routes: which link leads to the next node.

use std::cmp::Reverse;

use crate::link::LinkId;
use crate::node::{NodeId, Way};
use crate::sim::Simulation;

/// A link by the nodes that it joins.
#[derive(Clone, Copy)]
struct Joined {
    from: u32,
    to: u32,
    link: LinkId,
}

impl Simulation {
    /// Sets every node's routes from the costs. The last link made between two nodes is the one used.
    pub fn install_routes(&mut self) {
        for lan in &mut self.net.lans {
            lan.toward = self.routing.next_hops(lan.node);
        }
        let count = self.net.nodes.len() as u32;
        let links = self.links_by_ends();
        let leaving = || links.chunk_by(|one, other| one.from == other.from);
        let mut reaches_all = vec![false; count as usize];
        for leaving in leaving() {
            let source = leaving[0].from;
            if self.routing.only_neighbour(source).is_none() {
                let next = self.routing.next_hops(source);
                reaches_all[source as usize] = self.install_ways(next, leaving) == count - 1;
            }
        }
        for leaving in leaving() {
            let source = leaving[0].from;
            let Some(neighbour) = self.routing.only_neighbour(source) else { continue };
            match leaving.iter().find(|joined| joined.to == neighbour) {
                Some(joined) if reaches_all[neighbour as usize] => {
                    let way = self.net.way_over(joined.link);
                    self.net.nodes[source as usize].set_only_way(way, count);
                }
                _ => {
                    let next = self.routing.next_hops(source);
                    self.install_ways(next, leaving);
                }
            }
        }
    }

    /// Sets every node's routes, and every shared medium's, from next hops found elsewhere: by node and destination.
    pub fn install_next_hops(&mut self, mut next_hops: Vec<Vec<Option<u32>>>) {
        for lan in &mut self.net.lans {
            if let Some(next) = next_hops.get_mut(lan.node as usize) {
                lan.toward = std::mem::take(next);
            }
        }
        for leaving in self.links_by_ends().chunk_by(|one, other| one.from == other.from) {
            if let Some(next) = next_hops.get_mut(leaving[0].from as usize) {
                self.install_ways(std::mem::take(next), leaving);
            }
        }
    }

    /// All links in the order of the nodes that they join; of those between the same two the last one comes first.
    fn links_by_ends(&self) -> Vec<Joined> {
        let numbered = self.net.links.iter().zip(0..);
        let mut links: Vec<Joined> =
            numbered.map(|(link, number)| Joined { from: link.from, to: link.to, link: LinkId(number) }).collect();
        links.sort_unstable_by_key(|joined| (joined.from, joined.to, Reverse(joined.link.0)));
        links
    }

    /// Sets the routes of the node that these links leave; to how many others it has a way.
    fn install_ways(&mut self, next: Vec<Option<u32>>, leaving: &[Joined]) -> u32 {
        let mut over = vec![Way::Unknown; self.net.nodes.len()];
        for joined in leaving.iter().rev() {
            over[joined.to as usize] = self.net.way_over(joined.link);
        }
        let node = &mut self.net.nodes[leaving[0].from as usize];
        let mut count = 0;
        for (destination, next) in (0..).zip(next) {
            // A destination that cannot be reached any more keeps its old way, as in ns-2.
            let way = next.and_then(|next| over.get(next as usize)).copied().unwrap_or_default();
            if way != Way::Unknown {
                node.set_way(NodeId(destination), way);
                count += 1;
            }
        }
        count
    }
}
