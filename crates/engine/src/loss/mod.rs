//! Error models: which packets a link loses, holds back or marks.

use crate::event::Key;
use crate::link::{LinkId, Place};
use crate::packet::{Packet, PacketId, PacketPool};
use crate::params::Value;
use crate::rng::Streams;
use crate::units::Time;

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// It goes on.
    Pass,
    /// It is lost.
    Drop,
    /// It goes on later.
    Hold {
        /// For how long it is held, s.
        delay_s: f64,
    },
}

/// An error model. One file per model.
pub trait Model: Send + Sync {
    /// What becomes of this packet; a model that marks changes the packet and lets it pass.
    fn judge(&mut self, packet: &mut Packet, now: Time, rng: &mut Streams) -> Fate;

    /// The value of a parameter, `None` for an unknown name.
    fn param(&self, name: &str) -> Option<Value>;

    /// Sets a parameter; whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool;
}

/// Where a held packet goes on: link, place, next tap of that place, packet.
pub type Resume = (LinkId, Place, usize, PacketId);

/// A place on a link where error models stand: one for all packets, or one for each of some flows.
#[derive(Default)]
pub struct ErrorModule {
    models: Vec<Box<dyn Model>>,
    by_flow: Vec<(i32, usize)>,
    for_others: Option<usize>,
    held: Vec<(Key, Resume)>,
}

impl ErrorModule {
    /// Adds a model, which judges nothing yet; its index.
    pub fn add(&mut self, model: Box<dyn Model>) -> usize {
        self.models.push(model);
        self.models.len() - 1
    }

    /// From now on `model` judges the packets of flow `fid`.
    pub fn assign(&mut self, fid: i32, model: usize) {
        self.by_flow.retain(|&(flow, _)| flow != fid);
        self.by_flow.push((fid, model));
    }

    /// From now on `model` judges the packets of flows that have none of their own; `None` lets them pass.
    pub fn assign_others(&mut self, model: Option<usize>) {
        self.for_others = model;
    }

    /// A model by index.
    pub fn model_mut(&mut self, model: usize) -> &mut dyn Model {
        &mut *self.models[model]
    }

    pub(crate) fn judge(&mut self, packet: PacketId, now: Time, packets: &mut PacketPool, rng: &mut Streams) -> Fate {
        let fid = packets[packet].fid;
        let own = self.by_flow.iter().find(|&&(flow, _)| flow == fid).map(|&(_, model)| model);
        match own.or(self.for_others) {
            Some(model) => self.models[model].judge(&mut packets[packet], now, rng),
            None => Fate::Pass,
        }
    }

    pub(crate) fn hold(&mut self, resume: Resume, until: Key) {
        self.held.push((until, resume));
    }

    pub(crate) fn release(&mut self, key: Key) -> Option<Resume> {
        let index = self.held.iter().position(|(until, _)| *until == key)?;
        Some(self.held.swap_remove(index).1)
    }
}
