//! The description of a network, and how its parts are numbered.

use ackclock::{Endpoint, ExternalFlow, FlowId, LinkId, Network, NodeId};

use crate::boundary::Breaks;

/// The library's numbers of the parts, in the order of C's.
#[derive(Clone, Default)]
pub(crate) struct Parts {
    pub nodes: Vec<NodeId>,
    pub links: Vec<LinkId>,
    pub flows: Vec<FlowId>,
    pub endpoints: Vec<Endpoint>,
    pub external_flows: Vec<ExternalFlow>,
}

/// The description of a network: nodes, links, flows and endpoints.
#[derive(Default)]
pub struct AckclockNetwork {
    pub(crate) network: Network,
    pub(crate) parts: Parts,
    pub(crate) broken: Option<String>,
}

impl Breaks for AckclockNetwork {
    fn broken(&mut self) -> &mut Option<String> {
        &mut self.broken
    }
}
