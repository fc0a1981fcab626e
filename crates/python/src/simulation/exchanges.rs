//! The state of the requests and responses of a described run.

use std::collections::HashMap;

use ackclock_engine::app::request_response::RequestResponse;
use ackclock_engine::net::node::AgentId;

/// All exchanges, and the exchange of each agent.
#[derive(Default)]
pub struct Exchanges {
    pub all: Vec<Ends>,
    pub of_agent: HashMap<u32, usize>,
}

/// An exchange and its two ends.
pub struct Ends {
    pub exchange: RequestResponse,
    pub client: AgentId,
    pub server: AgentId,
}
