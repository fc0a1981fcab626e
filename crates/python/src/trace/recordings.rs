//! Recordings for a player, read in steps.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use ackclock_trace::read::gunzip::Unpacked;
use ackclock_trace::read::ns2_trace::Reader;
use ackclock_trace::recording::downsample::thin;
use ackclock_trace::recording::lines::Lines;
use ackclock_trace::recording::series::{Asked, What};
use ackclock_trace::recording::table_lines::TableLines;
use ackclock_trace::recording::{Recording as Rows, chunk, counts, links, series};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::process::files::os_error;
use crate::run::tables::Table;
use crate::trace::files::trace_error;

/// A file that counts what is read of it.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A trace as a player wants it: a row for each packet on each link, in chunks, read in steps. What has been read is in a file
/// of its own, which must stay while this is used.
#[pyclass(module = "ackclock._native", frozen)]
pub struct Recording {
    rows: Mutex<Rows<Unpacked<Counted>>>,
    path: PathBuf,
    read: Arc<AtomicU64>,
}

impl Recording {
    fn rows(&self) -> MutexGuard<'_, Rows<Unpacked<Counted>>> {
        // Whoever panicked with it has left it as it was or is told of by its own error.
        self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn new_file(path: &Path) -> PyResult<File> {
    let file = File::options().read(true).write(true).create(true).truncate(true).open(path);
    file.map_err(|error| os_error(path, &error))
}

#[pymethods]
impl Recording {
    /// Of a trace file, `.tr` or `.nam`, plain or gzipped; rows go to the new file `rows`. Nothing is read yet. `OSError`
    /// when one of the two cannot be opened.
    #[staticmethod]
    fn of_file(path: PathBuf, rows: PathBuf) -> PyResult<Recording> {
        let read = Arc::new(AtomicU64::new(0));
        let file = File::open(&path).map(|file| Counted { file, read: read.clone() });
        let text = file.and_then(Unpacked::new).map_err(|error| os_error(&path, &error))?;
        let lines = Lines::File(Box::new(Reader::new(text)));
        Ok(Recording { rows: Mutex::new(Rows::new(lines, new_file(&rows)?)), path, read })
    }

    /// Of a run's table of packets; rows go to the new file `rows`. `ValueError` for another table.
    #[staticmethod]
    fn of_packets(packets: &Table, rows: PathBuf) -> PyResult<Recording> {
        let lines = TableLines::new(packets.parts());
        let lines = lines.ok_or_else(|| PyValueError::new_err("not a table of packets"))?;
        let rows = Rows::new(Lines::Table(Box::new(lines)), new_file(&rows)?);
        Ok(Recording { rows: Mutex::new(rows), path: "packets".into(), read: Arc::default() })
    }

    /// Reads on, at most `count` packet lines; whether there is more. `TraceError` where the file is damaged: what stands in
    /// front of the damage is there then.
    fn read_on(&self, py: Python, count: usize) -> PyResult<bool> {
        py.detach(|| self.rows().read_on(count)).map_err(|damage| trace_error(&self.path, &damage))
    }

    /// Bytes of the file that were read, packed if it is packed; packet lines; whether all has been read.
    fn progress(&self) -> (u64, u64, bool) {
        let rows = self.rows();
        (self.read.load(Ordering::Relaxed), rows.progress().packets, rows.is_complete)
    }

    /// Time of the first packet's event and of the last so far, s; `None` before any.
    fn span_s(&self) -> Option<(f64, f64)> {
        self.rows().span_s
    }

    /// Words for what packets carry, by number.
    fn kinds(&self) -> Vec<String> {
        self.rows().kinds().iter().map(|word| word.to_string()).collect()
    }

    /// A link's rate and delay as known from elsewhere; nothing is estimated of it from now on.
    fn set_link(&self, link: usize, rate_bps: f64, delay_s: f64) -> PyResult<()> {
        let mut rows = self.rows();
        let found = rows.links.get_mut(link).ok_or_else(|| PyKeyError::new_err(format!("there is no link {link}")))?;
        found.known_rate_bps = Some(rate_bps);
        found.known_delay_s = Some(delay_s);
        Ok(())
    }

    /// Links that packets took, by number: from which node, to which, rate in bit/s and delay in s, as told or as estimated so
    /// far; `None` for what cannot be.
    fn links(&self) -> Vec<(i32, i32, Option<f64>, Option<f64>)> {
        let rows = self.rows();
        let figures = links::figures(&rows.links);
        rows.links
            .iter()
            .zip(figures)
            .map(|(link, (rate, delay))| (link.from_node, link.to_node, rate, delay))
            .collect()
    }

    /// Flows, by number: flow id, source node and port, destination node and port, numbers of what the packets carry.
    fn flows(&self) -> Vec<(i32, i32, i32, i32, i32, Vec<u32>)> {
        let rows = self.rows();
        let kinds = |kinds: &[u8]| kinds.iter().map(|kind| u32::from(*kind)).collect();
        let flow = |flow: &ackclock_trace::recording::Flow| {
            let (source, destination) = (flow.source, flow.destination);
            (flow.id, source.0, source.1, destination.0, destination.1, kinds(&flow.kinds))
        };
        rows.flows.iter().map(flow).collect()
    }

    /// nam's nodes: number, shape, label.
    fn drawn_nodes(&self) -> Vec<(i32, String, String)> {
        let rows = self.rows();
        rows.nam_topology.nodes.iter().map(|(id, node)| (*id, node.shape.clone(), node.label.clone())).collect()
    }

    /// nam's links: from which node, to which, rate in bit/s, delay in s, towards where.
    fn drawn_links(&self) -> Vec<(i32, i32, f64, f64, String)> {
        let rows = self.rows();
        let wires = rows.nam_topology.wires.iter();
        wires.map(|((from, to), wire)| (*from, *to, wire.rate_bps, wire.delay_s, wire.orient.clone())).collect()
    }

    /// Where nam draws queues: the link's nodes, and an angle in half turns.
    fn drawn_queues(&self) -> Vec<(i32, i32, f64)> {
        self.rows().nam_topology.queues.iter().map(|((from, to), angle)| (*from, *to, *angle)).collect()
    }

    /// nam's colours of flow ids.
    fn drawn_colours(&self) -> Vec<(i32, String)> {
        self.rows().nam_topology.colours.iter().map(|(flow, colour)| (*flow, colour.clone())).collect()
    }

    /// Remarks, each with its time, s.
    fn remarks(&self) -> Vec<(f64, String)> {
        self.rows().nam_topology.remarks.clone()
    }

    /// Names of the watched variables that there are values of.
    fn variables(&self) -> Vec<String> {
        let rows = self.rows();
        let name = |name: &String| name.split(' ').next().unwrap_or_default().to_owned();
        rows.nam_topology.variables.keys().map(|(.., of)| name(of)).collect()
    }

    /// The chunks that can be had: from when to when their packets come to queues, the last time that something happens to
    /// one of them (all s), and how many rows there are.
    fn chunks(&self) -> Vec<(f64, f64, f64, u64)> {
        let rows = self.rows();
        rows.rows()
            .chunks()
            .iter()
            .map(|chunk| (chunk.begin_s, chunk.end_s, chunk.reach_s, chunk.rows as u64))
            .collect()
    }

    /// A chunk, packed. `KeyError` for one that there is not, or not yet.
    fn chunk<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyBytes>> {
        let packed = py.detach(|| {
            let rows = self.rows();
            if number >= rows.rows().chunks().len() {
                return Ok(None);
            }
            let rates: Vec<Option<f64>> = links::figures(&rows.links).into_iter().map(|(rate, _)| rate).collect();
            rows.rows().chunk(number).map(|hops| Some(chunk::packed(&hops, &rates)))
        });
        let packed = packed.map_err(|error| os_error(&self.path, &error))?;
        let packed = packed.ok_or_else(|| PyKeyError::new_err(format!("there is no chunk {number}")))?;
        Ok(PyBytes::new(py, &packed))
    }

    /// Curves from a time to a time (s), each of at most `points` points: the flow's number, the link's number, times and values.
    /// `interval_s` is the length of an interval for throughput. `ValueError` for something that cannot be followed.
    #[pyo3(signature = (what, from_s, to_s, points, interval_s, flow = None, link = None))]
    fn series(
        &self,
        py: Python,
        what: &str,
        from_s: f64,
        to_s: f64,
        points: usize,
        interval_s: f64,
        flow: Option<u16>,
        link: Option<u16>,
    ) -> PyResult<Vec<(Option<u16>, Option<u16>, Vec<f64>, Vec<f64>)>> {
        let all = What::ALL.map(|(_, word, _)| word).join(", ");
        let known = What::ALL.into_iter().find(|(_, word, _)| *word == what);
        let (what, ..) = known.ok_or_else(|| PyValueError::new_err(format!("expected one of {all}")))?;
        if !(interval_s > 0.0 && (to_s - from_s) / interval_s < 1e6) {
            return Err(PyValueError::new_err(format!(
                "{interval_s} s is not a valid interval for {from_s} to {to_s} s"
            )));
        }
        let asked = Asked { what, from_s, to_s, points, flow, link, interval_s };
        let curves =
            py.detach(|| series::series(&self.rows(), &asked)).map_err(|error| os_error(&self.path, &error))?;
        let curve = |curve: series::Curve| {
            let (times, values) = curve.points.into_iter().unzip();
            (curve.flow, curve.link, times, values)
        };
        Ok(curves.into_iter().map(curve).collect())
    }

    /// The flows, by number, whose senders number bytes, and whether the file says how much their ACKs acknowledge.
    fn byte_flows(&self) -> Vec<(u16, bool)> {
        let rows = self.rows();
        let of = |flow: u16| rows.senders.of(usize::from(flow)).filter(|sender| sender.numbers_bytes());
        (0..rows.flows.len() as u16).filter_map(|flow| of(flow).map(|sender| (flow, sender.tells_acks()))).collect()
    }

    /// Counters at a time (s): for each flow packets sent, received, bytes received, packets dropped, marked, sent again, all
    /// from its source to its destination; for each link packets and bytes that wait, packets that left the queue,
    /// were dropped, left marked so far.
    fn state(
        &self,
        py: Python,
        time_s: f64,
    ) -> PyResult<(Vec<(u64, u64, u64, u64, u64, u64)>, Vec<(u64, u64, u64, u64, u64)>)> {
        let counted =
            py.detach(|| counts::counts(&self.rows(), time_s)).map_err(|error| os_error(&self.path, &error))?;
        let flow = |flow: counts::FlowCount| {
            (flow.sent, flow.received, flow.received_bytes, flow.dropped, flow.marked, flow.again)
        };
        let link =
            |link: counts::LinkCount| (link.queue_packets, link.queue_bytes, link.sent, link.dropped, link.marked);
        Ok((counted.0.into_iter().map(flow).collect(), counted.1.into_iter().map(link).collect()))
    }

    /// The way of one packet: for each link its number, the flow's, kind, bytes, sequence number, flags, and when it comes to the
    /// queue, leaves it, arrives, is dropped (s, NaN for what does not happen).
    fn packet(&self, py: Python, uid: u32) -> PyResult<Vec<(u32, u32, u32, u32, u32, u32, f64, f64, f64, f64)>> {
        let hops = py.detach(|| counts::packet(&self.rows(), uid)).map_err(|error| os_error(&self.path, &error))?;
        let hop = |hop: chunk::Hop| {
            let (link, flow, kind, flags) = (hop.link.into(), hop.flow.into(), hop.kind.into(), hop.flags.into());
            let lost_s = counts::lost_s(&hop);
            (link, flow, kind, hop.size_bytes, hop.seq, flags, hop.enqueue_s, hop.start_s, hop.arrive_s, lost_s)
        };
        Ok(hops.into_iter().map(hop).collect())
    }
}

/// Thins a curve for plots, which keeps its shape: its points' times, s, and values. Returns at most about `most` points: the
/// first, the least, the greatest and the last of each of several equal spans of time; all if there are at most `most`.
/// The points are sorted by time; `ValueError` if there are not as many values as times.
#[pyfunction]
pub fn thin_curve(times_s: Vec<f64>, values: Vec<f64>, most: usize) -> PyResult<(Vec<f64>, Vec<f64>)> {
    if times_s.len() != values.len() {
        return Err(PyValueError::new_err(format!("{} times, {} values", times_s.len(), values.len())));
    }
    Ok(thin(times_s.into_iter().zip(values).collect(), most).into_iter().unzip())
}
