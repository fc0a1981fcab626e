//! Totals of each flow and each link over the whole trace.

use std::io::Read;

use arrow_array::RecordBatch;

use super::fast_hash::{Met, QuickMap};
use super::queue::Waiting;
use super::{Filter, FlowKey, each_line, is_received, is_sent};
use crate::columns::{PacketEvent, Rows};
use crate::names::Names;
use crate::read::ns2_trace::{Reader, TraceError};
use crate::read::packet_line::PacketLine;

/// A count of packets and bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    packets: u64,
    bytes: i64,
}

impl Tally {
    #[inline]
    fn add(&mut self, line: &PacketLine) {
        self.packets += 1;
        self.bytes += i64::from(line.size_bytes);
    }
}

/// Sum, count, min and max.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    sum: f64,
    count: u64,
    least: f64,
    greatest: f64,
}

impl Times {
    #[inline]
    fn add(&mut self, time_s: f64) {
        if self.count == 0 {
            (self.least, self.greatest) = (time_s, time_s);
        }
        self.least = self.least.min(time_s);
        self.greatest = self.greatest.max(time_s);
        self.sum += time_s;
        self.count += 1;
    }

    fn if_any(&self, value: f64) -> Option<f64> {
        (self.count > 0).then_some(value)
    }

    fn mean(&self) -> Option<f64> {
        self.if_any(self.sum / self.count as f64)
    }
}

/// First and last time.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    first_s: Option<f64>,
    last_s: Option<f64>,
}

impl Span {
    /// Bit rate over the span; `None` if its length is 0.
    fn rate_bps(&self, bytes: i64) -> Option<f64> {
        let length_s = self.last_s? - self.first_s?;
        (length_s > 0.0).then(|| bytes as f64 * 8.0 / length_s)
    }
}

#[derive(Default)]
struct Flow {
    sent: Tally,
    received: Tally,
    dropped: Tally,
    span: Span,
    delays: Times,
    last_delay_s: Option<f64>,
    jitter: Times,
}

#[derive(Default)]
struct Link {
    enqueued: Tally,
    dequeued: Tally,
    received: Tally,
    dropped: Tally,
    span: Span,
    waiting: Waiting,
    waits: Times,
}

/// The totals during the analysis.
#[derive(Default)]
pub struct Stats {
    flows: Met<FlowKey, Flow>,
    links: Met<(i32, i32), Link>,
    /// Send times of the packets in flight.
    sent_s: QuickMap<i64, f64>,
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl Stats {
    /// Reads a trace to its end.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn read<R: Read>(reader: &mut Reader<R>, filter: &Filter) -> Result<Stats, TraceError> {
        let mut stats = Stats::default();
        each_line(reader, filter, |line| {
            if filter.admits_flow(line) {
                stats.take_flow(line);
            }
            if filter.admits_link(line) {
                stats.take_link(line);
            }
        })?;
        Ok(stats)
    }

    #[inline]
    fn take_flow(&mut self, line: &PacketLine) {
        if is_sent(line) {
            let flow = self.flows.of(FlowKey::of(line));
            flow.sent.add(line);
            flow.span.first_s.get_or_insert(line.time_s);
            self.sent_s.insert(line.packet, line.time_s);
        } else if is_received(line) {
            let flow = self.flows.of(FlowKey::of(line));
            flow.received.add(line);
            flow.span.last_s = Some(line.time_s);
            if let Some(sent_s) = self.sent_s.remove(&line.packet) {
                let delay_s = line.time_s - sent_s;
                flow.delays.add(delay_s);
                if let Some(last_s) = flow.last_delay_s.replace(delay_s) {
                    flow.jitter.add((delay_s - last_s).abs());
                }
            }
        } else if line.event == PacketEvent::Drop {
            self.flows.of(FlowKey::of(line)).dropped.add(line);
            self.sent_s.remove(&line.packet);
        }
    }

    #[inline]
    fn take_link(&mut self, line: &PacketLine) {
        let link = self.links.of((line.from_node, line.to_node));
        match line.event {
            PacketEvent::Enqueue => {
                link.enqueued.add(line);
                link.span.first_s.get_or_insert(line.time_s);
            }
            PacketEvent::Dequeue => link.dequeued.add(line),
            PacketEvent::Receive => {
                link.received.add(line);
                link.span.last_s = Some(line.time_s);
            }
            PacketEvent::Drop => link.dropped.add(line),
            _ => {}
        }
        if let Some(wait_s) = link.waiting.take(line) {
            link.waits.add(wait_s);
        }
    }

    /// A row per flow, in order of first appearance.
    pub fn flows(&self, kinds: &Names) -> RecordBatch {
        let mut rows = Rows::like(|rows| Flow::default().push(rows, &FlowKey::default(), ""));
        for (key, flow) in &self.flows.all {
            flow.push(&mut rows, key, kinds.word(key.kind));
        }
        rows.finish().into_batch()
    }

    /// A row per link, in order of first appearance.
    pub fn links(&self) -> RecordBatch {
        let mut rows = Rows::like(|rows| Link::default().push(rows, (0, 0)));
        for (ends, link) in &self.links.all {
            link.push(&mut rows, *ends);
        }
        rows.finish().into_batch()
    }
}

impl Flow {
    fn push(&self, rows: &mut Rows, key: &FlowKey, kind: &str) {
        key.name(rows, kind);
        rows.count("sent_packets", self.sent.packets).long("sent_bytes", self.sent.bytes);
        rows.count("received_packets", self.received.packets).long("received_bytes", self.received.bytes);
        rows.count("dropped_packets", self.dropped.packets).long("dropped_bytes", self.dropped.bytes);
        rows.real("loss_rate", share(self.dropped.packets, self.sent.packets));
        rows.real("first_sent_s", self.span.first_s).real("last_received_s", self.span.last_s);
        rows.real("throughput_bps", self.span.rate_bps(self.received.bytes));
        rows.real("delay_mean_s", self.delays.mean());
        rows.real("delay_min_s", self.delays.if_any(self.delays.least));
        rows.real("delay_max_s", self.delays.if_any(self.delays.greatest));
        rows.real("jitter_s", self.jitter.mean());
        rows.end();
    }
}

impl Link {
    fn push(&self, rows: &mut Rows, (from, to): (i32, i32)) {
        rows.integer("from_node", from).integer("to_node", to);
        rows.count("enqueued_packets", self.enqueued.packets).long("enqueued_bytes", self.enqueued.bytes);
        rows.count("dequeued_packets", self.dequeued.packets).long("dequeued_bytes", self.dequeued.bytes);
        rows.count("received_packets", self.received.packets).long("received_bytes", self.received.bytes);
        rows.count("dropped_packets", self.dropped.packets).long("dropped_bytes", self.dropped.bytes);
        rows.real("loss_rate", share(self.dropped.packets, self.enqueued.packets));
        rows.real("throughput_bps", self.span.rate_bps(self.received.bytes));
        rows.real("queue_delay_mean_s", self.waits.mean());
        rows.real("queue_delay_max_s", self.waits.if_any(self.waits.greatest));
        rows.count("queue_max_packets", self.waiting.most() as u64);
        rows.end();
    }
}
