//! Queue disciplines: which packet is stored, which is sent next, and which is dropped.
//!
//! Each discipline has one file and one line in [`DISCIPLINES`] or [`OF_SCRIPTS`]. A discipline uses packets, the clock
//! and random numbers. It has no access to links or agents.

pub(crate) mod accounting;
pub mod blue;
pub mod cbq;
pub mod cobalt;
pub mod codel;
pub mod drop_tail;
pub mod drr;
pub mod ds_red;
pub mod dualpi2;
mod flow_queues;
pub mod fq;
pub mod gibbens_kelly;
pub mod int_serv;
pub mod management;
pub mod pi;
pub mod pie;
pub mod priority;
pub mod red;
pub mod rem;
pub mod sfb;
pub mod sfq;
pub mod srr;
pub mod step;
pub mod token_bucket;
pub mod virtual_queue;
pub mod weighted_drr;
pub mod xcp;

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

use self::drop_tail::DropTail;
use crate::event::prefetch::prefetch;
use crate::measure::observe::{Observer, TraceId};
use crate::packet::{PacketId, PacketPool};
use crate::params;
use crate::params::Value;
use crate::random::rng::Draws;
use crate::time::Time;

/// What a discipline may use while it handles a packet.
pub struct QueueContext<'a> {
    /// The current time.
    pub now: Time,
    /// All packets.
    pub packets: &'a mut PacketPool,
    /// Random numbers.
    pub rng: Draws<'a>,
    /// The link's rate, bit/s.
    pub rate_bps: f64,
    /// The link's propagation delay, s.
    pub delay_s: f64,
    /// Packets that the discipline drops, in order.
    pub dropped: &'a mut Vec<PacketId>,
    /// Packets that it drops before the queue is full (early drops), in order. Some links deliver them to a separate
    /// target.
    pub dropped_early: &'a mut Vec<PacketId>,
    /// A discipline sets this to call its [`Discipline::timer`] after this time, s. It replaces the pending timer.
    pub wake_in_s: Option<f64>,
    /// A discipline sets this to the reason when the simulation cannot continue.
    pub trouble: &'a mut Option<String>,
    /// Receives changes of watched variables.
    pub observer: &'a mut dyn Observer,
}

impl QueueContext<'_> {
    /// Sets [`Discipline::timer`] to expire after an update interval, s. An interval that is not positive ends the
    /// simulation with an error, because the updates would never end.
    pub fn wake_after(&mut self, interval_s: f64) {
        if interval_s > 0.0 {
            self.wake_in_s = Some(interval_s);
        } else {
            *self.trouble = Some(format!("a queue's time between updates is {interval_s} s; it must be positive"));
        }
    }
}

/// A queue discipline. The transmitter dequeues a packet whenever it becomes free.
pub trait Discipline: Send + Sync {
    /// A packet arrives: stores it, or pushes it (or another packet) to `context.dropped`.
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext);

    /// Removes and returns the next packet, if any. A discipline that holds packets back sets
    /// [`QueueContext::wake_in_s`] to the time until the next attempt.
    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId>;

    /// Fast path of [`Discipline::enqueue`]: stores the packet if its arrival has no other effect. `false`: not stored,
    /// use [`Discipline::enqueue`]. Called only on disciplines that allow bypass.
    fn store(&mut self, packet: PacketId, packets: &PacketPool) -> bool {
        let _ = (packet, packets);
        false
    }

    /// Fast path of [`Discipline::dequeue`]: the next packet, and whether another one waits. `None`: use
    /// [`Discipline::dequeue`]. Called only on disciplines that allow bypass.
    fn take(&mut self, packets: &PacketPool) -> Option<(PacketId, bool)> {
        let _ = packets;
        None
    }

    /// The transmitter found the queue empty at `at`. The call can come late, but before the next arrival, and only
    /// once.
    fn found_empty(&mut self, at: Time) {
        let _ = at;
    }

    /// Whether every dequeue attempt has an effect, even on an empty queue. If so, [`Discipline::dequeue`] is called
    /// for each attempt at its time, in the order of events.
    fn counts_questions(&self) -> bool {
        false
    }

    /// Whether a packet that wakes an idle transmitter is dequeued only after the other events of the same instant.
    fn answers_later(&self) -> bool {
        false
    }

    /// Whether a packet that finds the queue empty and the transmitter idle bypasses the queue. The packet must cause
    /// no count, random draw or drop, and dequeue attempts on the empty queue must have no effect. Only a parameter or
    /// a command may change the answer.
    fn can_bypass(&self) -> bool {
        false
    }

    /// The timer set with [`QueueContext::wake_in_s`] has expired.
    fn timer(&mut self, context: &mut QueueContext) {
        let _ = context;
    }

    /// Packets in the queue.
    fn len_packets(&self) -> usize;

    /// Bytes in the queue.
    fn len_bytes(&self) -> i64;

    /// The maximum that may wait, by the parameters ([`crate::invariants`]).
    fn limit(&self) -> QueueLimit;

    /// The value of a parameter, `None` for an unknown name.
    fn param(&self, name: &str) -> Option<Value>;

    /// Sets a parameter; returns whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool;

    /// Reports each change of a variable to the observer as `place`; returns whether the name can be watched.
    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        let _ = (name, place);
        false
    }

    /// The simulation restarts: resets averages and other state, and pushes stored packets to `context.dropped`.
    fn reset(&mut self, context: &mut QueueContext) {
        while let Some(packet) = self.dequeue(context) {
            context.dropped.push(packet);
        }
    }

    /// Runs a command: its name, then its arguments after blanks. Every discipline that computes something from its
    /// link has `link`: the link's rate and delay are known and the first parameters are set.
    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        let _ = context;
        Err(format!("this queue discipline has no command {name}"))
    }
}

/// The maximum that may wait in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// This many packets. A negative limit counts as 0.
    Packets(i64),
    /// This many bytes, plus one packet if the limit is checked before a packet is stored.
    Bytes(i64),
    /// No single limit: the queue's parts have their own limits, or ns-2 lets the queue exceed its limit.
    Others,
}

/// One registry entry.
pub struct Entry {
    /// The id used in scenarios and commands, such as `drop_tail`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Creates a discipline with default parameters.
    pub make: fn() -> Box<dyn Discipline>,
}

/// Every queue discipline.
pub const DISCIPLINES: &[Entry] = &[
    drop_tail::ENTRY,
    red::ENTRY,
    red::rio::ENTRY,
    pi::ENTRY,
    rem::ENTRY,
    virtual_queue::ENTRY,
    gibbens_kelly::ENTRY,
    fq::ENTRY,
    sfq::ENTRY,
    drr::ENTRY,
    codel::ENTRY,
    codel::fq_codel::ENTRY,
    pie::ENTRY,
    pie::fq_pie::ENTRY,
    cobalt::ENTRY,
    cobalt::cake::ENTRY,
    dualpi2::ENTRY,
    step::ENTRY,
    blue::ENTRY,
    sfb::ENTRY,
    priority::ENTRY,
    weighted_drr::ENTRY,
    token_bucket::ENTRY,
    ds_red::CORE,
    ds_red::EDGE,
    xcp::ENTRY,
    management::ENTRY,
];

/// Disciplines that need configuration beyond parameters. An ns-2 script can give it, a scenario cannot.
pub const OF_SCRIPTS: &[Entry] = &[cbq::ENTRY, cbq::WEIGHTED, srr::ENTRY, int_serv::ENTRY, red::pd::ENTRY];

/// Creates the discipline with this id.
pub fn make(id: &str) -> Option<Queue> {
    if id == drop_tail::ENTRY.id {
        return Some(Queue::DropTail(DropTail::default()));
    }
    DISCIPLINES.iter().chain(OF_SCRIPTS).find(|entry| entry.id == id).map(|entry| Queue::Other((entry.make)()))
}

/// A link's queue. Drop-tail, the most common one, is stored inline.
pub enum Queue {
    /// Drop-tail.
    DropTail(DropTail),
    /// Any other discipline.
    Other(Box<dyn Discipline>),
}

impl Queue {
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

/// [`Fifo::pop`] prefetches the packet at this index: in a long queue it has left the caches.
const SOON: usize = 2;

/// Stored packets in order of arrival, with a byte count.
#[derive(Default)]
pub struct Fifo {
    /// Allocated at the first packet: most queues of a large network never hold one.
    #[expect(clippy::box_collection, reason = "a link has the queue in itself, and room for no more")]
    packets: Option<Box<VecDeque<PacketId>>>,
    bytes: i64,
}

impl Fifo {
    /// Appends a packet.
    #[inline]
    pub fn push(&mut self, packet: PacketId, pool: &PacketPool) {
        self.bytes += i64::from(pool[packet].size);
        self.packets.get_or_insert_default().push_back(packet);
    }

    /// Removes the oldest packet.
    #[inline]
    pub fn pop(&mut self, pool: &PacketPool) -> Option<PacketId> {
        let packets = self.packets.as_mut()?;
        let packet = packets.pop_front()?;
        if let Some(&later) = packets.get(SOON) {
            prefetch(&pool[later]);
        }
        self.bytes -= i64::from(pool[packet].size);
        Some(packet)
    }

    /// Removes the newest packet.
    pub fn pop_newest(&mut self, pool: &PacketPool) -> Option<PacketId> {
        let packet = self.packets.as_mut()?.pop_back()?;
        self.bytes -= i64::from(pool[packet].size);
        Some(packet)
    }

    /// Removes the newest packet if it is this one; returns whether it was.
    pub fn pop_newest_if(&mut self, packet: PacketId, pool: &PacketPool) -> bool {
        let newest = self.packets.as_ref().and_then(|packets| packets.back());
        newest == Some(&packet) && self.pop_newest(pool).is_some()
    }

    /// Removes the packet at `index`; 0 is the oldest.
    pub fn take(&mut self, index: usize, pool: &PacketPool) -> Option<PacketId> {
        let packet = self.packets.as_mut()?.remove(index)?;
        self.bytes -= i64::from(pool[packet].size);
        Some(packet)
    }

    /// The packet at `index`; 0 is the oldest.
    pub fn get(&self, index: usize) -> Option<PacketId> {
        self.packets.as_ref()?.get(index).copied()
    }

    /// Packets stored.
    pub fn len(&self) -> usize {
        self.packets.as_ref().map_or(0, |packets| packets.len())
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes stored.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }
}

/// A [`Fifo`] that also stores each packet's arrival time.
#[derive(Default)]
pub struct TimedFifo {
    fifo: Fifo,
    arrivals: VecDeque<Time>,
}

impl TimedFifo {
    /// Appends a packet that arrives now.
    pub fn push(&mut self, packet: PacketId, context: &QueueContext) {
        self.fifo.push(packet, context.packets);
        self.arrivals.push_back(context.now);
    }

    /// Removes the oldest packet; also returns its sojourn time, s.
    pub fn pop(&mut self, context: &QueueContext) -> Option<(PacketId, f64)> {
        let packet = self.fifo.pop(context.packets)?;
        let came = self.arrivals.pop_front().unwrap_or(context.now);
        Some((packet, context.now - came))
    }

    /// The sojourn time of the oldest packet, s; 0 if there is none.
    pub fn oldest_waits_s(&self, now: Time) -> f64 {
        self.arrivals.front().map_or(0.0, |&came| now - came)
    }

    /// Packets stored.
    pub fn len(&self) -> usize {
        self.fifo.len()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.fifo.is_empty()
    }

    /// Bytes stored.
    pub fn bytes(&self) -> i64 {
        self.fifo.bytes()
    }
}

/// A variable that can be traced.
#[derive(Default)]
pub struct Watched<T> {
    /// The value.
    pub value: T,
    /// Where changes are reported; `None` for nowhere.
    pub place: Option<TraceId>,
}

impl<T: Copy + PartialEq + params::Field> Watched<T> {
    /// Sets the value; reports a change under `name`.
    pub fn set(&mut self, value: T, name: &'static str, context: &mut QueueContext) {
        if value == self.value {
            return;
        }
        self.value = value;
        if let Some(place) = self.place {
            context.observer.variable(place, context.now, name, params::Field::value(&value));
        }
    }
}

/// The time-weighted average queue length since the start.
#[derive(Default)]
pub struct TrueAverage {
    average: f64,
    until_s: f64,
}

impl TrueAverage {
    /// The queue had this length from the last update until now.
    pub fn update(&mut self, now: Time, length: f64) {
        let lasted = now.secs() - self.until_s;
        if lasted > 0.0 {
            self.average = (self.until_s * self.average + lasted * length) / now.secs();
            self.until_s = now.secs();
        }
    }

    /// The line that ns-2's `printstats` prints: the average and the time of the last update.
    pub fn line(&self, queue_in_bytes: bool) -> String {
        let unit = if queue_in_bytes { " (in bytes)" } else { "" };
        format!("True average queue: {:5.3}{unit} time: {:5.3}\n", self.average, self.until_s)
    }
}
