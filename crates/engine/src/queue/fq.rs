//! Fair Queueing (FQ): each flow has its own queue. The next packet is the one that would finish first in bit-by-bit
//! round robin.
//!
//! Source: A. Demers, S. Keshav and S. Shenker, "Analysis and simulation of a fair queueing algorithm", SIGCOMM 1989,
//! as ns-2.35's `Queue/FQ` and `FQLink` have it.
//! What it decides: the flow whose head packet has the smallest finish time is served next. The finish time grows with
//! the packet size and the number of waiting flows. Each flow's queue decides what it drops.
//! Departures: flow ids are not limited to 32.
//! Not implemented: flow queues other than DropTail and RED. A flow's RED does not receive the link's rate, as in ns-2.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use std::collections::BTreeMap;

use super::{Discipline, Entry, Queue, QueueContext, QueueLimit};
use crate::packet::PacketId;
use crate::params::{Parameter, Params, Value};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "fq",
    about: "fair queueing: a queue for each flow, served as if bit by bit (Demers, Keshav and Shenker 1989)",
    make: || Box::new(Fq::default()),
};

/// Prefix of the parameters of flow queues. They apply to flows created later.
const FLOW_PREFIX: &str = "flow_";

struct Flow {
    queue: Queue,
    /// The head packet, already dequeued from `queue`, and its bytes.
    head: Option<(PacketId, i32)>,
    /// Whether the flow queue waits until its head packet is sent.
    is_blocked: bool,
    finish_s: f64,
    delta_s: f64,
}

impl Flow {
    /// Moves the queue's next packet, if any, to the head.
    fn advance(&mut self, secs_per_byte: f64, context: &mut QueueContext) {
        let next = self.queue.dequeue(context);
        self.is_blocked = next.is_some();
        let Some(id) = next else { return };
        let bytes = context.packets[id].size;
        self.head = Some((id, bytes));
        let now_s = context.now.secs();
        if now_s > self.finish_s {
            self.finish_s = now_s;
        }
        self.delta_s = f64::from(bytes) * secs_per_byte;
    }
}

#[derive(Default, Params)]
struct Fq {
    /// No effect, as in ns-2.
    #[param(state)]
    limit: i32,
    /// Transmission time of a byte, s; 0 takes the link's, unless the link has given its own before.
    #[param("s")]
    secs_per_byte: f64,
    /// Whether the link has given its transmission time.
    knows_link: bool,
    /// Whether no flow can be served: a flow's queue of ns-2 needs the link's drop trace.
    #[param(state)]
    lacks_drop_trace: bool,
    /// Whether flows have RED queues instead of drop-tail ones.
    #[param("flag")]
    red_flows: bool,
    settings: Vec<(String, Value)>,
    flows: BTreeMap<i32, Flow>,
}

impl Fq {
    fn new_flow(&self) -> Flow {
        let mut queue = if self.red_flows { Queue::red() } else { Queue::drop_tail() };
        for (name, value) in &self.settings {
            queue.set_param(name, *value);
        }
        Flow { queue, head: None, is_blocked: false, finish_s: 0.0, delta_s: 0.0 }
    }

    fn learn_rate(&mut self, context: &QueueContext) {
        if self.secs_per_byte == 0.0 && !self.knows_link {
            self.secs_per_byte = 8.0 / context.rate_bps;
        }
    }
}

/// What a flow's queue drops does not pass the link's queue: like early drops it goes to the drop trace directly.
fn drop_past_queue(context: &mut QueueContext) {
    let dropped = std::mem::take(context.dropped);
    context.dropped_early.extend(dropped);
}

impl Discipline for Fq {
    fn enqueue(&mut self, id: PacketId, context: &mut QueueContext) {
        self.learn_rate(context);
        let fid = context.packets[id].fid;
        if !self.flows.contains_key(&fid) {
            if self.lacks_drop_trace {
                let wrong = "a link with FQ is not traced: ns-2 ends at its first packet: can't read \"drpT_\"";
                *context.error = Some(wrong.into());
            }
            let flow = self.new_flow();
            self.flows.insert(fid, flow);
        }
        let Some(flow) = self.flows.get_mut(&fid) else { return };
        flow.queue.enqueue(id, context);
        if !flow.is_blocked {
            flow.advance(self.secs_per_byte, context);
        }
        drop_past_queue(context);
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let mut waiting = 0;
        for flow in self.flows.values_mut() {
            if flow.head.is_none() {
                flow.head = flow.queue.dequeue(context).map(|id| (id, context.packets[id].size));
            }
            waiting += i32::from(flow.head.is_some());
        }
        let mut best: Option<(&mut Flow, f64)> = None;
        for flow in self.flows.values_mut().filter(|flow| flow.head.is_some()) {
            let finish_s = flow.finish_s + flow.delta_s * f64::from(waiting);
            if best.as_ref().is_none_or(|&(_, earliest)| finish_s < earliest) {
                best = Some((flow, finish_s));
            }
        }
        let (flow, finish_s) = best?;
        let next = flow.head.take().map(|(id, _)| id);
        flow.finish_s = finish_s;
        flow.advance(self.secs_per_byte, context);
        drop_past_queue(context);
        next
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Others
    }

    fn len_packets(&self) -> usize {
        self.flows.values().map(|flow| flow.queue.len_packets() + usize::from(flow.head.is_some())).sum()
    }

    fn len_bytes(&self) -> i64 {
        self.flows
            .values()
            .map(|flow| flow.queue.len_bytes() + flow.head.map_or(0, |(_, bytes)| i64::from(bytes)))
            .sum()
    }

    fn describe(&self, out: &mut Vec<Parameter>) {
        self.describe_own(out);
        let mut of_flows = Vec::new();
        for queue in [Queue::drop_tail(), Queue::red()] {
            let mut own = Vec::new();
            queue.describe(&mut own);
            own.retain(|one| of_flows.iter().all(|known: &Parameter| known.name != one.name));
            of_flows.append(&mut own);
        }
        out.extend(
            of_flows.into_iter().map(|own| Parameter { name: format!("{FLOW_PREFIX}{}", own.name).into(), ..own }),
        );
    }

    fn param(&self, name: &str) -> Option<Value> {
        match name.strip_prefix(FLOW_PREFIX) {
            Some(own) => self.settings.iter().find(|(known, _)| known == own).map(|&(_, value)| value),
            None => self.own_param(name),
        }
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let Some(own) = name.strip_prefix(FLOW_PREFIX) else { return self.set_own_param(name, value) };
        if !self.new_flow().queue.set_param(own, value) {
            return false;
        }
        self.settings.retain(|(known, _)| known != own);
        self.settings.push((own.into(), value));
        true
    }

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        if name != "link" {
            return Err(format!("fq has no command {name}; it has link"));
        }
        self.secs_per_byte = 8.0 / context.rate_bps;
        self.knows_link = true;
        Ok(String::new())
    }
}
