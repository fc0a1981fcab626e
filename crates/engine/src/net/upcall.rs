//! Notifications from an agent to its owner.

use crate::net::ids::AgentId;

/// A notification from an agent to its application or to the caller of [`crate::sim::Simulation::run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upcall {
    /// The agent has sent all data that it was given.
    Idle(AgentId),
    /// The agent has received this many bytes in order.
    Received(AgentId, i32),
    /// The agent found a gap in the data that it receives.
    Lost(AgentId),
    /// All data of the agent is acknowledged, or its connection is closed.
    Done(AgentId),
    /// The agent's buffer is empty; sent on request only.
    Emptied(AgentId),
    /// A datagram with a text has arrived.
    Message(AgentId),
    /// A segment without a byte has arrived, which ns-2's sinks report.
    NoBytes(AgentId),
    /// A duplicate was reported in the only SACK block that an ACK may have, which ns-2's sinks report.
    OneBlock(AgentId),
}

impl Upcall {
    /// The agent that sends it.
    pub fn agent(self) -> AgentId {
        match self {
            Upcall::Idle(agent)
            | Upcall::Received(agent, _)
            | Upcall::Lost(agent)
            | Upcall::Done(agent)
            | Upcall::Emptied(agent)
            | Upcall::Message(agent)
            | Upcall::NoBytes(agent)
            | Upcall::OneBlock(agent) => agent,
        }
    }

    /// The notification of this agent with this name.
    pub fn named(word: &str, agent: AgentId) -> Option<Upcall> {
        Some(match word {
            "idle" => Upcall::Idle(agent),
            "received" => Upcall::Received(agent, 0),
            "lost" => Upcall::Lost(agent),
            "done" => Upcall::Done(agent),
            "emptied" => Upcall::Emptied(agent),
            "message" => Upcall::Message(agent),
            "no_bytes" => Upcall::NoBytes(agent),
            "one_block" => Upcall::OneBlock(agent),
            _ => return None,
        })
    }

    /// One bit per kind.
    #[inline]
    pub(crate) const fn bit(self) -> u8 {
        match self {
            Upcall::Idle(_) => 1,
            Upcall::Received(..) => 2,
            Upcall::Lost(_) => 4,
            Upcall::Done(_) => 8,
            Upcall::Emptied(_) => 16,
            Upcall::Message(_) => 32,
            Upcall::NoBytes(_) => 64,
            Upcall::OneBlock(_) => 128,
        }
    }
}
