//! A queue as its owner stores it: a link, a class, or a flow of a fair queue.

use std::ops::{Deref, DerefMut};

use super::discipline::Discipline;
use super::drop_tail::DropTail;
use super::red;
use crate::packet::{PacketId, PacketPool};

/// A link's queue. Drop-tail, the most common one, is stored inline.
pub enum Queue {
    /// Drop-tail.
    DropTail(DropTail),
    /// Any other discipline.
    Other(Box<dyn Discipline>),
}

impl Queue {
    /// A drop-tail queue with default parameters.
    pub fn drop_tail() -> Queue {
        Queue::DropTail(DropTail::default())
    }

    /// A RED queue with default parameters.
    pub fn red() -> Queue {
        Queue::Other((red::ENTRY.make)())
    }

    /// [`Discipline::store`], without dynamic dispatch for drop-tail.
    #[inline]
    pub(crate) fn store(&mut self, packet: PacketId, packets: &PacketPool) -> bool {
        match self {
            Queue::DropTail(queue) => queue.store(packet, packets),
            Queue::Other(queue) => queue.store(packet, packets),
        }
    }

    /// [`Discipline::take`], without dynamic dispatch for drop-tail.
    #[inline]
    pub(crate) fn take(&mut self, packets: &PacketPool) -> Option<(PacketId, bool)> {
        match self {
            Queue::DropTail(queue) => queue.take(packets),
            Queue::Other(queue) => queue.take(packets),
        }
    }
}

impl Deref for Queue {
    type Target = dyn Discipline;
    #[inline]
    fn deref(&self) -> &(dyn Discipline + 'static) {
        match self {
            Queue::DropTail(queue) => queue,
            Queue::Other(queue) => &**queue,
        }
    }
}

impl DerefMut for Queue {
    #[inline]
    fn deref_mut(&mut self) -> &mut (dyn Discipline + 'static) {
        match self {
            Queue::DropTail(queue) => queue,
            Queue::Other(queue) => &mut **queue,
        }
    }
}
