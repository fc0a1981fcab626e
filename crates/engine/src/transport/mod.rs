//! Transport: the agents that send and receive, and their congestion control.
//!
//! [`agent`] has the trait of all agents, [`registry`] the table of all agent types. [`tcp`] is today's TCP.
//! [`compat`] reproduces the senders and receivers of old simulators and kernels, one family per folder. [`one_way`] is
//! the base of all these senders. An external congestion control implements [`external_control::ExternalCongestionOps`].

pub mod admission;
pub mod agent;
pub(crate) mod base_delay;
pub mod compat;
pub mod external_control;
pub mod external_endpoint;
pub mod message;
pub mod multicast;
pub mod one_way;
pub mod rap;
pub mod registry;
pub mod routing_messages;
pub mod rtp;
pub mod tcp;
pub mod tfrc;
pub mod udp;
