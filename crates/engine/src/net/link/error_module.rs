//! Where error models stand on a link: which model judges a packet, and the packets that are held back.
//!
//! Source: ns-2.35's `ErrorModule`.

use crate::event::Key;
use crate::loss::ModelId;
use crate::net::link::{HookPoint, LinkId};
use crate::packet::PacketId;

/// Where a held packet goes on: link, place, next hook of that place, packet.
pub type Resume = (LinkId, HookPoint, usize, PacketId);

/// Who judges a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judge {
    /// Nobody is for it: it vanishes.
    #[default]
    Missing,
    /// It passes.
    Pass,
    /// This model.
    Model(ModelId),
}

/// A place on a link where error models stand: one for all packets, or one for each of some flows.
#[derive(Default)]
pub struct ErrorModule {
    by_flow: Vec<(i32, ModelId)>,
    for_others: Judge,
    held: Vec<(Key, Resume)>,
}

impl ErrorModule {
    /// From now on `model` judges the packets of flow `fid`.
    pub fn assign(&mut self, fid: i32, model: ModelId) {
        self.by_flow.retain(|&(flow, _)| flow != fid);
        self.by_flow.push((fid, model));
    }

    /// From now on `model` judges the packets of flows that have none of their own; `None` lets them pass.
    pub fn assign_others(&mut self, model: Option<ModelId>) {
        self.for_others = model.map_or(Judge::Pass, Judge::Model);
    }

    pub(crate) fn judge_of(&self, fid: i32) -> Judge {
        let own = self.by_flow.iter().find(|&&(flow, _)| flow == fid);
        own.map_or(self.for_others, |&(_, model)| Judge::Model(model))
    }

    /// Packets that are held back.
    pub fn holds_packets(&self) -> usize {
        self.held.len()
    }

    pub(crate) fn hold(&mut self, resume: Resume, until: Key) {
        self.held.push((until, resume));
    }

    pub(crate) fn release(&mut self, key: Key) -> Option<Resume> {
        let index = self.held.iter().position(|(until, _)| *until == key)?;
        Some(self.held.swap_remove(index).1)
    }
}
