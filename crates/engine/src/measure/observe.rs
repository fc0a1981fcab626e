//! The observer trait: receives trace events of a simulation. The default observer ignores them; then a packet passes
//! only the hooks of its links.

use std::any::Any;

use crate::measure::connection::ConnectionEvent;
use crate::packet::header::Header;
use crate::packet::sctp::Chunks;
use crate::packet::{Packet, PacketPool};
use crate::params::Value;
use crate::time::Time;

/// The observer's own number for a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceId(pub u32);

/// A traced packet: its fields, and its optional parts.
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

    /// Its chunks, if it is a packet of SCTP.
    pub fn chunks(&self) -> Option<&'a Chunks> {
        self.pool.chunks_of(self.header()?)
    }

    /// Its protocol header, if it has one.
    pub fn header(&self) -> Option<&'a Header> {
        self.pool.header_of(self.packet)
    }
}

/// An observer. The default methods do nothing.
pub trait Observer: Send + Sync {
    /// A packet passes a trace.
    fn packet(&mut self, place: TraceId, now: Time, passing: Passing) {
        let _ = (place, now, passing);
    }

    /// A traced variable of an agent or a queue has a new value.
    fn variable(&mut self, place: TraceId, now: Time, name: &'static str, value: Value) {
        let _ = (place, now, name, value);
    }

    /// A traced variable of an agent has changed; `values` has all variables of the agent.
    fn variables(&mut self, place: TraceId, now: Time, values: &[(&'static str, Value)]) {
        let _ = (place, now, values);
    }

    /// A monitored queue's length has changed.
    fn queue_length(&mut self, place: TraceId, now: Time, bytes: i32, packets: i32) {
        let _ = (place, now, bytes, packets);
    }

    /// A notable event, such as a fast retransmit or a timeout.
    fn happening(&mut self, place: TraceId, now: Time, what: &'static str, fields: &[f64]) {
        let _ = (place, now, what, fields);
    }

    /// Something happened to a traced TCP connection.
    fn connection(&mut self, place: TraceId, now: Time, event: ConnectionEvent) {
        let _ = (place, now, event);
    }

    /// For downcasts to the concrete type.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// An observer that ignores all events.
pub struct Nobody;

impl Observer for Nobody {
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
