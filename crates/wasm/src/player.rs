//! A run as a player asks for it: packets from its table, curves from its tables, counters.

use std::collections::HashMap;
use std::io::Empty;

use ackclock_scenario::Results;
use ackclock_trace::columns::{Column, Table};
use ackclock_trace::recording::column_lines::ColumnLines;
use ackclock_trace::recording::downsample::thin;
use ackclock_trace::recording::lines::Lines;
use ackclock_trace::recording::positional::Storage;
use ackclock_trace::recording::senders::Sender;
use ackclock_trace::recording::series::{Asked, Curve, What, series};
use ackclock_trace::recording::{Recording, counts, links};
use serde_json::{Map, Value, json};

use crate::refusal::Refusal;

/// The approximate number of intervals of a curve of throughput, unless the request says.
const INTERVALS: f64 = 200.0;
/// Most points of a curve.
const MOST_POINTS: u64 = 200_000;
/// What is followed, the run's table that has it, and the column.
const TABLES: [(&str, &str, &str); 5] = [
    ("cwnd", "window_changes", "cwnd_packets"),
    ("ssthresh", "window_changes", "ssthresh_packets"),
    ("rtt", "rtt_changes", "rtt_s"),
    ("throughput", "flow_series", "throughput_bps"),
    ("queue", "queue_changes", "queue_packets"),
];
/// Bits of a row's flags, and their words.
const FLAGS: [(u8, &str); 4] =
    [(1, "marked"), (2, "dropped at the queue"), (4, "lost on the link"), (8, "retransmitted")];

/// A run's results, and its packets as rows.
pub struct Player {
    /// The results, without the table of packets.
    pub results: Results,
    /// The packets.
    pub recording: Recording<Empty>,
}

impl Player {
    /// Takes a run's packets.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn new(mut results: Results) -> Result<Player, Refusal> {
        let at = results.tables.iter().position(|(name, _)| *name == "packets");
        let packets = at.map_or_else(Table::default, |at| results.tables.remove(at).1);
        let lines = Lines::Columns(Box::new(ColumnLines::new(packets)));
        let mut recording = Recording::new(lines, Storage::Memory(Vec::new()));
        while recording.read_on(usize::MAX).map_err(|error| Refusal::new(error.to_string()))? {}
        let known: HashMap<(i32, i32), (f64, f64)> = (results.network.links.iter())
            .map(|link| ((link.source as i32, link.target as i32), (link.rate_bps, link.delay_s)))
            .collect();
        for link in &mut recording.links {
            if let Some((rate_bps, delay_s)) = known.get(&(link.from_node, link.to_node)) {
                (link.known_rate_bps, link.known_delay_s) = (Some(*rate_bps), Some(*delay_s));
            }
        }
        Ok(Player { results, recording })
    }

    /// The rates of the links that packets took, bit/s.
    pub fn rates_bps(&self) -> Vec<Option<f64>> {
        links::figures(&self.recording.links).into_iter().map(|(rate, _)| rate).collect()
    }

    /// Each recorded flow's place among the scenario's.
    pub fn flow_numbers(&self) -> Vec<Option<usize>> {
        let flows = &self.results.network.flows;
        let of = |flow: &ackclock_trace::recording::Flow| {
            flows.iter().rposition(|own| {
                (own.flow_id, own.source as i32, own.destination as i32)
                    == (i64::from(flow.id), flow.source.0, flow.destination.0)
            })
        };
        self.recording.flows.iter().map(of).collect()
    }

    /// The names of the recorded flows.
    pub fn flow_names(&self) -> Vec<String> {
        let names = self.flow_numbers().into_iter().zip(&self.recording.flows);
        names
            .map(|(number, flow)| {
                number.map_or_else(|| flow.id.to_string(), |n| self.results.network.flows[n].name.clone())
            })
            .collect()
    }

    /// Curves over a span of time: from the run's tables where they have it, else from its packets.
    ///
    /// # Errors
    /// For what cannot be followed, or a span that ends too early.
    pub fn series(&self, asked: &Map<String, Value>) -> Result<Value, Refusal> {
        let what = asked.get("what").and_then(Value::as_str).unwrap_or_default();
        let known = What::ALL.into_iter().find(|(_, word, _)| *word == what);
        let Some((kind, _, unit)) = known else {
            let all = What::ALL.map(|(_, word, _)| word).join(", ");
            return Err(Refusal::new(format!("what={what} is none of {all}")));
        };
        let real = |key: &str| asked.get(key).and_then(Value::as_f64);
        let whole = |key: &str| asked.get(key).and_then(Value::as_u64);
        let bin_s = real("bin");
        let of_table =
            TABLES.iter().find(|(known, ..)| *known == what).filter(|_| what != "throughput" || bin_s.is_none());
        let table = of_table.and_then(|(_, name, column)| Some((*name, self.results.table(name)?, *column)));
        let (begin_s, end_s) = match table {
            Some(_) => (0.0, self.results.network.duration_s),
            None => self.recording.span_s.unwrap_or_default(),
        };
        let from_s = real("from").unwrap_or(begin_s);
        let to_s = real("to").unwrap_or(end_s);
        if to_s < from_s || to_s.is_nan() || from_s.is_nan() {
            return Err(Refusal::new(format!("from={from_s} to={to_s} is not a valid interval")));
        }
        let points = whole("points").unwrap_or(2000).clamp(1, MOST_POINTS) as usize;
        let number = |key: &str| whole(key).and_then(|number| u16::try_from(number).ok());
        let (flow, link) = (number("flow"), number("link"));
        let interval_s = bin_s.unwrap_or_else(|| nice((to_s - from_s) / INTERVALS));
        let request = Asked { what: kind, from_s, to_s, points, flow, link, interval_s };
        let (curves, exact) = match table {
            Some((_, table, column)) => self.of_table(table, column, &request),
            None => {
                if !(interval_s > 0.0 && (to_s - from_s) / interval_s < 1e6) {
                    return Err(Refusal::new(format!("{interval_s} s is not a valid interval")));
                }
                let found = series(&self.recording, &request).map_err(|error| Refusal::new(error.to_string()))?;
                let exact = found.iter().all(|curve| curve.points.len() < points);
                (found, exact)
            }
        };
        let names = self.flow_names();
        let columns: Vec<Value> = curves
            .into_iter()
            .map(|curve| {
                let of_link = |link: u16| {
                    let link = &self.recording.links[usize::from(link)];
                    format!("{}->{}", self.node_name(link.from_node), self.node_name(link.to_node))
                };
                let of_flow = curve.flow.map(|flow| names[usize::from(flow)].clone());
                let whose = curve.link.map(of_link).or(of_flow).unwrap_or_default();
                let sender = curve.flow.and_then(|flow| self.recording.senders.of(usize::from(flow)));
                let in_bytes = kind == What::Sequence && sender.is_some_and(Sender::numbers_bytes);
                let unit = if in_bytes { "bytes" } else { unit };
                let (times, values): (Vec<f64>, Vec<f64>) = curve.points.into_iter().unzip();
                let name = format!("{} {whose}", what.replace('_', " "));
                json!({"name": name, "unit": unit, "flow": curve.flow, "link": curve.link, "times": times, "values": values})
            })
            .collect();
        let mut told = json!({"what": what, "unit": unit, "from_s": from_s, "to_s": to_s, "exact": exact});
        match table {
            Some((name, ..)) => told["table"] = name.into(),
            None => told["interval_s"] = interval_s.into(),
        }
        if columns.is_empty() {
            told["note"] = self.lacks(what, table.is_some()).into();
        }
        told["columns"] = columns.into();
        Ok(told)
    }

    /// Why there is no curve.
    fn lacks(&self, what: &str, has_table: bool) -> &'static str {
        let mut senders = (0..self.recording.flows.len()).filter_map(|flow| self.recording.senders.of(flow));
        match what {
            "rtt" | "in_flight" if !has_table && senders.any(|sender| !sender.tells_acks()) => {
                "The table of packets does not say how much the ACKs of two-way TCP acknowledge."
            }
            "rtt" if !has_table => "No acknowledgement of data that was sent once arrives in this span.",
            _ => "Nothing of this happens in this span.",
        }
    }

    fn of_table(&self, table: &Table, column: &str, asked: &Asked) -> (Vec<Curve>, bool) {
        let of_link = asked.what == What::Queue;
        let (Some(times), Some(values), Some(keys)) =
            (table.column("time_s"), table.column(column), table.column(if of_link { "link" } else { "flow" }))
        else {
            return (Vec::new(), true);
        };
        let mut by_key: HashMap<u32, Vec<(f64, f64)>> = HashMap::new();
        let key = |row: usize| match keys {
            Column::Numbers(numbers) => numbers.get(row),
            _ => None,
        };
        for row in 0..table.len() {
            // A threshold is infinite until the first loss: no point of a curve.
            if let (Some(key), Some(time_s), Some(value)) = (key(row), times.real(row), values.real(row))
                && value.is_finite()
            {
                by_key.entry(key).or_default().push((time_s, value));
            }
        }
        let network = &self.results.network;
        let numbers: Vec<Option<u32>> = if of_link {
            let of = |link: &links::Link| {
                let is_it = |own: &ackclock_scenario::resolve::layout::DirectedLink| {
                    (own.source as i32, own.target as i32) == (link.from_node, link.to_node)
                };
                network.links.iter().rposition(is_it).map(|number| number as u32)
            };
            self.recording.links.iter().map(of).collect()
        } else {
            self.flow_numbers().into_iter().map(|number| number.map(|number| number as u32 + 1)).collect()
        };
        let wanted = if of_link { asked.link } else { asked.flow };
        let (mut curves, mut exact) = (Vec::new(), true);
        for (place, number) in (0u16..).zip(numbers) {
            let Some(all) =
                number.and_then(|number| by_key.get(&number)).filter(|_| wanted.is_none_or(|one| one == place))
            else {
                continue;
            };
            // The point before the span says how a step begins.
            let first = all.partition_point(|point| point.0 < asked.from_s).saturating_sub(1);
            let last = all.partition_point(|point| point.0 <= asked.to_s);
            let part = all[first.min(last)..last].to_vec();
            let is_empty = of_link && wanted.is_none() && all.iter().all(|(_, value)| *value == 0.0);
            if part.is_empty() || is_empty {
                continue;
            }
            exact = exact && part.len() <= asked.points;
            let (flow, link) = if of_link { (None, Some(place)) } else { (Some(place), None) };
            curves.push(Curve { flow, link, points: thin(part, asked.points) });
        }
        (curves, exact)
    }

    /// What stands beside a node.
    pub fn node_name(&self, node: i32) -> String {
        let name = usize::try_from(node).ok().and_then(|node| self.results.network.nodes.get(node));
        name.cloned().unwrap_or_else(|| node.to_string())
    }

    /// Every event of one packet.
    ///
    /// # Errors
    /// If there is no such packet.
    pub fn packet(&self, asked: &Map<String, Value>) -> Result<Value, Refusal> {
        let uid = asked.get("uid").and_then(Value::as_u64).and_then(|uid| u32::try_from(uid).ok()).unwrap_or(u32::MAX);
        let hops = counts::packet(&self.recording, uid).map_err(|error| Refusal::new(error.to_string()))?;
        if hops.is_empty() {
            return Err(Refusal::new(format!("no packet {uid}")));
        }
        let (all_links, flows, kinds) = (&self.recording.links, &self.recording.flows, self.recording.kinds());
        let begins_at = all_links[usize::from(hops[0].link)].from_node;
        let mut events: Vec<(f64, Value)> = Vec::new();
        for hop in &hops {
            let (link, flow) = (&all_links[usize::from(hop.link)], &flows[usize::from(hop.flow)]);
            let end = |(node, port): (i32, i32)| format!("{node}.{port}");
            let (mut source, mut destination) = (end(flow.source), end(flow.destination));
            if begins_at != flow.source.0 {
                std::mem::swap(&mut source, &mut destination);
            }
            let flags: Vec<&str> =
                FLAGS.iter().filter(|(bit, _)| hop.flags & bit != 0).map(|(_, word)| *word).collect();
            let lost = if hop.flags & 2 != 0 { "drop" } else { "loss" };
            let times = [
                ("enqueue", hop.enqueue_s),
                ("dequeue", hop.start_s),
                ("receive", hop.arrive_s),
                (lost, counts::lost_s(hop)),
            ];
            for (what, time_s) in times.into_iter().filter(|(_, time_s)| time_s.is_finite()) {
                let node = if what == "receive" { link.to_node } else { link.from_node };
                events.push((
                    time_s,
                    json!({
                        "t": time_s, "what": what, "node": node, "link": hop.link, "kind": kinds[usize::from(hop.kind)],
                        "size_bytes": hop.size_bytes, "flow": hop.flow, "seq": (hop.seq != u32::MAX).then_some(hop.seq),
                        "flags": flags, "source": source, "destination": destination,
                    }),
                ));
            }
        }
        events.sort_by(|one, other| one.0.total_cmp(&other.0));
        let events: Vec<Value> = events.into_iter().map(|(_, event)| event).collect();
        Ok(json!({"uid": uid, "events": events}))
    }

    /// Counters of flows and links at a time; what happens at that time counts.
    ///
    /// # Errors
    /// Without a time.
    pub fn state(&self, asked: &Map<String, Value>) -> Result<Value, Refusal> {
        let time_s =
            asked.get("t").and_then(Value::as_f64).ok_or_else(|| Refusal::new("t is missing: the time in seconds"))?;
        let (flows, links) =
            counts::counts(&self.recording, time_s).map_err(|error| Refusal::new(error.to_string()))?;
        let flows: Vec<Value> = (flows.iter().enumerate())
            .map(|(id, one)| {
                json!({
                    "id": id, "sent": one.sent, "received": one.received, "received_bytes": one.received_bytes,
                    "dropped": one.dropped, "marked": one.marked, "retransmitted": one.again,
                })
            })
            .collect();
        let links: Vec<Value> = (links.iter().enumerate())
            .map(|(id, one)| {
                json!({
                    "id": id, "queue_packets": one.queue_packets, "queue_bytes": one.queue_bytes, "sent": one.sent,
                    "dropped": one.dropped, "marked": one.marked,
                })
            })
            .collect();
        Ok(json!({"t": time_s, "flows": flows, "links": links}))
    }
}

/// The next 1, 2 or 5 times a power of ten.
fn nice(interval_s: f64) -> f64 {
    if interval_s <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powi(interval_s.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0]
        .map(|step| step * power)
        .into_iter()
        .find(|&step| step >= interval_s * (1.0 - 1e-9))
        .unwrap_or(interval_s)
}
