//! The description of a network.

use std::sync::Arc;
use std::time::Duration;

use crate::base::Base;
use crate::flow::Flow;
use crate::ids::{Endpoint, ExternalFlow, FlowId, LinkId, NodeId};
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
    /// Name, sender and receiver.
    pub(crate) external_flows: Vec<(String, Endpoint, Endpoint)>,
    /// 1, or the scenario's, unless set.
    pub(crate) seed: Option<u64>,
    pub(crate) header_bytes: u32,
    pub(crate) end: Option<Duration>,
    /// Its scenario, if it was described by one.
    pub(crate) base: Option<Arc<Base>>,
}

impl Default for Network {
    fn default() -> Network {
        Network {
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            endpoints: Vec::new(),
            external_flows: Vec::new(),
            seed: None,
            header_bytes: IPV4_UDP_HEADERS,
            end: None,
            base: None,
        }
    }
}

impl Network {
    /// An empty network.
    pub fn new() -> Network {
        Network::default()
    }

    /// The seed of all random numbers; unless set 1, or that of the scenario. Each link and flow has a stream of its own, so
    /// that another flow does not change the draws of those that are there.
    pub fn seed(mut self, seed: u64) -> Network {
        self.seed = Some(seed);
        self
    }

    /// Bytes of the headers of each datagram on the wire; 28 unless set, for IPv4 and UDP.
    pub fn header_bytes(mut self, bytes: u32) -> Network {
        self.header_bytes = bytes;
        self
    }

    /// The simulation ends at this time; unless set never, or with the duration of the scenario, which it cannot exceed.
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

    /// Names what goes from one endpoint to another as a flow. In the tables of a network of a scenario it has a row behind
    /// those of the scenario's flows. Each endpoint has at most one flow.
    pub fn external_flow(&mut self, name: &str, sender: Endpoint, receiver: Endpoint) -> ExternalFlow {
        self.external_flows.push((name.into(), sender, receiver));
        ExternalFlow(self.external_flows.len() as u32 - 1)
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
