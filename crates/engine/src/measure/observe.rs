//! What a simulation tells whoever listens. Nobody listens by default, and then it costs nothing: a packet passes only
//! the hooks that were put on its links.

use std::any::Any;

use crate::packet::header::Header;
use crate::packet::{Packet, PacketPool};
use crate::params::Value;
use crate::time::Time;

/// The listener's own number for a place where it listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceId(pub u32);

/// A packet that passes a place: its fields, and what only some packets carry.
#[derive(Clone, Copy)]
pub struct Passing<'a> {
    /// Its fields.
    pub packet: &'a Packet,
    pub(crate) pool: &'a PacketPool,
}

impl<'a> Passing<'a> {
    /// Its SACK blocks, none for most packets.
    pub fn sack(&self) -> &'a [(i32, i32)] {
        self.pool.sack_of(self.packet)
    }

    /// Its header of its own protocol, if it has one.
    pub fn header(&self) -> Option<&'a Header> {
        self.pool.header_of(self.packet)
    }
}

/// A listener. All methods do nothing unless written.
pub trait Observer: Send + Sync {
    /// A packet passes a place that is traced.
    fn packet(&mut self, place: TraceId, now: Time, passing: Passing) {
        let _ = (place, now, passing);
    }

    /// A watched variable of an agent or a queue has a new value.
    fn variable(&mut self, place: TraceId, now: Time, name: &'static str, value: Value) {
        let _ = (place, now, name, value);
    }

    /// A watched variable of an agent has a new value, and the agent tells all of its variables.
    fn variables(&mut self, place: TraceId, now: Time, values: &[(&'static str, Value)]) {
        let _ = (place, now, values);
    }

    /// A monitored queue's length has changed.
    fn queue_length(&mut self, place: TraceId, now: Time, bytes: i32, packets: i32) {
        let _ = (place, now, bytes, packets);
    }

    /// Something happened that is worth a word: a fast retransmission, a timeout.
    fn happening(&mut self, place: TraceId, now: Time, what: &'static str, fields: &[f64]) {
        let _ = (place, now, what, fields);
    }

    /// The listener itself, for whoever made it and knows its type.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// The listener that hears nothing.
pub struct Nobody;

impl Observer for Nobody {
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
