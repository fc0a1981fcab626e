//! Nodes: a table of ways out and a table of ports.

use crate::link::LinkId;

/// Index of a node, which is also its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(pub u32);

/// Index of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentId(pub u32);

/// Who is at a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Port {
    /// Nobody ever was.
    #[default]
    Free,
    /// An agent.
    Agent(AgentId),
    /// Nobody any more: packets are thrown away.
    Left,
}

/// A node.
#[derive(Default)]
pub struct Node {
    routes: Vec<Option<LinkId>>,
    ports: Vec<Port>,
}

impl Node {
    /// The link towards a destination.
    #[inline]
    pub fn route(&self, destination: i32) -> Option<LinkId> {
        self.routes.get(destination as usize).copied().flatten()
    }

    /// Sets or clears the link towards a destination.
    pub fn set_route(&mut self, destination: NodeId, link: Option<LinkId>) {
        let index = destination.0 as usize;
        if self.routes.len() <= index {
            self.routes.resize(index + 1, None);
        }
        self.routes[index] = link;
    }

    /// Who is at a port.
    #[inline]
    pub fn at_port(&self, port: i32) -> Port {
        self.ports.get(port as usize).copied().unwrap_or_default()
    }

    /// Puts an agent at the lowest port where nobody is, which is returned.
    pub fn attach(&mut self, agent: AgentId) -> i32 {
        let free = self.ports.iter().position(|port| !matches!(port, Port::Agent(_)));
        let port = free.unwrap_or(self.ports.len());
        self.attach_at(agent, port as i32);
        port as i32
    }

    /// Puts an agent at a port.
    pub fn attach_at(&mut self, agent: AgentId, port: i32) {
        let index = port as usize;
        if self.ports.len() <= index {
            self.ports.resize(index + 1, Port::Free);
        }
        self.ports[index] = Port::Agent(agent);
    }

    /// Takes the agent off its port; packets for it are thrown away from now on.
    pub fn detach(&mut self, port: i32) {
        if let Some(slot) = self.ports.get_mut(port as usize) {
            *slot = Port::Left;
        }
    }
}
