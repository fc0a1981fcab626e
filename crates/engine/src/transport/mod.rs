//! The ends of conversations: who sends and receives, and how fast.
//!
//! [`agent`] has the trait of all agents, [`registry`] the table of them. [`tcp`] is today's TCP. [`compat`] reproduces the
//! senders and receivers of old simulators and kernels, a family to a folder. [`one_way`] is the sender that all of these
//! are built on. A congestion control from outside the engine implements [`external_control::Control`].

pub mod admission;
pub mod agent;
pub mod compat;
pub mod external_control;
pub mod external_endpoint;
pub mod message;
pub mod one_way;
pub mod rap;
pub mod registry;
pub mod routing_messages;
pub mod tcp;
pub mod tfrc;
pub mod udp;
