//! Error modules on a link: the error model of each flow, and the packets that are held back.
//!
//! Source: ns-2.35's `ErrorModule`.

use crate::event::Key;
use crate::loss::ModelId;
use crate::net::ids::{LinkId, PartId};
use crate::net::link::hook::HookPoint;
use crate::packet::flow_key::Key as FlowKey;
use crate::packet::{Packet, PacketId};

/// Where a held packet continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Link, hook point, index of the next hook.
    Hook(LinkId, HookPoint, usize),
    /// Behind a part of a link that was taken apart.
    Part(PartId),
}

/// How an error module treats a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judge {
    /// Nothing is set for the packet's flow; ns-2 stops there.
    #[default]
    Missing,
    /// The packet passes.
    Pass,
    /// This model decides.
    Model(ModelId),
}

/// An error module: one error model for all packets, or one for each of some flows.
#[derive(Default)]
pub struct ErrorModule {
    /// What tells flows apart.
    pub key: FlowKey,
    by_flow: Vec<((i32, i32, i32), ModelId)>,
    for_others: Judge,
    held: Vec<(Key, Resume, PacketId)>,
}

impl ErrorModule {
    /// Sets the error model for the packets of flow `fid`. As in ns-2, its source and destination are node 0 where
    /// nodes tell flows apart.
    pub fn assign(&mut self, fid: i32, model: ModelId) {
        let assigned = self.key.of(0, 0, fid);
        self.by_flow.retain(|&(flow, _)| flow != assigned);
        self.by_flow.push((assigned, model));
    }

    /// Sets the error model for flows without their own model; with `None` their packets pass.
    pub fn assign_others(&mut self, model: Option<ModelId>) {
        self.for_others = model.map_or(Judge::Pass, Judge::Model);
    }

    pub(crate) fn judge_of(&self, packet: &Packet) -> Judge {
        if self.by_flow.is_empty() {
            return self.for_others;
        }
        let known = self.key.of(packet.src.node, packet.dst.node, packet.fid);
        let own = self.by_flow.iter().find(|&&(flow, _)| flow == known);
        own.map_or(self.for_others, |&(_, model)| Judge::Model(model))
    }

    /// Number of packets held back.
    pub fn holds_packets(&self) -> usize {
        self.held.len()
    }

    pub(crate) fn hold(&mut self, resume: Resume, packet: PacketId, until: Key) {
        self.held.push((until, resume, packet));
    }

    pub(crate) fn release(&mut self, key: Key) -> Option<(Resume, PacketId)> {
        let index = self.held.iter().position(|(until, ..)| *until == key)?;
        let (_, resume, packet) = self.held.swap_remove(index);
        Some((resume, packet))
    }
}
