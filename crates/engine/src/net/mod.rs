//! The network: nodes, links, packets, timers, and the path of a packet through them.
//!
//! Agents and applications are not part of it. [`Network`] is their interface to the rest of the simulation.
//!
//! [`Network`] has the state. Each part has its data in one file here ([`node`], [`link`], [`lan`], ...). What these
//! parts do to packets is in `packet_path`, which depends on the data, not the other way round.

pub mod delay_box;
mod error;
pub mod ids;
pub mod lan;
pub mod link;
pub mod multicast;
mod network;
pub mod node;
mod packet_path;
pub mod quick_start;
pub mod routing;
pub mod shared_state;
pub mod token_bucket;
mod upcall;

pub use error::SimulationError;
pub use network::Network;
pub(crate) use network::rare_news;
pub use upcall::Upcall;
