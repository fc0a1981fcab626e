//! What the tables of a run count.

use ackclock_engine::net::link::LinkId;
use ackclock_engine::net::node::AgentId;

/// The agents of the flows, and the links.
#[derive(Default)]
pub struct Counted {
    pub senders: Vec<AgentId>,
    pub receivers: Vec<AgentId>,
    /// The agents that end a flow when all their data is acknowledged.
    pub awaited: Vec<AgentId>,
    pub links: Vec<LinkId>,
}
