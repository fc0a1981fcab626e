//! Time series of a metric: one row per interval and flow, or link.
//!
//! The interval number is `int(time / interval)`. A flow or link has a row for each interval from its first line to the
//! last line of the trace.

use std::io::Read;

use arrow_array::RecordBatch;

use super::fast_hash::{Met, QuickMap};
use super::queue::Waiting;
use super::{Filter, FlowKey, is_received, is_sent};
use crate::columns::{PacketEvent, Rows};
use crate::read::ns2_trace::{Reader, TraceError};
use crate::read::packet_line::PacketLine;

/// Max number of rows in a series.
pub(super) const MAX_ROWS: f64 = 1e7;

/// The metric of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Received bytes of each flow.
    Throughput,
    /// End-to-end delay of each flow.
    Delay,
    /// Packet loss of each flow.
    Loss,
    /// Queue length of each link.
    Queue,
}

impl What {
    /// All metrics.
    pub const ALL: [What; 4] = [What::Throughput, What::Queue, What::Delay, What::Loss];

    /// The name of the metric.
    pub fn word(self) -> &'static str {
        match self {
            What::Throughput => "throughput",
            What::Delay => "delay",
            What::Loss => "loss",
            What::Queue => "queue",
        }
    }
}

#[derive(Default)]
struct Flow {
    sent: u64,
    dropped: u64,
    received: u64,
    received_bytes: i64,
    delay_sum_s: f64,
    delays: u64,
}

#[derive(Default)]
struct Link {
    waiting: Waiting,
    since_s: Option<f64>,
    packet_seconds: f64,
    byte_seconds: f64,
}

impl Link {
    fn integrate(&mut self, now_s: f64) {
        let passed_s = (now_s - self.since_s.unwrap_or(now_s)).max(0.0);
        self.packet_seconds += self.waiting.packets() as f64 * passed_s;
        self.byte_seconds += self.waiting.bytes() as f64 * passed_s;
        self.since_s = Some(now_s);
    }
}

impl Flow {
    fn push(&self, rows: &mut Rows, what: What, start_s: f64, interval_s: f64, (key, kind): (&FlowKey, &str)) {
        rows.real("time_s", start_s);
        key.name(rows, kind);
        match what {
            What::Throughput => {
                rows.long("received_bytes", self.received_bytes);
                rows.real("throughput_bps", self.received_bytes as f64 * 8.0 / interval_s);
            }
            What::Delay => {
                let mean = (self.delays > 0).then(|| self.delay_sum_s / self.delays as f64);
                rows.count("received_packets", self.received).real("delay_mean_s", mean);
            }
            What::Loss | What::Queue => {
                let rate = (self.sent > 0).then(|| self.dropped as f64 / self.sent as f64);
                rows.count("sent_packets", self.sent).count("dropped_packets", self.dropped).real("loss_rate", rate);
            }
        }
        rows.end();
    }
}

impl Link {
    fn push(&self, rows: &mut Rows, start_s: f64, length_s: f64, (from, to): (i32, i32)) {
        let mean = |sum: f64, now: f64| if length_s > 0.0 { sum / length_s } else { now };
        rows.real("time_s", start_s).integer("from_node", from).integer("to_node", to);
        rows.real("queue_mean_packets", mean(self.packet_seconds, self.waiting.packets() as f64));
        rows.real("queue_mean_bytes", mean(self.byte_seconds, self.waiting.bytes() as f64));
        rows.count("queue_max_packets", self.waiting.most() as u64);
        rows.end();
    }
}

struct Series {
    what: What,
    interval_s: f64,
    number: Option<i64>,
    last_s: f64,
    flows: Met<FlowKey, Flow>,
    links: Met<(i32, i32), Link>,
    sent_s: QuickMap<i64, f64>,
    rows: Rows,
    /// Number of rows so far.
    written: f64,
}

/// Reads a trace to its end; returns the table of a metric.
///
/// # Errors
/// Those of the reader, and a series of more than ten million rows.
///
/// # Panics
/// If the interval is not positive.
pub fn read<R: Read>(
    reader: &mut Reader<R>,
    filter: &Filter,
    what: What,
    interval_s: f64,
) -> Result<RecordBatch, TraceError> {
    assert!(interval_s > 0.0, "an interval is positive");
    let mut series = Series {
        what,
        interval_s,
        number: None,
        last_s: 0.0,
        flows: Met::default(),
        links: Met::default(),
        sent_s: QuickMap::default(),
        rows: Rows::like(|rows| match what {
            What::Queue => Link::default().push(rows, 0.0, 0.0, (0, 0)),
            _ => Flow::default().push(rows, what, 0.0, interval_s, (&FlowKey::default(), "")),
        }),
        written: 0.0,
    };
    while let Some(line) = reader.next_line()? {
        if !filter.admits(&line, reader.kinds()) {
            continue;
        }
        let number = (line.time_s / interval_s).trunc();
        if series.rows_until(number) > MAX_ROWS {
            return Err(too_many(reader, interval_s));
        }
        series.advance(number as i64, reader);
        series.last_s = line.time_s;
        match what {
            What::Queue if filter.admits_link(&line) => series.take_link(&line),
            What::Throughput | What::Delay | What::Loss if filter.admits_flow(&line) => series.take_flow(&line),
            _ => {}
        }
    }
    reader.expect_node_numbers()?;
    series.close(reader, true);
    Ok(series.rows.finish().into_batch())
}

/// The error for a trace with too many intervals.
pub(super) fn too_many<R: Read>(reader: &Reader<R>, interval_s: f64) -> TraceError {
    let progress = reader.progress();
    let what = format!("intervals of {interval_s} s are too short for this trace: there would be over {MAX_ROWS} rows");
    TraceError::Line(progress.lines, what, progress)
}

impl Series {
    /// The number of rows when all intervals before `number` are over.
    #[inline]
    fn rows_until(&self, number: f64) -> f64 {
        let now = self.number.map_or(number, |now| now as f64);
        self.written + (number - now) * (self.flows.all.len() + self.links.all.len()).max(1) as f64
    }

    /// Closes all intervals before `number`. (Lines are sorted by time.)
    #[inline]
    fn advance<R: Read>(&mut self, number: i64, reader: &Reader<R>) {
        let now = *self.number.get_or_insert(number);
        for before in now..number {
            self.close(reader, false);
            self.number = Some(before + 1);
        }
    }

    fn close<R: Read>(&mut self, reader: &Reader<R>, is_last: bool) {
        let Some(number) = self.number else { return };
        let start_s = number as f64 * self.interval_s;
        let end_s = if is_last { self.last_s } else { (number + 1) as f64 * self.interval_s };
        let length_s = end_s - start_s;
        self.written += (self.flows.all.len() + self.links.all.len()) as f64;
        for (key, flow) in &mut self.flows.all {
            let flow = std::mem::take(flow);
            let kind = reader.kinds().word(key.kind);
            flow.push(&mut self.rows, self.what, start_s, self.interval_s, (key, kind));
        }
        for (ends, link) in &mut self.links.all {
            link.integrate(end_s);
            link.push(&mut self.rows, start_s, length_s, *ends);
            (link.packet_seconds, link.byte_seconds) = (0.0, 0.0);
            link.waiting.forget_most();
        }
    }

    #[inline]
    fn take_link(&mut self, line: &PacketLine) {
        let link = self.links.of((line.from_node, line.to_node));
        link.integrate(line.time_s);
        link.waiting.take(line);
    }

    #[inline]
    fn take_flow(&mut self, line: &PacketLine) {
        if is_sent(line) {
            self.flows.of(FlowKey::of(line)).sent += 1;
            if self.what == What::Delay {
                self.sent_s.insert(line.packet, line.time_s);
            }
        } else if is_received(line) {
            let flow = self.flows.of(FlowKey::of(line));
            flow.received += 1;
            flow.received_bytes += i64::from(line.size_bytes);
            if let Some(sent_s) = self.sent_s.remove(&line.packet) {
                flow.delay_sum_s += line.time_s - sent_s;
                flow.delays += 1;
            }
        } else if line.event == PacketEvent::Drop {
            self.flows.of(FlowKey::of(line)).dropped += 1;
            self.sent_s.remove(&line.packet);
        }
    }
}
