//! Installs the computed routes in the nodes: maps next nodes to links.

use std::cmp::Reverse;

use crate::net::Network;
use crate::net::link::LinkId;
use crate::net::node::{NextHop, NodeId};
use crate::net::routing::Routing;

impl Network {
    /// Sets the routes of every node from the link costs. Of several links between two nodes the one made last is
    /// used.
    pub(crate) fn install_routes(&mut self, routing: &mut Routing) {
        for lan in &mut self.lans {
            lan.toward = routing.next_hops(lan.node);
        }
        let count = self.nodes.len() as u32;
        let links = self.links_by_ends();
        let mut reaches_all = vec![false; count as usize];
        let mut rest = &links[..];
        while let Some((source, leaving)) = self.links_of_first(&mut rest) {
            if routing.only_neighbour(source).is_none() {
                let next = routing.next_hops(source);
                reaches_all[source as usize] = self.install_at(source, next, leaving) == count - 1;
            }
        }
        let mut rest = &links[..];
        while let Some((source, leaving)) = self.links_of_first(&mut rest) {
            let Some(neighbour) = routing.only_neighbour(source) else { continue };
            let only = leaving.iter().copied().find(|&link| self.links[link.0 as usize].to == neighbour);
            match only {
                Some(link) if reaches_all[neighbour as usize] => {
                    let next_hop = self.next_hop_over(link);
                    self.nodes[source as usize].set_only_next_hop(next_hop, count);
                }
                _ => {
                    let next = routing.next_hops(source);
                    self.install_at(source, next, leaving);
                }
            }
        }
    }

    /// Sets the routes of every node and LAN from given next hops, indexed by node and destination.
    pub fn install_next_hops(&mut self, mut next_hops: Vec<Vec<Option<u32>>>) {
        for lan in &mut self.lans {
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

    /// All links sorted by their nodes; of links between the same two nodes the last one comes first.
    fn links_by_ends(&self) -> Vec<LinkId> {
        let mut links: Vec<LinkId> = (0..self.links.len() as u32).map(LinkId).collect();
        links.sort_unstable_by_key(|link| {
            let ends = &self.links[link.0 as usize];
            (ends.from, ends.to, Reverse(link.0))
        });
        links
    }

    /// Takes all links of the first node from the front of `rest`: returns the node and its links.
    fn links_of_first<'a>(&self, rest: &mut &'a [LinkId]) -> Option<(u32, &'a [LinkId])> {
        let from = |link: &LinkId| self.links[link.0 as usize].from;
        let source = from(rest.first()?);
        let count = rest.iter().take_while(|link| from(link) == source).count();
        Some((source, rest.split_off(..count)?))
    }

    /// Sets the routes of one node over its outgoing links; returns the number of reachable destinations.
    fn install_at(&mut self, source: u32, next: Vec<Option<u32>>, leaving: &[LinkId]) -> u32 {
        let mut over = vec![NextHop::Unknown; self.nodes.len()];
        for &link in leaving.iter().rev() {
            over[self.links[link.0 as usize].to as usize] = self.next_hop_over(link);
        }
        let node = &mut self.nodes[source as usize];
        node.reserve_routes(next.len());
        let mut count = 0;
        for (destination, next) in (0..).zip(next) {
            // As in ns-2, an unreachable destination keeps its old route.
            let next_hop = next.and_then(|next| over.get(next as usize)).copied().unwrap_or_default();
            if next_hop != NextHop::Unknown {
                node.set_next_hop(NodeId(destination), next_hop);
                count += 1;
            }
        }
        count
    }
}
