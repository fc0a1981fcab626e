//! The event list and its total order: by time, then by counter of insertion.
//!
//! The counter is taken where ns-2 would have inserted the event, also if the event is inserted later or never. Some
//! events may never matter: a transmitter with an empty queue becomes free, or each ACK restarts a timer. Their
//! owners take the counter, and insert the event only when it matters.
//!
//! Most events are arrivals of packets, and many links have the same rate and delay. Events with the same delay are
//! due in the order of their insertion. So each delay has a lane, a FIFO queue of which only the first event is
//! sorted among the others: 1,000 flows cost no more than 10. Usually there are few lanes, and their heads are in a
//! sorted ring. Further heads are in a heap, together with timers and callbacks, which are rare.

mod heap;
mod key;
mod kind;
mod lane;
mod lane_heads;
pub mod timer;

use std::collections::HashMap;

use self::heap::Heap;
use self::key::NOTHING;
pub use self::key::{Key, LaneId};
pub use self::kind::{Event, OfLink};
use self::lane::{FifoLane, Taken};
use self::lane_heads::{LaneHead, LaneHeads};
use crate::packet::PacketId;
use crate::time::Time;

/// Maximum number of lanes; events with other delays go to the heap.
const MAX_LANES: usize = 1 << 16;

/// Pending events in their total order.
pub struct EventList {
    next_counter: u64,
    /// The order of the heap's first event.
    heap_first: u128,
    /// The heads of lanes, up to its capacity.
    lane_heads: LaneHeads,
    lanes: Vec<FifoLane>,
    /// The heads of further lanes, events in no lane, and events that were too early for their lane.
    heap: Heap,
    lane_of: HashMap<u64, LaneId>,
}

impl Default for EventList {
    fn default() -> EventList {
        EventList {
            next_counter: 0,
            heap_first: NOTHING,
            lane_heads: LaneHeads::default(),
            lanes: Vec::new(),
            heap: Heap::default(),
            lane_of: HashMap::new(),
        }
    }
}

impl EventList {
    /// Takes the next counter.
    #[inline]
    pub fn take_counter(&mut self) -> u64 {
        self.next_counter += 1;
        self.next_counter
    }

    /// Reserves this many counters; returns the one before the first of them. What is done later, but takes its place in
    /// the order now, counts from there ([`EventList::count_from`]).
    pub(crate) fn reserve_counters(&mut self, count: u64) -> u64 {
        let before = self.next_counter;
        self.next_counter += count;
        before
    }

    /// Goes on counting behind `counter`; returns where the count was.
    pub(crate) fn count_from(&mut self, counter: u64) -> u64 {
        std::mem::replace(&mut self.next_counter, counter)
    }

    /// The lane of the events with this delay, s.
    pub fn lane(&mut self, duration_s: f64) -> LaneId {
        let known = self.lane_of.len();
        *self.lane_of.entry(duration_s.to_bits()).or_insert_with(|| {
            if known >= MAX_LANES {
                return LaneId::NONE;
            }
            self.lanes.push(FifoLane::default());
            LaneId(self.lanes.len() as u32 - 1)
        })
    }

    /// Inserts an event with a key whose counter was taken before.
    #[inline]
    pub fn insert(&mut self, key: Key, event: Event) {
        self.insert_in_heap(key.order(), event, LaneId::NONE);
    }

    fn insert_in_heap(&mut self, order: u128, event: Event, lane: LaneId) {
        self.heap.insert(order, event, lane);
        self.heap_first = self.heap_first.min(order);
    }

    /// Appends a link's event to its lane, with a counter just taken: an arrival or, without a packet, the end of a
    /// transmission. If it is due before the last event of the lane, it goes to the heap.
    #[inline(always)]
    pub fn insert_in(&mut self, lane: LaneId, key: Key, link: u32, packet: Option<PacketId>) {
        let taken = match self.lanes.get_mut(lane.0 as usize) {
            Some(known) => known.push(key, link, packet),
            None => Taken::TooEarly,
        };
        match taken {
            Taken::Behind => {}
            Taken::First => {
                self.begin_lane(LaneHead { at_bits: key.at.order_bits(), counter: key.counter, lane: lane.0 })
            }
            Taken::TooEarly => {
                self.insert(key, packet.map_or(Event::TransmitterFree(link), |packet| Event::Arrive(link, packet)));
            }
        }
    }

    /// Sorts in the first event of a lane.
    fn begin_lane(&mut self, first: LaneHead) {
        if self.lane_heads.is_full() {
            let event = self.lanes[first.lane as usize].first();
            self.insert_in_heap(first.order(), event, LaneId(first.lane));
        } else {
            self.lane_heads.insert(first);
        }
    }

    /// Takes a counter and inserts the event; returns its key.
    #[inline]
    pub fn schedule(&mut self, at: Time, event: Event) -> Key {
        let key = Key { at, counter: self.take_counter() };
        self.insert(key, event);
        key
    }

    /// Removes and returns the earliest event if it is the head of a sorted lane; otherwise use
    /// [`EventList::pop_of_heap`]. Calls `on_next` with the next event of the lane, so that it can be prefetched.
    #[inline(always)]
    pub fn pop_of_lane(&mut self, on_next: impl FnOnce(OfLink)) -> Option<(Key, OfLink)> {
        let first = self.lane_heads.first();
        // Equal orders occur only if both are empty.
        if first.at_bits >= (self.heap_first >> 64) as u64 && first.order() >= self.heap_first {
            return None;
        }
        let (what, next) = self.lanes[first.lane as usize].pop(first.lane);
        match next {
            Some((next, soon)) => {
                on_next(soon);
                self.lane_heads.replace(next);
            }
            None => self.lane_heads.pop(),
        }
        Some((Key::of_order(first.order()), what))
    }

    /// Removes and returns the first event of the heap.
    #[inline(never)]
    pub fn pop_of_heap(&mut self) -> Option<(Key, Event)> {
        let key = Key::of_order(self.heap_first);
        let (event, lane) = self.heap.pop()?;
        self.heap_first = self.heap.first();
        let Some(known) = self.lanes.get_mut(lane.0 as usize) else { return Some((key, event)) };
        let (what, next) = known.pop(lane.0);
        if let Some((next, _)) = next {
            self.begin_lane(next);
        }
        Some((key, what.event()))
    }

    /// When the earliest event is due.
    pub fn next_at(&self) -> Option<Time> {
        let order = self.heap_first.min(self.lane_heads.first().order());
        (order != NOTHING).then(|| Key::of_order(order).at)
    }

    /// Removes all events; the counter continues.
    pub fn clear(&mut self) {
        self.lane_heads = LaneHeads::default();
        self.heap = Heap::default();
        self.heap_first = NOTHING;
        self.lanes.iter_mut().for_each(|lane| *lane = FifoLane::default());
    }

    /// Cancels all events for which `meant` is true; returns them in their order.
    pub fn cancel(&mut self, meant: impl Fn(Event) -> bool) -> Vec<Event> {
        let mut off = Vec::new();
        self.heap.cancel(&meant, &mut off);
        for lane in &mut self.lanes {
            lane.cancel(&meant, &mut off);
        }
        off.sort_by_key(|&(order, _)| order);
        off.into_iter().map(|(_, event)| event).collect()
    }

    /// All pending events, in any order.
    pub fn iter(&self) -> impl Iterator<Item = Event> {
        self.with_orders().map(|(_, event)| event)
    }

    /// The pending events for which `meant` is true, in their order.
    pub fn pending(&self, meant: impl Fn(Event) -> bool) -> Vec<Event> {
        let mut found: Vec<_> = self.with_orders().filter(|&(_, event)| meant(event)).collect();
        found.sort_by_key(|&(order, _)| order);
        found.into_iter().map(|(_, event)| event).collect()
    }

    fn with_orders(&self) -> impl Iterator<Item = (u128, Event)> {
        self.heap.events().chain(self.lanes.iter().flat_map(FifoLane::events))
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.next_at().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn pop(list: &mut EventList) -> Option<(Key, Event)> {
        list.pop_of_lane(|_| ()).map(|(key, what)| (key, what.event())).or_else(|| list.pop_of_heap())
    }

    // Compared with a sorted map, with few and with many lanes: events in lanes and in none, many at the same
    // instant, and events too early for their lane.
    #[test]
    fn events_come_in_the_order_of_their_keys() {
        for lanes in [3, 40] {
            against_a_sorted_map(lanes);
        }
    }

    fn against_a_sorted_map(lanes: usize) {
        let mut list = EventList::default();
        let lanes: Vec<LaneId> = (0..lanes).map(|number| list.lane(number as f64)).collect();
        assert_eq!(list.lane(2.0), lanes[2]);
        let mut sorted = BTreeMap::new();
        let mut state = 1u64;
        let mut now = 0u64;
        for step in 0..50_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if state >> 62 != 0 || sorted.is_empty() {
                let key = Key { at: Time((now + (state >> 40 & 7)) as f64), counter: list.take_counter() };
                let packet = (step % 3 == 0).then_some(PacketId(step / 2));
                let event = packet.map_or(Event::TransmitterFree(step), |packet| Event::Arrive(step, packet));
                match lanes.get((state >> 50) as usize % (lanes.len() + 1)) {
                    Some(&lane) => list.insert_in(lane, key, step, packet),
                    None => list.insert(key, event),
                }
                sorted.insert(key, event);
            } else {
                let first = pop(&mut list);
                now = first.map_or(now, |(key, _)| key.at.secs() as u64);
                assert_eq!(first, sorted.pop_first());
            }
            assert_eq!(list.is_empty(), sorted.is_empty());
            assert_eq!(list.next_at(), sorted.first_key_value().map(|(key, _)| key.at));
        }
        let off = list.cancel(|event| matches!(event, Event::TransmitterFree(link) if link % 2 == 0));
        assert_eq!(off, sorted.values().copied().filter(|event| off.contains(event)).collect::<Vec<_>>());
        while let Some((key, event)) = pop(&mut list) {
            let (expected, meant) = sorted.pop_first().unwrap();
            assert_eq!(key, expected);
            assert_eq!(event, if off.contains(&meant) { Event::Cancelled } else { meant });
        }
        assert!(sorted.is_empty() && list.is_empty());
    }
}
