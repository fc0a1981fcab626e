//! Indices of the network's parts. They are in a file of their own because the parts refer to each other.

/// Index of a node, which is also its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Index of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentId(pub u32);

/// Index of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub u32);

/// Index of an error module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorsId(pub u32);

/// Index of a part of links that were taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartId(pub u32);

/// Index of a delay box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxId(pub u32);
