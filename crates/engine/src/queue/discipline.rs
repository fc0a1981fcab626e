//! The interface of a queue discipline.

use crate::measure::observe::{Observer, TraceId};
use crate::packet::{PacketId, PacketPool};
use crate::params::{Parameter, Value};
use crate::random::rng::Draws;
use crate::registry;
use crate::time::Time;

/// A line of the table of queue disciplines.
pub type Entry = registry::Entry<fn() -> Box<dyn Discipline>>;

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
    pub error: &'a mut Option<String>,
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
            *self.error = Some(format!("a queue's time between updates is {interval_s} s; it must be positive"));
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

    /// Appends the parameters that scenarios offer, with their present values.
    fn describe(&self, out: &mut Vec<Parameter>) {
        let _ = out;
    }

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

/// Implements the lengths of a [`Discipline`] that stores all its packets in one field.
macro_rules! lengths_of {
    ($stored:ident) => {
        fn len_packets(&self) -> usize {
            self.$stored.len()
        }

        fn len_bytes(&self) -> i64 {
            self.$stored.bytes()
        }
    };
}
pub(super) use lengths_of;

/// As [`lengths_of`], for a discipline whose parameter `limit` counts packets.
macro_rules! limited_to_packets {
    ($stored:ident) => {
        fn limit(&self) -> $crate::queue::QueueLimit {
            $crate::queue::QueueLimit::Packets(i64::from(self.limit))
        }

        $crate::queue::lengths_of!($stored);
    };
}
pub(super) use limited_to_packets;

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
