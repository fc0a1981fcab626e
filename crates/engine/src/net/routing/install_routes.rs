//! Every node's ways, from the routes: which link leads to the next node.

use std::cmp::Reverse;

use crate::net::link::LinkId;
use crate::net::node::{NextHop, NodeId};
use crate::sim::Simulation;

impl Simulation {
    /// Sets every node's routes from the costs. The last link made between two nodes is the one used.
    pub fn install_routes(&mut self) {
        for lan in &mut self.net.lans {
            lan.toward = self.routing.next_hops(lan.node);
        }
        let count = self.net.nodes.len() as u32;
        let links = self.links_by_ends();
        let mut reaches_all = vec![false; count as usize];
        let mut rest = &links[..];
        while let Some((source, leaving)) = self.links_of_first(&mut rest) {
            if self.routing.only_neighbour(source).is_none() {
                let next = self.routing.next_hops(source);
                reaches_all[source as usize] = self.install_at(source, next, leaving) == count - 1;
            }
        }
        let mut rest = &links[..];
        while let Some((source, leaving)) = self.links_of_first(&mut rest) {
            let Some(neighbour) = self.routing.only_neighbour(source) else { continue };
            let only = leaving.iter().copied().find(|&link| self.net.links[link.0 as usize].to == neighbour);
            match only {
                Some(link) if reaches_all[neighbour as usize] => {
                    let next_hop = self.net.next_hop_over(link);
                    self.net.nodes[source as usize].set_only_next_hop(next_hop, count);
                }
                _ => {
                    let next = self.routing.next_hops(source);
                    self.install_at(source, next, leaving);
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
        let links = self.links_by_ends();
        let mut rest = &links[..];
        while let Some((source, leaving)) = self.links_of_first(&mut rest) {
            if let Some(next) = next_hops.get_mut(source as usize) {
                self.install_at(source, std::mem::take(next), leaving);
            }
        }
    }

    /// All links in the order of the nodes that they join; of those between the same two the last one comes first.
    fn links_by_ends(&self) -> Vec<LinkId> {
        let mut links: Vec<LinkId> = (0..self.net.links.len() as u32).map(LinkId).collect();
        links.sort_unstable_by_key(|link| {
            let ends = &self.net.links[link.0 as usize];
            (ends.from, ends.to, Reverse(link.0))
        });
        links
    }

    /// Takes those off that leave the same node as the first: the node, and they.
    fn links_of_first<'a>(&self, rest: &mut &'a [LinkId]) -> Option<(u32, &'a [LinkId])> {
        let from = |link: &LinkId| self.net.links[link.0 as usize].from;
        let source = from(rest.first()?);
        let count = rest.iter().take_while(|link| from(link) == source).count();
        Some((source, rest.split_off(..count)?))
    }

    /// Sets one node's routes, over the links that leave it; to how many others it has a way.
    fn install_at(&mut self, source: u32, next: Vec<Option<u32>>, leaving: &[LinkId]) -> u32 {
        let mut over = vec![NextHop::Unknown; self.net.nodes.len()];
        for &link in leaving.iter().rev() {
            over[self.net.links[link.0 as usize].to as usize] = self.net.next_hop_over(link);
        }
        let node = &mut self.net.nodes[source as usize];
        node.reserve_routes(next.len());
        let mut count = 0;
        for (destination, next) in (0..).zip(next) {
            // A destination that cannot be reached any more keeps its old way, as in ns-2.
            let next_hop = next.and_then(|next| over.get(next as usize)).copied().unwrap_or_default();
            if next_hop != NextHop::Unknown {
                node.set_next_hop(NodeId(destination), next_hop);
                count += 1;
            }
        }
        count
    }
}
