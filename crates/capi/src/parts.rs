//! Numbers of the parts of a network, and the constants.

/// The number of a node: a host or a router.
pub type AckclockNode = u32;

/// The number of a link in one direction.
pub type AckclockLinkId = u32;

/// The number of a flow of the engine.
pub type AckclockFlowId = u32;

/// The number of an endpoint: the place of a node where your program sends and receives datagrams.
pub type AckclockEndpoint = u32;

/// The number of a flow between endpoints of your program, for the tables.
pub type AckclockExternalFlow = u32;

/// The time of what does not happen.
pub const ACKCLOCK_NEVER: u64 = u64::MAX;

/// ECN field of the IP header: not ECN-capable.
pub const ACKCLOCK_ECN_NOT_ECT: u8 = 0;

/// ECN field: ECT(1), the sender's response is scalable (RFC 9331).
pub const ACKCLOCK_ECN_ECT1: u8 = 1;

/// ECN field: ECT(0), ECN-capable.
pub const ACKCLOCK_ECN_ECT0: u8 = 2;

/// ECN field: congestion experienced.
pub const ACKCLOCK_ECN_CE: u8 = 3;
