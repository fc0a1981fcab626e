//! Reasons why a simulation stops with an error.

/// Why a simulation cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulationError {
    /// A node has no route to a packet's destination.
    NoRoute {
        /// The node where the packet is.
        node: u32,
        /// The packet's destination.
        destination: i32,
    },
    /// There is no agent at a packet's destination port.
    NoAgent {
        /// The node.
        node: u32,
        /// The port.
        port: i32,
    },
    /// A component failed; the text has the reason.
    Broken(String),
    /// An invariant was violated ([`crate::invariants`]): the simulator or a user-defined component has an error.
    Invariant(String),
    /// A limit was exceeded; the text says which.
    Limit(String),
}

impl std::fmt::Display for SimulationError {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            SimulationError::NoRoute { node, destination } => {
                write!(out, "node {node} has no route to node {destination}")
            }
            SimulationError::NoAgent { node, port } => write!(out, "node {node} has no agent at port {port}"),
            SimulationError::Broken(what) | SimulationError::Limit(what) => out.write_str(what),
            SimulationError::Invariant(what) => write!(out, "invariant violated: {what}"),
        }
    }
}
