//! The event list and its total order: by time, then by counter of insertion.
//!
//! The counter is taken where ns-2 would have inserted the event, whether or not the event is put in the list at that
//! moment. Holders of future events that may never matter (a transmitter that nobody waits for, a timer that every ACK
//! pushes back) take counters as they go and put an event here only when it does.
//!
//! Most events are packets that arrive, and links of one kind are alike: what is due a fixed time after it is put in
//! comes up in the order in which it was put in. Each such time has a lane, a queue of which only the first event is in
//! a heap, so that the heap stays as small with a thousand flows as with ten. Timers and call-backs, of which each flow has
//! some, are in a heap of their own that is seldom touched.

mod heap;
mod lane;

use std::collections::HashMap;

use self::heap::{Entry, Heap};
use self::lane::{Lane, Taken};
use crate::packet::PacketId;
use crate::units::Time;

/// Where an event stands in the total order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// When it is due.
    pub at: Time,
    /// Which of those due at the same instant comes first: the smaller one.
    pub counter: u64,
}

impl Key {
    /// A number of the same order.
    #[inline]
    fn order(self) -> u128 {
        u128::from(self.at.order_bits()) << 64 | u128::from(self.counter)
    }
}

/// What is to happen. Indices are those of the network's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A packet reaches the far end of a link.
    Arrive(u32, PacketId),
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
    /// Nothing: what was to happen has been called off.
    CalledOff,
}

/// The events that are due so long after they are put in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneId(u32);

impl LaneId {
    /// No lane: the event goes to the heap.
    pub const NONE: LaneId = LaneId(u32::MAX);
}

/// The most lanes; a simulation with more different times puts the rest in the heap.
const MOST_LANES: usize = 1 << 16;

/// Pending events in their total order.
#[derive(Default)]
pub struct EventList {
    /// The first of each lane, and what came too late for its lane.
    near: Heap,
    /// What is in no lane.
    far: Heap,
    next_counter: u64,
    lanes: Vec<Lane>,
    lane_of: HashMap<u64, LaneId>,
}

impl EventList {
    /// The next counter of insertion; each call takes one.
    #[inline]
    pub fn take_counter(&mut self) -> u64 {
        self.next_counter += 1;
        self.next_counter
    }

    /// The lane of what is due so long after it is put in, s.
    pub fn lane(&mut self, duration_s: f64) -> LaneId {
        let known = self.lane_of.len();
        *self.lane_of.entry(duration_s.to_bits()).or_insert_with(|| {
            if known >= MOST_LANES {
                return LaneId::NONE;
            }
            self.lanes.push(Lane::default());
            LaneId(self.lanes.len() as u32 - 1)
        })
    }

    /// Puts an event in the list under a key taken earlier.
    #[inline]
    pub fn insert(&mut self, key: Key, event: Event) {
        self.far.insert(Entry::new(key, event, LaneId::NONE));
    }

    /// Puts an event behind those of its lane. One that is due before the lane's last is put in the list all the same.
    #[inline(always)]
    pub fn insert_in(&mut self, lane: LaneId, key: Key, event: Event) {
        let taken = match self.lanes.get_mut(lane.0 as usize) {
            Some(known) => known.push(lane, key, event),
            None => Taken::TooEarly,
        };
        match taken {
            Taken::Behind => {}
            Taken::First => self.insert_near(lane, key, event),
            Taken::TooEarly => self.insert_near(LaneId::NONE, key, event),
        }
    }

    #[inline(never)]
    fn insert_near(&mut self, lane: LaneId, key: Key, event: Event) {
        self.near.insert(Entry::new(key, event, lane));
    }

    /// Takes a counter and puts the event in the list; its key is returned.
    #[inline]
    pub fn schedule(&mut self, at: Time, event: Event) -> Key {
        let key = Key { at, counter: self.take_counter() };
        self.insert(key, event);
        key
    }

    /// The earliest event, removed.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(Key, Event)> {
        let first = match (self.near.first(), self.far.first()) {
            (Some(near), Some(far)) if far.is_before(near) => return self.far.pop(),
            (Some(near), _) => *near,
            (None, _) => return self.far.pop(),
        };
        match self.lanes.get_mut(first.lane.0 as usize).and_then(Lane::pop) {
            Some(next) => self.near.sink(next),
            None => self.near.first_is_open = true,
        }
        Some((first.key(), first.event()))
    }

    /// When the earliest event is due.
    pub fn next_at(&mut self) -> Option<Time> {
        let first = [self.near.first(), self.far.first()].into_iter().flatten().map(|entry| entry.key()).min();
        first.map(|key| key.at)
    }

    /// Forgets all events. Counters go on.
    pub fn clear(&mut self) {
        self.near = Heap::default();
        self.far = Heap::default();
        for lane in &mut self.lanes {
            *lane = Lane::default();
        }
    }

    /// Calls off all events that are `meant`: what they were, in their order.
    pub fn call_off(&mut self, meant: impl Fn(Event) -> bool) -> Vec<Event> {
        let behind = self.lanes.iter_mut().flat_map(Lane::entries_mut);
        let mut found: Vec<(u128, Event)> = (self.near.entries_mut().chain(self.far.entries_mut()).chain(behind))
            .filter(|entry| meant(entry.event()))
            .map(|entry| (entry.order(), entry.call_off()))
            .collect();
        found.sort_by_key(|&(order, _)| order);
        found.into_iter().map(|(_, event)| event).collect()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty() && self.far.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    // Against a sorted map: events in lanes and in none, many at the same instant, lanes whose events come too early.
    #[test]
    fn events_come_in_the_order_of_their_keys() {
        let mut list = EventList::default();
        let lanes = [0.0, 1.0, 7.0].map(|duration_s| list.lane(duration_s));
        assert_eq!(list.lane(7.0), lanes[2]);
        let mut sorted = BTreeMap::new();
        let mut state = 1u64;
        let mut now = 0u64;
        for step in 0..50_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if state >> 62 != 0 || sorted.is_empty() {
                let key = Key { at: Time((now + (state >> 40 & 7)) as f64), counter: list.take_counter() };
                let event = Event::Script(step);
                match lanes.get((state >> 50 & 3) as usize) {
                    Some(&lane) => list.insert_in(lane, key, event),
                    None => list.insert(key, event),
                }
                sorted.insert(key, event);
            } else {
                let first = list.pop();
                now = first.map_or(now, |(key, _)| key.at.secs() as u64);
                assert_eq!(first, sorted.pop_first());
            }
            assert_eq!(list.is_empty(), sorted.is_empty());
        }
        let off = list.call_off(|event| matches!(event, Event::Script(step) if step % 2 == 0));
        assert_eq!(off, sorted.values().copied().filter(|event| off.contains(event)).collect::<Vec<_>>());
        while let Some((key, event)) = list.pop() {
            let (expected, meant) = sorted.pop_first().unwrap();
            assert_eq!(key, expected);
            assert_eq!(event, if off.contains(&meant) { Event::CalledOff } else { meant });
        }
        assert!(sorted.is_empty() && list.is_empty());
    }
}
