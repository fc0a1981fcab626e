//! Numbers of the parts of a network.

/// A node: a host or a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// A link in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub(crate) u32);

/// A flow of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub(crate) u32);

/// An endpoint: the place of a node where your program sends and receives datagrams, as a socket's address.
///
/// Each endpoint has a port of its own. A queue discipline that separates flows takes two endpoints and the datagrams
/// between them for one flow, so give each connection endpoints of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint(pub(crate) u32);

/// A flow between two endpoints of your program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternalFlow(pub(crate) u32);
