//! The description of a network.

use std::time::Duration;

use crate::flow::Flow;
use crate::ids::{Endpoint, FlowId, LinkId, NodeId};
use crate::link::Link;

/// Bytes of the headers of IPv4 and UDP.
const IPV4_UDP_HEADERS: u32 = 28;

/// The description of a network: nodes, links, flows and endpoints. [`Network::build`] makes the simulation.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) nodes: Vec<String>,
    pub(crate) links: Vec<(NodeId, NodeId, Link)>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) endpoints: Vec<NodeId>,
    pub(crate) seed: u64,
    pub(crate) header_bytes: u32,
    pub(crate) end: Option<Duration>,
}

impl Default for Network {
    fn default() -> Network {
        Network {
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            endpoints: Vec::new(),
            seed: 1,
            header_bytes: IPV4_UDP_HEADERS,
            end: None,
        }
    }
}

impl Network {
    /// An empty network.
    pub fn new() -> Network {
        Network::default()
    }

    /// The seed of all random numbers; 1 unless set. Each link and flow has a stream of its own, so that another flow does
    /// not change the draws of those that are there.
    pub fn seed(mut self, seed: u64) -> Network {
        self.seed = seed;
        self
    }

    /// Bytes of the headers of each datagram on the wire; 28 unless set, for IPv4 and UDP.
    pub fn header_bytes(mut self, bytes: u32) -> Network {
        self.header_bytes = bytes;
        self
    }

    /// The simulation ends at this time; never unless set.
    pub fn ends(mut self, at: Duration) -> Network {
        self.end = Some(at);
        self
    }

    /// Adds a node. Its name appears in errors.
    pub fn node(&mut self, name: &str) -> NodeId {
        self.nodes.push(name.into());
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds a link in one direction. Of several links between two nodes the last one is used.
    pub fn link(&mut self, from: NodeId, to: NodeId, link: Link) -> LinkId {
        self.links.push((from, to, link));
        LinkId(self.links.len() as u32 - 1)
    }

    /// Adds two links of a kind, one in each direction; returns them in this order: from the first node to the second, and
    /// back.
    pub fn duplex(&mut self, one: NodeId, other: NodeId, link: Link) -> [LinkId; 2] {
        [self.link(one, other, link.clone()), self.link(other, one, link)]
    }

    /// Adds a flow of the engine.
    pub fn flow(&mut self, flow: Flow) -> FlowId {
        self.flows.push(flow);
        FlowId(self.flows.len() as u32 - 1)
    }

    /// Adds an endpoint at a node.
    pub fn endpoint(&mut self, node: NodeId) -> Endpoint {
        self.endpoints.push(node);
        Endpoint(self.endpoints.len() as u32 - 1)
    }

    pub(crate) fn name(&self, node: NodeId) -> &str {
        &self.nodes[node.0 as usize]
    }

    /// `client -> server`, for messages and names of streams.
    pub(crate) fn link_name(&self, link: usize) -> String {
        let (from, to, _) = &self.links[link];
        format!("{} -> {}", self.name(*from), self.name(*to))
    }
}
