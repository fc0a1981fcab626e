//! What happens to a packet on its path: links, nodes, LANs, delay boxes. Methods of [`Network`](super::Network).
//!
//! [The path of a packet](https://github.com/ackclock/ackclock/blob/main/docs/packet-path.md) has a diagram.

mod delay_box;
mod delayer;
mod ethernet;
mod failure;
mod fast;
mod forwarding;
mod hooks;
mod lan;
mod link;
mod monitor_hooks;
mod multicast;
mod parts;
mod quick_start;
mod statistics;
mod token_bucket;
mod trace_driven;
mod wifi;
