//! Queue disciplines: which packet waits, which goes next, which is thrown away.
//!
//! One file per discipline, one line in [`DISCIPLINES`] or [`OF_SCRIPTS`]. A discipline knows packets, the clock and random
//! numbers; it knows neither links nor who owns a packet.

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
    /// The present instant.
    pub now: Time,
    /// All packets.
    pub packets: &'a mut PacketPool,
    /// Random numbers.
    pub rng: Draws<'a>,
    /// The link's rate, bit/s.
    pub rate_bps: f64,
    /// The link's propagation delay, s.
    pub delay_s: f64,
    /// Packets that the discipline throws away, in order.
    pub dropped: &'a mut Vec<PacketId>,
    /// Packets that it throws away before it is full, in order; some links send them a way of their own.
    pub dropped_early: &'a mut Vec<PacketId>,
    /// To be set by a discipline that wants its [`Discipline::timer`] after so long, s, and not when it last asked for.
    pub wake_in_s: Option<f64>,
    /// Why the simulation cannot go on, if the discipline finds that it cannot.
    pub trouble: &'a mut Option<String>,
    /// Who hears of watched variables.
    pub observer: &'a mut dyn Observer,
}

impl QueueContext<'_> {
    /// Asks for [`Discipline::timer`] after the time between two updates, s. One of no length would never end, and ends the
    /// simulation with an error.
    pub fn wake_after(&mut self, interval_s: f64) {
        if interval_s > 0.0 {
            self.wake_in_s = Some(interval_s);
        } else {
            *self.trouble = Some(format!("a queue's time between updates is {interval_s} s; it must be positive"));
        }
    }
}

/// A queue discipline. The transmitter asks for the next packet whenever it is free.
pub trait Discipline: Send + Sync {
    /// A packet arrives: store it or push it (or another one) to `context.dropped`.
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext);

    /// The packet that goes next, if any. A discipline that holds packets back says with [`QueueContext::wake_in_s`] when
    /// it is to be asked again.
    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId>;

    /// Stores a packet if that is all that comes of its arrival; whether it did. Otherwise it is one for
    /// [`Discipline::enqueue`]. Asked only of those that let packets pass unseen.
    fn store(&mut self, packet: PacketId, packets: &PacketPool) -> bool {
        let _ = (packet, packets);
        false
    }

    /// The packet that goes next and whether another one waits, if there is one and that it goes is all that comes of the
    /// question. Otherwise it is one for [`Discipline::dequeue`]. Asked only of those that let packets pass unseen.
    fn take(&mut self, packets: &PacketPool) -> Option<(PacketId, bool)> {
        let _ = packets;
        None
    }

    /// The transmitter asked at `at` and found nothing. Told late (before the next arrival), never twice.
    fn found_empty(&mut self, at: Time) {
        let _ = at;
    }

    /// Whether each question counts, also those that find nothing: [`Discipline::dequeue`] is then called for them in
    /// time, in the order of events.
    fn counts_questions(&self) -> bool {
        false
    }

    /// Whether an idle transmitter that a packet wakes asks only after what else is due at this instant.
    fn answers_later(&self) -> bool {
        false
    }

    /// Whether a packet that finds nothing waiting and the transmitter idle goes on as it came: nothing is counted, drawn
    /// or dropped for it, and questions that find nothing do not count. Only a parameter or a command changes this.
    fn can_bypass(&self) -> bool {
        false
    }

    /// Its timer is due; it was asked for with [`QueueContext::wake_in_s`].
    fn timer(&mut self, context: &mut QueueContext) {
        let _ = context;
    }

    /// Packets waiting.
    fn len_packets(&self) -> usize;

    /// Bytes waiting.
    fn len_bytes(&self) -> i64;

    /// The most that may wait, by its parameters ([`crate::invariants`]).
    fn limit(&self) -> QueueLimit;

    /// The value of a parameter, `None` for an unknown name.
    fn param(&self, name: &str) -> Option<Value>;

    /// Sets a parameter; whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool;

    /// The observer hears, as `place`, of each change of a variable; whether the name is one that can be watched.
    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        let _ = (name, place);
        false
    }

    /// The simulation starts anew: forget averages and the like. Stored packets are pushed to `context.dropped`.
    fn reset(&mut self, context: &mut QueueContext) {
        while let Some(packet) = self.dequeue(context) {
            context.dropped.push(packet);
        }
    }

    /// A command by name, and what it takes behind blanks, for what is neither a packet nor a parameter. Every discipline that computes something from its
    /// link has `link`: the link's rate and delay are known and the first parameters are set.
    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        let _ = context;
        Err(format!("this queue discipline has no command {name}"))
    }
}

/// The most that may wait in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// So many packets. Below 0 it counts as 0.
    Packets(i64),
    /// So many bytes, and one packet more where the limit is looked at before a packet is stored.
    Bytes(i64),
    /// What its parts allow, each by a limit of its own; or its limit is one that ns-2 lets it pass.
    Others,
}

/// One discipline of the table.
pub struct Entry {
    /// Its id everywhere: `drop_tail`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Makes one with its default parameters.
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

/// Disciplines that must be told more than parameters, which a script of ns-2 can and a scenario cannot.
pub const OF_SCRIPTS: &[Entry] = &[cbq::ENTRY, cbq::WEIGHTED, srr::ENTRY, int_serv::ENTRY, red::pd::ENTRY];

/// The discipline with this id.
pub fn make(id: &str) -> Option<Queue> {
    if id == drop_tail::ENTRY.id {
        return Some(Queue::DropTail(DropTail::default()));
    }
    DISCIPLINES.iter().chain(OF_SCRIPTS).find(|entry| entry.id == id).map(|entry| Queue::Other((entry.make)()))
}

/// A link's queue. The one that nearly all links have stands in the link itself.
pub enum Queue {
    /// Drop-tail.
    DropTail(DropTail),
    /// Any other.
    Other(Box<dyn Discipline>),
}

impl Queue {
    /// [`Discipline::store`], without asking which one it is by a table.
    #[inline]
    pub(crate) fn store(&mut self, packet: PacketId, packets: &PacketPool) -> bool {
        match self {
            Queue::DropTail(queue) => queue.store(packet, packets),
            Queue::Other(queue) => queue.store(packet, packets),
        }
    }

    /// [`Discipline::take`], likewise.
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

/// A packet behind so many others is fetched: in a long queue it has left the caches.
const SOON: usize = 2;

/// Stored packets in order of arrival, with their bytes counted.
#[derive(Default)]
pub struct Fifo {
    /// Most queues of a large network never hold a packet.
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

    /// Takes the oldest.
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

    /// Takes the newest.
    pub fn pop_newest(&mut self, pool: &PacketPool) -> Option<PacketId> {
        let packet = self.packets.as_mut()?.pop_back()?;
        self.bytes -= i64::from(pool[packet].size);
        Some(packet)
    }

    /// Takes the newest if it is this packet; whether it was.
    pub fn pop_newest_if(&mut self, packet: PacketId, pool: &PacketPool) -> bool {
        let newest = self.packets.as_ref().and_then(|packets| packets.back());
        newest == Some(&packet) && self.pop_newest(pool).is_some()
    }

    /// Takes the one at `index`, 0 being the oldest.
    pub fn take(&mut self, index: usize, pool: &PacketPool) -> Option<PacketId> {
        let packet = self.packets.as_mut()?.remove(index)?;
        self.bytes -= i64::from(pool[packet].size);
        Some(packet)
    }

    /// The one at `index`, 0 being the oldest.
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

/// The same, each packet with the instant at which it came.
#[derive(Default)]
pub struct TimedFifo {
    fifo: Fifo,
    arrivals: VecDeque<Time>,
}

impl TimedFifo {
    /// Appends a packet that has come now.
    pub fn push(&mut self, packet: PacketId, context: &QueueContext) {
        self.fifo.push(packet, context.packets);
        self.arrivals.push_back(context.now);
    }

    /// Takes the oldest, and says for how long it has waited, s.
    pub fn pop(&mut self, context: &QueueContext) -> Option<(PacketId, f64)> {
        let packet = self.fifo.pop(context.packets)?;
        let came = self.arrivals.pop_front().unwrap_or(context.now);
        Some((packet, context.now - came))
    }

    /// For how long the oldest has waited, s; 0 if there is none.
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

/// A variable that someone may watch.
#[derive(Default)]
pub struct Watched<T> {
    /// The value.
    pub value: T,
    /// Where changes are told, if anywhere.
    pub place: Option<TraceId>,
}

impl<T: Copy + PartialEq + params::Field> Watched<T> {
    /// Sets the value; a change is told as one of `name`.
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

/// The time-weighted average length since the start.
#[derive(Default)]
pub struct TrueAverage {
    average: f64,
    until_s: f64,
}

impl TrueAverage {
    /// The queue had this length until now.
    pub fn update(&mut self, now: Time, length: f64) {
        let lasted = now.secs() - self.until_s;
        if lasted > 0.0 {
            self.average = (self.until_s * self.average + lasted * length) / now.secs();
            self.until_s = now.secs();
        }
    }

    /// The line that ns-2's `printstats` prints: the average and the instant up to which it counts.
    pub fn line(&self, queue_in_bytes: bool) -> String {
        let unit = if queue_in_bytes { " (in bytes)" } else { "" };
        format!("True average queue: {:5.3}{unit} time: {:5.3}\n", self.average, self.until_s)
    }
}
