//! Time series of a recording over a time span.

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::Recording;
use super::chunk::way;
use super::counts::lost_s;
use super::downsample::thin;

/// The metric of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Rate of arrival at a flow's destination, bit/s, per interval as defined in [`super::super::analysis::series`].
    Throughput,
    /// Queue length of a link, packets.
    Queue,
    /// RTT samples.
    Rtt,
    /// Packets in flight.
    InFlight,
    /// Packets of a flow dropped or lost so far.
    Drops,
    /// Sequence numbers sent by a flow's sender.
    Sequence,
    /// The traced congestion window.
    Cwnd,
    /// The traced slow-start threshold.
    Ssthresh,
}

impl What {
    /// All metrics, with names and units.
    pub const ALL: [(What, &'static str, &'static str); 8] = [
        (What::Throughput, "throughput", "bit/s"),
        (What::Queue, "queue", "packets"),
        (What::Rtt, "rtt", "s"),
        (What::InFlight, "in_flight", "packets"),
        (What::Drops, "drops", "packets"),
        (What::Sequence, "sequence", "packets"),
        (What::Cwnd, "cwnd", "packets"),
        (What::Ssthresh, "ssthresh", "packets"),
    ];
}

/// A request for series.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The metric.
    pub what: What,
    /// Start time, s.
    pub from_s: f64,
    /// End time, s.
    pub to_s: f64,
    /// Max number of points per series.
    pub points: usize,
    /// Only this flow number.
    pub flow: Option<u16>,
    /// Only this link number.
    pub link: Option<u16>,
    /// Interval length for throughput, s.
    pub interval_s: f64,
}

/// The series of a flow or of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Flow number.
    pub flow: Option<u16>,
    /// Link number.
    pub link: Option<u16>,
    /// Times, s, and values.
    pub points: Vec<(f64, f64)>,
}

/// The requested series.
///
/// # Errors
/// If the recording's file cannot be read.
pub fn series<R: Read>(recording: &Recording<R>, asked: &Asked) -> io::Result<Vec<Curve>> {
    let curves = match asked.what {
        What::Throughput => throughput(recording, asked)?,
        What::Queue => queues(recording, asked)?,
        What::Drops => drops(recording, asked)?,
        What::Sequence => sequence(recording, asked)?,
        What::Rtt => of_senders(recording, asked, false),
        What::InFlight => of_senders(recording, asked, true),
        What::Cwnd => variables(recording, asked, "cwnd_"),
        What::Ssthresh => variables(recording, asked, "ssthresh_"),
    };
    Ok(curves.into_iter().map(|curve| Curve { points: thin(curve.points, asked.points), ..curve }).collect())
}

impl Asked {
    fn admits_flow(&self, flow: u16) -> bool {
        self.flow.is_none_or(|wanted| wanted == flow)
    }

    fn admits_link(&self, link: u16) -> bool {
        self.link.is_none_or(|wanted| wanted == link)
    }

    fn holds(&self, time_s: f64) -> bool {
        self.from_s <= time_s && time_s <= self.to_s
    }

    /// The points in the time span, and the one before it: a step curve needs its value at the start.
    fn steps(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let from = points.partition_point(|point| point.0 < self.from_s);
        let to = points.partition_point(|point| point.0 <= self.to_s);
        points[from.saturating_sub(1)..to].to_vec()
    }
}

/// Intervals start at 0, as in the trace tools.
fn throughput<R: Read>(recording: &Recording<R>, asked: &Asked) -> io::Result<Vec<Curve>> {
    let interval_s = asked.interval_s;
    let mut bytes: BTreeMap<u16, BTreeMap<u64, f64>> = BTreeMap::new();
    let first = (asked.from_s / interval_s).floor().max(0.0);
    let last = (asked.to_s / interval_s).floor();
    recording.rows().each(first * interval_s, (last + 1.0) * interval_s, |hop| {
        if hop.way & way::LAST != 0 && hop.is_forth() && asked.admits_flow(hop.flow) && !hop.arrive_s.is_nan() {
            let interval = (hop.arrive_s / interval_s).floor();
            if first <= interval && interval <= last {
                *bytes.entry(hop.flow).or_default().entry(interval as u64).or_default() += f64::from(hop.size_bytes);
            }
        }
    })?;
    let end_s = recording.span_s.map_or(0.0, |(_, end_s)| end_s);
    let last = last.min((end_s / interval_s).floor());
    let curve = |(flow, bytes): (u16, BTreeMap<u64, f64>)| {
        let value = |interval: u64| 8.0 * bytes.get(&interval).copied().unwrap_or_default() / interval_s;
        let points = (first as u64..=last.max(first) as u64).map(|n| (n as f64 * interval_s, value(n))).collect();
        Curve { flow: Some(flow), link: None, points }
    };
    Ok(bytes.into_iter().map(curve).collect())
}

fn queues<R: Read>(recording: &Recording<R>, asked: &Asked) -> io::Result<Vec<Curve>> {
    let mut changes: BTreeMap<u16, (f64, Vec<(f64, f64)>)> = BTreeMap::new();
    recording.rows().each(asked.from_s, asked.to_s, |hop| {
        if !asked.admits_link(hop.link) || hop.enqueue_s > asked.to_s {
            return;
        }
        // A packet that is transmitted or dropped on arrival never waits.
        let leaves_s = hop.leaves_s();
        if leaves_s <= hop.enqueue_s || leaves_s < asked.from_s {
            return;
        }
        let (waiting, points) = changes.entry(hop.link).or_default();
        if hop.enqueue_s < asked.from_s {
            *waiting += 1.0;
        } else {
            points.push((hop.enqueue_s, 1.0));
        }
        if leaves_s <= asked.to_s {
            points.push((leaves_s, -1.0));
        }
    })?;
    let curve = |(link, (waiting, mut points)): (u16, (f64, Vec<(f64, f64)>))| {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut length = waiting;
        let mut lengths: Vec<(f64, f64)> = vec![(asked.from_s, waiting)];
        for (time_s, change) in points {
            length += change;
            match lengths.last_mut() {
                Some(last) if last.0 == time_s => last.1 = length,
                _ => lengths.push((time_s, length)),
            }
        }
        Curve { flow: None, link: Some(link), points: lengths }
    };
    Ok(changes.into_iter().map(curve).collect())
}

fn drops<R: Read>(recording: &Recording<R>, asked: &Asked) -> io::Result<Vec<Curve>> {
    let mut times: BTreeMap<u16, Vec<f64>> = BTreeMap::new();

    recording.rows().each(f64::NEG_INFINITY, asked.to_s, |hop| {
        if hop.is_forth() && asked.admits_flow(hop.flow) && asked.admits_link(hop.link) && lost_s(hop) <= asked.to_s {
            times.entry(hop.flow).or_default().push(lost_s(hop));
        }
    })?;
    let curve = |(flow, mut times): (u16, Vec<f64>)| {
        times.sort_by(f64::total_cmp);
        let points: Vec<_> = times.into_iter().zip(1..).map(|(time_s, count)| (time_s, f64::from(count))).collect();
        Curve { flow: Some(flow), link: None, points: asked.steps(&points) }
    };
    Ok(times.into_iter().map(curve).collect())
}

fn sequence<R: Read>(recording: &Recording<R>, asked: &Asked) -> io::Result<Vec<Curve>> {
    let mut points: BTreeMap<u16, Vec<(f64, f64)>> = BTreeMap::new();
    recording.rows().each(asked.from_s, asked.to_s, |hop| {
        let sends = hop.way & way::SETS_OUT != 0 && hop.is_forth() && hop.seq != u32::MAX;
        if sends && asked.admits_flow(hop.flow) && asked.holds(hop.enqueue_s) {
            points.entry(hop.flow).or_default().push((hop.enqueue_s, f64::from(hop.seq)));
        }
    })?;
    Ok(points.into_iter().map(|(flow, points)| Curve { flow: Some(flow), link: None, points }).collect())
}

fn of_senders<R: Read>(recording: &Recording<R>, asked: &Asked, in_flight: bool) -> Vec<Curve> {
    let mut curves = Vec::new();
    for flow in (0..recording.flows.len() as u16).filter(|flow| asked.admits_flow(*flow)) {
        let known = recording.senders.of(usize::from(flow)).filter(|sender| sender.tells_acks());
        let Some(sender) = known else { continue };
        let points = if in_flight {
            asked.steps(&sender.in_flight)
        } else {
            sender.round_trips.iter().copied().filter(|point| asked.holds(point.0)).collect()
        };
        if !points.is_empty() {
            curves.push(Curve { flow: Some(flow), link: None, points });
        }
    }
    curves
}

/// Traced variables belong to their agent's node and port. nam's have only nodes, and belong to the first flow between
/// them.
fn variables<R: Read>(recording: &Recording<R>, asked: &Asked, name: &str) -> Vec<Curve> {
    let mut curves = Vec::new();
    for ((from, to, variable), values) in &recording.nam_topology.variables {
        if variable.split(' ').next() != Some(name) {
            continue;
        }
        let fits = |end: (i32, i32), wanted: (i32, i32)| end.0 == wanted.0 && (wanted.1 < 0 || end.1 == wanted.1);
        let flow = recording.flows.iter().position(|flow| fits(flow.source, *from) && fits(flow.destination, *to));
        let flow = flow.and_then(|flow| u16::try_from(flow).ok());
        if asked.flow.is_none() || asked.flow == flow {
            curves.push(Curve { flow, link: None, points: asked.steps(values) });
        }
    }
    curves
}
