//! The event list and its total order: by time, then by counter of insertion.
//!
//! The counter is taken where ns-2 would have inserted the event, whether or not the event is put in the list at that
//! moment. Holders of many future events (a link's packets in flight, a timer that every ACK pushes back) take counters
//! as they go and keep only their earliest event here.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::units::Time;

/// Where an event stands in the total order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// When it is due.
    pub at: Time,
    /// Which of those due at the same instant comes first: the smaller one.
    pub counter: u64,
}

/// What is to happen. Indices are those of the network's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The packet at the head of a link's wire reaches the far end.
    Arrive(u32),
    /// A link's transmitter has sent its packet and takes the next one of its queue.
    TransmitterFree(u32),
    /// A timer may be due (it may also have been stopped or put off since).
    Timer(u32),
    /// An error module lets a packet go that it held back.
    Release(u32),
    /// A step on a shared medium.
    Lan(u32),
    /// Whoever drives the simulation asked to be called back.
    Script(u32),
}

/// A key as one number with the same order, and what happens.
#[derive(Clone, Copy)]
struct Entry {
    order: u128,
    event: Event,
}

impl Entry {
    #[inline]
    fn new(key: Key, event: Event) -> Entry {
        Entry { order: u128::from(key.at.order_bits()) << 64 | u128::from(key.counter), event }
    }

    #[inline]
    fn key(&self) -> Key {
        Key { at: Time(f64::from_bits((self.order >> 64) as u64)), counter: self.order as u64 }
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.order == other.order
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    #[inline]
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
    // The heap asks these two; comparing the numbers themselves is one subtraction.
    #[inline]
    fn lt(&self, other: &Entry) -> bool {
        other.order < self.order
    }
    #[inline]
    fn le(&self, other: &Entry) -> bool {
        other.order <= self.order
    }
}
impl Ord for Entry {
    // Reversed: the standard heap gives its greatest first, we want the earliest.
    #[inline]
    fn cmp(&self, other: &Entry) -> Ordering {
        other.order.cmp(&self.order)
    }
}

/// Pending events in their total order.
#[derive(Default)]
pub struct EventList {
    heap: BinaryHeap<Entry>,
    next_counter: u64,
}

impl EventList {
    /// The next counter of insertion; each call takes one.
    #[inline]
    pub fn take_counter(&mut self) -> u64 {
        self.next_counter += 1;
        self.next_counter
    }

    /// Puts an event in the list under a key taken earlier.
    #[inline]
    pub fn insert(&mut self, key: Key, event: Event) {
        self.heap.push(Entry::new(key, event));
    }

    /// Takes a counter and puts the event in the list; its key is returned.
    #[inline]
    pub fn schedule(&mut self, at: Time, event: Event) -> Key {
        let key = Key { at, counter: self.take_counter() };
        self.insert(key, event);
        key
    }

    /// The earliest event, removed.
    #[inline]
    pub fn pop(&mut self) -> Option<(Key, Event)> {
        self.heap.pop().map(|entry| (entry.key(), entry.event))
    }

    /// Forgets all events. Counters go on.
    pub fn clear(&mut self) {
        self.heap.clear();
    }

    /// How many events are in the list.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}
