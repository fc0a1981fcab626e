//! Trace files: figures of them, and what they can be made into.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ackclock_trace::analysis::series::What;
use ackclock_trace::analysis::stats::Stats;
use ackclock_trace::analysis::throughput::Connection;
use ackclock_trace::analysis::{Filter, series, throughput};
use ackclock_trace::capture::from_trace::{ConvertError, Where, to_pcapng};
use ackclock_trace::read::gunzip::Unpacked;
use ackclock_trace::read::ns2_trace::{Reader, TraceError as Damage};
use ackclock_trace::read::packet_table::PacketTable;
use ackclock_trace::record_batch;
use ackclock_trace::table_files::csv;
use ackclock_trace::table_files::parquet;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::create_exception;
use pyo3::exceptions::{PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::process::files::{Interruptible, interruption, os_error, shown};
use crate::run::tables::{Table, schema_capsule};

create_exception!(_native, TraceError, PyValueError, "A trace file that is damaged, cut short or no packet trace.");
create_exception!(
    _native,
    PartialTrace,
    PyUserWarning,
    "Of a damaged trace file only the part before the damage was taken."
);

type Text = Interruptible<Unpacked<File>>;
type Trace = Reader<Text>;

/// Opens a file; with `partial` what stands in front of a damage is taken.
fn open(path: &Path, partial: bool) -> PyResult<Trace> {
    let file = File::open(path).and_then(Unpacked::new).map_err(|error| os_error(path, &error))?;
    let file = Interruptible::new(file);
    Ok(if partial { Reader::of_parts(file) } else { Reader::new(file) })
}

/// Warns, as `PartialTrace`, where a file was not read to its end.
fn warn_of_damage(py: Python, path: &Path, damage: Option<&Damage>) -> PyResult<()> {
    let Some(damage) = damage else { return Ok(()) };
    if let Damage::Io(error, _) = damage
        && let Some(signalled) = interruption(py, error)
    {
        return Err(signalled);
    }
    let text = format!("{}: {damage}; the result covers only the part before the damage", shown(path));
    let text = CString::new(text.replace('\0', "?")).expect("no zero is left");
    PyErr::warn(py, &py.get_type::<PartialTrace>(), &text, 1)
}

/// Why a trace was not read to its end: a signal's exception, or a `TraceError` that names the file.
pub fn trace_error(path: &Path, damage: &Damage) -> PyErr {
    if let Damage::Io(error, _) = damage
        && let Some(signalled) = Python::attach(|py| interruption(py, error))
    {
        return signalled;
    }
    TraceError::new_err(format!("{}: {damage}", shown(path)))
}

fn positive(interval_s: f64) -> PyResult<()> {
    if interval_s > 0.0 && interval_s.is_finite() {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("an interval must be a positive number of seconds, not {interval_s}")))
}

/// A trace file, plain or gzipped, and the filter of its packets: `flow` id, packet `kind`, a `node` (number) that is the
/// flow's source or destination or an end of the link, and `start_s` <= time < `end_s`. With `partial`, a damaged file
/// counts up to the damage. Every method raises `OSError` for a file that cannot be read or written, and `TraceError` for
/// one that is damaged.
#[pyclass(frozen, module = "ackclock._native")]
pub struct TraceFile {
    path: PathBuf,
    filter: Filter,
    partial: bool,
}

impl TraceFile {
    fn open(&self) -> PyResult<Trace> {
        open(&self.path, self.partial)
    }

    fn table(&self) -> PyResult<PacketTable<Text>> {
        Ok(PacketTable::new(self.open()?, self.filter.clone()))
    }

    fn error(&self, damage: &Damage) -> PyErr {
        trace_error(&self.path, damage)
    }

    fn warn_of_damage(&self, py: Python, damage: Option<&Damage>) -> PyResult<()> {
        warn_of_damage(py, &self.path, damage)
    }
}

#[pymethods]
impl TraceFile {
    #[new]
    #[pyo3(signature = (path, flow = None, kind = None, node = None, start_s = None, end_s = None, partial = false))]
    fn new(
        path: PathBuf,
        flow: Option<i32>,
        kind: Option<String>,
        node: Option<i32>,
        start_s: Option<f64>,
        end_s: Option<f64>,
        partial: bool,
    ) -> TraceFile {
        TraceFile { path, filter: Filter { flow, kind, node, start_s, end_s }, partial }
    }

    /// The totals of each flow and of each link, and the number of lines: all, packets', others.
    fn stats(&self, py: Python) -> PyResult<(Table, Table, u64, u64, u64)> {
        let mut reader = self.open()?;
        let stats = py.detach(|| Stats::read(&mut reader, &self.filter)).map_err(|damage| self.error(&damage))?;
        self.warn_of_damage(py, reader.damage())?;
        let progress = reader.progress();
        let (flows, links) = (Table::new(stats.flows(reader.kinds())), Table::new(stats.links()));
        Ok((flows, links, progress.lines, progress.packets, progress.others))
    }

    /// Throughput, queue, delay or loss over time: a row for each interval and each flow, or link.
    fn series(&self, py: Python, what: &str, interval_s: f64) -> PyResult<Table> {
        positive(interval_s)?;
        let all = What::ALL.map(What::word).join(", ");
        let what = What::ALL.into_iter().find(|known| known.word() == what);
        let what = what.ok_or_else(|| PyValueError::new_err(format!("expected one of {all}")))?;
        let mut reader = self.open()?;
        let table = py.detach(|| series::read(&mut reader, &self.filter, what, interval_s));
        let table = table.map_err(|damage| self.error(&damage))?;
        self.warn_of_damage(py, reader.damage())?;
        Ok(Table::new(table))
    }

    /// The packet table in memory.
    fn packets(&self, py: Python) -> PyResult<Table> {
        let mut table = self.table()?;
        let mut parts = Vec::new();
        let read = py.detach(|| {
            while let Some(part) = table.next_part()? {
                parts.push(part);
            }
            Ok(())
        });
        read.map_err(|damage| self.error(&damage))?;
        self.warn_of_damage(py, table.damage())?;
        Ok(Table::of_parts(table.columns(), parts))
    }

    /// Arrow's C stream of the packet table. The file is read as the stream is.
    fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let stream = Stream { table: self.table()?, path: self.path.clone() };
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(stream)), c"arrow_array_stream")
    }

    /// Writes the packet table to `output` as `form`, "csv" or "parquet"; returns the number of rows.
    fn write(&self, py: Python, output: PathBuf, form: &str) -> PyResult<u64> {
        let mut table = self.table()?;
        let schema = table.columns();
        let file = File::create(&output).map_err(|error| os_error(&output, &error))?;
        let mut rows = 0;
        let written = py.detach(|| -> Result<(), ConvertError> {
            match form {
                "csv" => {
                    let mut file = BufWriter::new(&file);
                    csv::write_head(&mut file, &schema)?;
                    while let Some(part) = table.next_part()? {
                        rows += part.num_rows() as u64;
                        csv::write_rows(&mut file, &part)?;
                    }
                    file.flush()?;
                }
                _ => {
                    let mut writer = parquet::writer(&file, schema).map_err(io::Error::other)?;
                    while let Some(part) = table.next_part()? {
                        rows += part.num_rows() as u64;
                        writer.write(&part).map_err(io::Error::other)?;
                    }
                    writer.close().map_err(io::Error::other)?;
                }
            }
            Ok(())
        });
        written.map_err(|error| convert_error(&self.path, &output, error))?;
        self.warn_of_damage(py, table.damage())?;
        Ok(rows)
    }

    /// Writes a capture to `output` as pcapng: of a node, of a link (both ways), or of the senders of data; returns the
    /// number of packets. `ValueError` for a node and a link at once.
    #[pyo3(signature = (output, at_node = None, at_link = None))]
    fn to_pcapng(
        &self,
        py: Python,
        output: PathBuf,
        at_node: Option<i32>,
        at_link: Option<(i32, i32)>,
    ) -> PyResult<u64> {
        let place = match (at_node, at_link) {
            (None, None) => Where::Senders,
            (Some(node), None) => Where::Node(node),
            (None, Some((from, to))) => Where::Link(from, to),
            (Some(_), Some(_)) => {
                return Err(PyValueError::new_err("expected a node or a link for the capture, not both"));
            }
        };
        let mut reader = self.open()?;
        let filter = &self.filter;
        let file = File::create(&output).map_err(|error| os_error(&output, &error))?;
        let written = py.detach(|| {
            let mut file = BufWriter::new(file);
            let count = to_pcapng(
                &mut reader,
                place,
                |line, reader: &Trace| filter.admits(line, reader.kinds()) && filter.admits_flow(line),
                &mut file,
            )?;
            file.flush()?;
            Ok(count)
        });
        let count = written.map_err(|error| convert_error(&self.path, &output, error))?;
        self.warn_of_damage(py, reader.damage())?;
        Ok(count)
    }
}

/// The output of the usual throughput script for a connection, and the mean over its intervals, Mbit/s.
#[pyfunction]
#[pyo3(signature = (path, node, source, destination, interval_s, kind = "tcp", partial = false))]
pub fn trace_throughput(
    py: Python,
    path: PathBuf,
    node: i32,
    source: (i32, i32),
    destination: (i32, i32),
    interval_s: f64,
    kind: &str,
    partial: bool,
) -> PyResult<(String, f64)> {
    positive(interval_s)?;
    let asked = Connection { node, source, destination, kind: kind.to_owned(), interval_s };
    let mut reader = open(&path, partial)?;
    let said =
        py.detach(|| throughput::throughput(&mut reader, &asked)).map_err(|damage| trace_error(&path, &damage))?;
    warn_of_damage(py, &path, reader.damage())?;
    Ok((said.text, said.mean_mbps))
}

/// The packet table and its file. At the end of a damaged file it warns.
struct Stream {
    table: PacketTable<Text>,
    path: PathBuf,
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.table.next();
        if part.is_none() && self.table.damage().is_some() {
            let warned = Python::attach(|py| warn_of_damage(py, &self.path, self.table.damage()));
            return warned.err().map(|error| Err(ArrowError::ExternalError(Box::new(error))));
        }
        part
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.table.columns()
    }
}

/// Arrow's C schema of the packet table.
#[pyfunction]
pub fn trace_schema(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    schema_capsule(py, &record_batch::packet_schema())
}

fn convert_error(path: &Path, output: &Path, error: ConvertError) -> PyErr {
    match error {
        ConvertError::Trace(damage) => trace_error(path, &damage),
        ConvertError::Output(error) => os_error(output, &error),
    }
}
