//! A queue discipline that is a Python object.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_engine::net::link::LinkId;
use ackclock_engine::packet::{PacketId, flag};
use ackclock_engine::params::Value;
use ackclock_engine::queue::{Discipline, Queue, QueueContext, QueueLimit};
use ackclock_engine::sim::Simulation as Engine;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::plugins::ledger::Shared;
use crate::plugins::{Number, PluginObject};

/// The packets that a discipline has, by the number of their arrival, and what it wants done with them.
#[derive(Default)]
struct Held {
    waiting: BTreeMap<u64, (PacketId, i32)>,
    dropped: Vec<PacketId>,
    marked: Vec<PacketId>,
    bytes: i64,
    arrivals: u64,
}

impl Held {
    fn take(&mut self, arrival: u64) -> Option<PacketId> {
        let (packet, size) = self.waiting.remove(&arrival)?;
        self.bytes -= i64::from(size);
        Some(packet)
    }
}

fn open(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A packet in a queue: what a discipline may look at, and do with it.
#[pyclass(module = "ackclock._native", frozen)]
pub struct Packet {
    held: Arc<Mutex<Held>>,
    arrival: u64,
    uid: i32,
    flow_id: i32,
    kind: &'static str,
    seqno: i32,
    size_bytes: i32,
    source: i32,
    destination: i32,
    arrived_s: f64,
    priority: i32,
    ecn_capable: bool,
    ect_1: bool,
    marked: AtomicBool,
}

#[pymethods]
impl Packet {
    /// Its number in the whole simulation.
    #[getter]
    fn uid(&self) -> i32 {
        self.uid
    }

    /// Its flow's id.
    #[getter]
    fn flow_id(&self) -> i32 {
        self.flow_id
    }

    /// What it is, as traces name it: tcp, ack, cbr, exp, pareto.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    /// Its sequence number, in packets.
    #[getter]
    fn seqno(&self) -> i32 {
        self.seqno
    }

    /// Bytes on the wire.
    #[getter]
    fn size_bytes(&self) -> i32 {
        self.size_bytes
    }

    /// Number of the node that it comes from.
    #[getter]
    fn source(&self) -> i32 {
        self.source
    }

    /// Number of the node that it goes to.
    #[getter]
    fn destination(&self) -> i32 {
        self.destination
    }

    /// When it came to this queue, s.
    #[getter]
    fn arrived_s(&self) -> f64 {
        self.arrived_s
    }

    /// Whether its transport understands congestion marks.
    #[getter]
    fn ecn_capable(&self) -> bool {
        self.ecn_capable
    }

    /// Whether its transport answers marks in proportion: ECT(1).
    #[getter]
    fn ect_1(&self) -> bool {
        self.ect_1
    }

    /// Its priority.
    #[getter]
    fn priority(&self) -> i32 {
        self.priority
    }

    /// Whether this queue or one before it has marked it.
    #[getter]
    fn marked(&self) -> bool {
        self.marked.load(Ordering::Relaxed)
    }

    /// Throws the packet away: the one that has just come, or one that waits. `ValueError` if it does not wait here.
    fn drop(&self) -> PyResult<()> {
        let mut held = open(&self.held);
        let packet = held.take(self.arrival).ok_or_else(|| self.is_gone())?;
        held.dropped.push(packet);
        Ok(())
    }

    /// Marks the packet if its transport understands marks; whether it does. `ValueError` if it does not wait here.
    fn mark(&self) -> PyResult<bool> {
        let mut held = open(&self.held);
        let (packet, _) = *held.waiting.get(&self.arrival).ok_or_else(|| self.is_gone())?;
        if self.ecn_capable {
            held.marked.push(packet);
            self.marked.store(true, Ordering::Relaxed);
        }
        Ok(self.ecn_capable)
    }

    fn __repr__(&self) -> String {
        format!("<Packet {}: {} of flow {}, {} B>", self.uid, self.kind, self.flow_id, self.size_bytes)
    }
}

impl Packet {
    fn is_gone(&self) -> PyErr {
        PyValueError::new_err(format!("packet {} does not wait in this queue any more", self.uid))
    }
}

struct PluginQueue {
    own: PluginObject,
    held: Arc<Mutex<Held>>,
    /// Most packets that may wait.
    limit: usize,
    /// Seconds between calls of `timer`, 0 for none.
    interval_s: f64,
    /// The link's rate as the object knows it, bit/s.
    rate_bps: f64,
    packets: usize,
    bytes: i64,
}

impl PluginQueue {
    /// Calls a method with arguments that `arguments` makes; what it drops and marks is done. `judge` turns what it returns
    /// into a result, or says what is wrong with it. Nothing, if it or an earlier call went wrong.
    fn call<T>(
        &mut self,
        method: &str,
        context: &mut QueueContext,
        packet: Option<Packet>,
        judge: impl FnOnce(&PluginQueue, &Bound<PyAny>) -> Result<T, String>,
    ) -> Option<T> {
        if self.own.failed {
            return None;
        }
        let now_s = context.now.secs();
        let result = Python::attach(|py| {
            if self.rate_bps != context.rate_bps {
                self.rate_bps = context.rate_bps;
                self.own.set(py, "rate_bps", context.rate_bps);
            }
            let name = PyString::intern(py, method);
            let returned = match packet {
                Some(packet) => self.own.call(py, &name, (packet, now_s), now_s),
                None if method == "start" => self.own.call(py, &name, (), now_s),
                None => self.own.call(py, &name, (now_s,), now_s),
            }?;
            judge(self, &returned).map_err(|what| self.own.wrong(py, method, now_s, &what))
        });
        let mut held = open(&self.held);
        for packet in held.marked.drain(..) {
            context.packets[packet].mark();
        }
        context.dropped.append(&mut held.dropped);
        (self.packets, self.bytes) = (held.waiting.len(), held.bytes);
        drop(held);
        result.map_err(|what| *context.error = Some(what)).ok()
    }
}

fn nothing(_: &PluginQueue, returned: &Bound<PyAny>) -> Result<(), String> {
    if returned.is_none() { Ok(()) } else { Err(format!("it returned {returned}; expected None")) }
}

impl Discipline for PluginQueue {
    fn enqueue(&mut self, id: PacketId, context: &mut QueueContext) {
        let fields = &context.packets[id];
        let mut held = open(&self.held);
        held.arrivals += 1;
        let packet = Packet {
            held: self.held.clone(),
            arrival: held.arrivals,
            uid: fields.uid,
            flow_id: fields.fid,
            kind: fields.kind.name(),
            seqno: fields.seqno,
            size_bytes: fields.size,
            source: fields.src.node,
            destination: fields.dst.node,
            arrived_s: context.now.secs(),
            priority: fields.prio,
            ecn_capable: fields.has(flag::ECN_CAPABLE),
            ect_1: fields.has(flag::ECT_1),
            marked: AtomicBool::new(fields.has(flag::MARKED)),
        };
        held.waiting.insert(packet.arrival, (id, packet.size_bytes));
        held.bytes += i64::from(packet.size_bytes);
        drop(held);
        self.call("enqueue", context, Some(packet), |queue, returned| {
            nothing(queue, returned)?;
            let waiting = open(&queue.held).waiting.len();
            if waiting <= queue.limit {
                return Ok(());
            }
            Err(format!("{waiting} packets wait, and its limit is {}; packet.drop() throws one away", queue.limit))
        });
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.call("dequeue", context, None, |queue, returned| {
            if returned.is_none() {
                let waiting = open(&queue.held).waiting.len();
                return match waiting {
                    0 => Ok(None),
                    _ => Err(format!("it returned None while {waiting} packets wait; expected the one that goes next")),
                };
            }
            let Ok(packet) = returned.cast::<Packet>() else {
                return Err(format!("it returned {returned}; expected a packet that waits here, or None"));
            };
            let packet = packet.get();
            let is_ours = Arc::ptr_eq(&packet.held, &queue.held);
            match is_ours.then(|| open(&queue.held).take(packet.arrival)).flatten() {
                Some(id) => Ok(Some(id)),
                None => Err(format!("it returned packet {}, which does not wait in this queue", packet.uid)),
            }
        })?
    }

    fn counts_questions(&self) -> bool {
        true
    }

    fn timer(&mut self, context: &mut QueueContext) {
        self.call("timer", context, None, nothing);
        context.wake_in_s = Some(self.interval_s);
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(self.limit as i64)
    }

    fn len_packets(&self) -> usize {
        self.packets
    }

    fn len_bytes(&self) -> i64 {
        self.bytes
    }

    fn param(&self, _: &str) -> Option<Value> {
        None
    }

    fn set_param(&mut self, _: &str, _: Value) -> bool {
        false
    }

    fn reset(&mut self, context: &mut QueueContext) {
        let mut held = open(&self.held);
        context.dropped.extend(std::mem::take(&mut held.waiting).into_values().map(|(packet, _)| packet));
        held.bytes = 0;
        drop(held);
        self.call("start", context, None, nothing);
        if self.interval_s > 0.0 {
            context.wake_in_s = Some(self.interval_s);
        }
    }
}

/// Makes an object of the user's own a link's queue discipline, from the queue's next reset on. `name` and `number` are the
/// link's; at most `limit` packets may wait; its `timer` is called each `interval_s`, if that is more than 0; each change of a
/// variable in `traced` is noted.
pub fn give_own_queue(
    py: Python,
    engine: &mut Engine,
    link: LinkId,
    queue: Py<PyAny>,
    (name, number): (&str, u32),
    (limit, interval_s): (usize, f64),
    traced: &[String],
    ledger: &Shared,
) {
    let own = PluginObject::new(py, queue, format!("link {name}"), Number::Link(number), traced, ledger);
    let queue = PluginQueue { own, held: Arc::default(), limit, interval_s, rate_bps: f64::NAN, packets: 0, bytes: 0 };
    engine.net.links[link.0 as usize].set_queue(Queue::Other(Box::new(queue)));
}
