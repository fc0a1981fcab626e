//! Hierarchical routing with three address levels: domain, cluster, node.
//!
//! Source: ns-2's manual, chapter on hierarchical routing. Details that the manual omits were found from next hops
//! that ns-2.35 prints for random networks. A node has routes to the nodes of its cluster, the other clusters of its
//! domain, and the other domains. A path leaves a cluster over any link that leads on. From there it is computed
//! between clusters, or between domains, as if each were one node. So it need not be the shortest path, and a path
//! between nodes of a cluster never leaves the cluster.

use std::collections::BTreeMap;

use crate::net::routing::Routing;

/// Domain, cluster of the domain, node of the cluster.
pub type HierarchicalAddress = [u32; 3];

/// The destinations in a cluster's routing table, by number: nodes first, then clusters, then domains. ns-2 breaks
/// ties of equal cost in this order.
struct Points {
    nodes: u32,
    clusters: u32,
}

impl Points {
    fn cluster(&self, [_, cluster, _]: HierarchicalAddress) -> u32 {
        self.nodes + cluster
    }

    fn domain(&self, [domain, ..]: HierarchicalAddress) -> u32 {
        self.nodes + self.clusters + domain
    }

    /// The entry for `there` in the table of the nodes at `here`.
    fn known(&self, here: HierarchicalAddress, there: HierarchicalAddress) -> u32 {
        if here[0] != there[0] {
            self.domain(there)
        } else if here[1] != there[1] {
            self.cluster(there)
        } else {
            there[2]
        }
    }
}

/// For each node the next hop to every other node; `None` where there is no route, and at the node itself. Links are
/// (from, to, cost); nodes are given by their index in `places`. Of several links from a node to the same table entry
/// the last one is used.
pub fn next_hops(places: &[HierarchicalAddress], links: &[(u32, u32, f64)]) -> Vec<Vec<Option<u32>>> {
    let most = |of: &dyn Fn(&HierarchicalAddress) -> u32, among: &dyn Fn(&HierarchicalAddress) -> bool| {
        places.iter().filter(|place| among(place)).map(of).max().map_or(0, |most| most + 1)
    };
    let mut tables = BTreeMap::new();
    for &[domain, cluster, _] in places {
        tables.entry([domain, cluster]).or_insert_with(|| {
            let nodes = most(&|place| place[2], &|place| place[..2] == [domain, cluster]);
            let clusters = most(&|place| place[1], &|place| place[0] == domain);
            (Points { nodes, clusters }, Routing::default())
        });
    }
    // The neighbour over which a node reaches an entry of its table.
    let mut doors = BTreeMap::new();
    for &(from, to, cost) in links {
        let (here, there) = (places[from as usize], places[to as usize]);
        for (&[domain, cluster], (points, table)) in &mut tables {
            let is_home = [domain, cluster] == here[..2];
            if here[0] != there[0] {
                table.insert(points.domain(here), points.domain(there), cost);
                if domain == here[0] {
                    table.insert(points.cluster(here), points.domain(there), cost);
                }
            } else if domain == here[0] && here[1] != there[1] {
                table.insert(points.cluster(here), points.cluster(there), cost);
            }
            if is_home {
                let point = points.known(here, there);
                table.insert(here[2], point, cost);
                doors.insert((from, point), to);
            }
        }
    }
    let ways = |(source, &here): (usize, &HierarchicalAddress)| {
        let (points, table) = tables.get_mut(&[here[0], here[1]]).expect("each cluster has a table");
        let next = table.next_hops(here[2]);
        let hop = |(target, &there): (usize, &HierarchicalAddress)| {
            let point = next.get(points.known(here, there) as usize).copied().flatten()?;
            if target == source { None } else { doors.get(&(source as u32, point)).copied() }
        };
        places.iter().enumerate().map(hop).collect()
    };
    places.iter().enumerate().map(ways).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both directions of each link, in the order given.
    fn both(links: &[(u32, u32, f64)]) -> Vec<(u32, u32, f64)> {
        links.iter().flat_map(|&(from, to, cost)| [(from, to, cost), (to, from, cost)]).collect()
    }

    #[test]
    fn the_manuals_example() {
        // The network of ns-2's example hier-rtg-10.tcl, and the first row that `dump-routelogic-nh` prints of it.
        let places = [
            [0, 0, 0],
            [0, 0, 1],
            [0, 1, 0],
            [0, 1, 1],
            [0, 1, 2],
            [1, 0, 0],
            [1, 0, 1],
            [1, 1, 0],
            [1, 1, 1],
            [1, 1, 2],
        ];
        let ends = [(0, 1), (1, 2), (2, 3), (2, 4), (1, 5), (5, 6), (6, 7), (7, 8), (8, 9)];
        let links = both(&ends.map(|(from, to)| (from, to, 1.0)));
        let hops = next_hops(&places, &links);
        let row = |node: usize| hops[node].iter().map(|hop| hop.map_or(-1, i64::from)).collect::<Vec<_>>();
        assert_eq!(row(1), [0, -1, 2, 2, 2, 5, 5, 5, 5, 5]);
        assert_eq!(row(2), [1, 1, -1, 3, 4, 1, 1, 1, 1, 1]);
        assert_eq!(row(7), [6, 6, 6, 6, 6, 6, 6, -1, 8, 8]);
    }

    #[test]
    fn a_way_within_a_cluster_stays_there() {
        // The path over cluster 1 costs 2; ns-2 uses the more expensive link.
        let places = [[0, 0, 0], [0, 0, 1], [0, 1, 0]];
        let hops = next_hops(&places, &both(&[(0, 1, 5.0), (0, 2, 1.0), (2, 1, 1.0)]));
        assert_eq!(hops[0], [None, Some(1), Some(2)]);
        assert_eq!(hops[2], [Some(1), Some(1), None]);
    }
}
