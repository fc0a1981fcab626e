//! Tables of a run, handed to Python as Arrow.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use ackclock_engine::net::Upcall;
use ackclock_engine::net::link::{Hook, HookPoint, LinkId};
use ackclock_engine::net::node::AgentId;
use ackclock_engine::sim::{AppId, Simulation as Engine};
use ackclock_engine::transport::tcp::cc::model_log::ModelLog;
use ackclock_trace::columns::{PacketEvent, Rows};
use ackclock_trace::table_files::csv;
use ackclock_trace::table_files::parquet;
use ackclock_trace::tables::changes::Variable;
use ackclock_trace::tables::merged_runs;
use ackclock_trace::tables::{Spot, Tables, Wanted};
use arrow_array::cast::AsArray;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int8Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use crate::convert::unknown_parameter;
use crate::process::files::{os_error, shown};
use crate::simulation::Simulation;
use crate::simulation::agents::Agent;
use crate::simulation::links::Link;

/// A table of named columns. polars, pandas, DuckDB and pyarrow take it without a copy, by Arrow's PyCapsule interface.
#[pyclass(module = "ackclock._native", frozen)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub fn new(batch: RecordBatch) -> Table {
        Table { schema: batch.schema(), batches: vec![batch] }
    }

    pub fn of_parts(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { schema, batches }
    }

    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Its rows, in parts.
    pub fn parts(&self) -> Vec<RecordBatch> {
        self.batches.clone()
    }

    /// All rows in one batch.
    pub fn whole(&self) -> Result<RecordBatch, ArrowError> {
        merged_runs::whole(&self.schema, &self.batches)
    }

    pub fn push_parquet(&self, output: impl Write + Send) -> io::Result<()> {
        parquet::write(output, self.schema.clone(), &self.batches).map_err(io::Error::other)
    }

    fn push_csv(&self, output: &mut impl Write) -> io::Result<()> {
        csv::write_head(output, &self.schema)?;
        self.batches.iter().try_for_each(|batch| csv::write_rows(output, batch))
    }

    /// A column as a Python list.
    pub fn values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let index = self.index(name)?;
        let list = PyList::empty(py);
        for batch in &self.batches {
            append(&list, batch.column(index))?;
        }
        Ok(list)
    }

    fn index(&self, name: &str) -> PyResult<usize> {
        self.schema.index_of(name).map_err(|_| PyKeyError::new_err(format!("the table has no column {name}")))
    }
}

/// A column's values appended to a Python list; `None` for what is missing.
fn append<'py>(list: &Bound<'py, PyList>, column: &dyn Array) -> PyResult<()> {
    macro_rules! numbers {
        ($type:ty) => {{
            for value in column.as_primitive::<$type>() {
                list.append(value)?;
            }
        }};
    }
    match column.data_type() {
        DataType::Float64 => numbers!(Float64Type),
        DataType::UInt64 => numbers!(UInt64Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Utf8 => {
            for value in column.as_string::<i32>() {
                list.append(value)?;
            }
        }
        DataType::Boolean => {
            for value in column.as_boolean() {
                list.append(value)?;
            }
        }
        DataType::Dictionary(..) if column.as_any_dictionary_opt().is_some() => {
            let words = column.as_dictionary_opt::<Int8Type>().and_then(|words| words.downcast_dict::<StringArray>());
            let words = words.ok_or_else(|| PyValueError::new_err("only dictionaries of words can be listed"))?;
            for value in words {
                list.append(value)?;
            }
        }
        other => return Err(PyValueError::new_err(format!("columns of {other} cannot be listed"))),
    }
    Ok(())
}

/// Arrow's C schema of some columns.
pub fn schema_capsule<'py>(py: Python<'py>, columns: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(columns);
    let schema = schema.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

#[pymethods]
impl Table {
    /// Names of the columns, in order.
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The column `name` as a list; `None` for what is missing. `KeyError` for a name that is not there.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        self.values(py, name)
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Arrow's PyCapsule interface: the table as a stream. The schema asked for is not looked at, as the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches: Vec<_> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// Arrow's PyCapsule interface: names and types of the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    /// Writes the table as a Parquet file at `path`. `OSError` when that fails.
    fn write_parquet(&self, py: Python, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let file = File::create(&path)?;
            self.push_parquet(&file)?;
            file.sync_all()
        })
        .map_err(|error| os_error(&path, &error))
    }

    /// The table as CSV: a line of names, then rows, empty where a value is missing, reals in their shortest form.
    fn csv(&self, py: Python) -> PyResult<String> {
        let mut text = Vec::new();
        py.detach(|| self.push_csv(&mut text)).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(String::from_utf8(text).expect("names and words are UTF-8"))
    }

    /// Writes the table as a CSV file at `path`. `OSError` when that fails.
    fn write_csv(&self, py: Python, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let mut file = BufWriter::new(File::create(&path)?);
            self.push_csv(&mut file)?;
            file.into_inner().map_err(|error| error.into_error())?.sync_all()
        })
        .map_err(|error| os_error(&path, &error))
    }

    /// Reads the Parquet file at `path`. `OSError` when it is not there, `ValueError` when it is none or is cut short.
    #[staticmethod]
    fn read_parquet(py: Python, path: PathBuf) -> PyResult<Table> {
        let file = File::open(&path).map_err(|error| os_error(&path, &error))?;
        let read = py.detach(|| parquet::read(file));
        let (schema, batches) = read.map_err(|error| PyValueError::new_err(format!("{}: {error}", shown(&path))))?;
        Ok(Table { schema, batches })
    }
}

impl Simulation {
    /// Calls a function of the tables with the engine: the observer that has them is a part of it.
    fn with_tables<R>(&mut self, act: impl FnOnce(&mut Tables, &mut Engine) -> R) -> PyResult<R> {
        let taken = self.recorder().tables.take();
        let mut tables = taken.ok_or_else(|| PyRuntimeError::new_err("keep_tables comes first"))?;
        let result = act(&mut tables, &mut self.engine);
        self.recorder().tables = Some(tables);
        Ok(result)
    }

    /// Takes a sample of the series. Whether signals should be looked at.
    pub fn take_sample(&mut self) -> bool {
        self.with_tables(Tables::sample).unwrap_or(false)
    }

    /// An agent has told that all it was given is acknowledged, or that its connection is closed.
    pub fn is_done(&mut self, agent: AgentId) {
        if self.engine.net.endpoint_stats(agent).is_some_and(|stats| stats.ends_when_done) {
            self.completed(agent);
        }
        self.engine.with_agent(agent, |agent, net| agent.done_was_delivered(net));
    }

    /// A flow has all that it was there for.
    pub fn completed(&mut self, sender: AgentId) {
        let now_s = self.engine.now().secs();
        if let Some(stats) = self.engine.net.endpoint_stats(sender) {
            stats.completed_s = Some(now_s);
        }
    }

    /// An application is about to start, or has stopped.
    pub fn app_stopped(&mut self, app: AppId, is_stopped: bool) {
        let now_s = self.engine.now().secs();
        let agent = self.engine.apps[app.0 as usize].agent;
        if let Some(stats) = agent.and_then(|agent| self.engine.net.endpoint_stats(agent)) {
            stats.stopped_s = is_stopped.then_some(now_s);
        }
    }
}

#[pymethods]
impl Simulation {
    /// Tables are filled from now on: totals, and if wanted samples of series each `sample_s`, each change of windows and
    /// queues, each packet on each link.
    #[pyo3(signature = (sample_s = None, changes = false, packets = false))]
    fn keep_tables(&mut self, sample_s: Option<f64>, changes: bool, packets: bool) -> PyResult<()> {
        if sample_s.is_some_and(|sample_s| sample_s.is_nan() || sample_s <= 0.0) {
            return Err(PyValueError::new_err("the time between samples must be positive"));
        }
        let tables = Tables::new(Wanted { sample_s, changes, packets }, &mut self.engine);
        self.recorder().tables = Some(Box::new(tables));
        Ok(())
    }

    /// Counts links from now on. What else stands on them is there already.
    fn tabulate_links(this: &Bound<Simulation>, links: Vec<Py<Link>>) -> PyResult<()> {
        let mut simulation = this.try_borrow_mut()?;
        simulation.engine.net.measure_links();
        links.iter().try_for_each(|link| simulation.tabulate_link(link.get().0.id_in(this)?))
    }

    /// Counts the flow from one agent to another, attached and connected, from now on; if the sender `is_tcp`, its
    /// window is followed.
    fn tabulate_flow(this: &Bound<Simulation>, sender: &Agent, receiver: &Agent, is_tcp: bool) -> PyResult<()> {
        let (sender, receiver) = (sender.0.id_in(this)?, receiver.0.id_in(this)?);
        this.try_borrow_mut()?.tabulate(sender, receiver, is_tcp)
    }

    /// The run is over: its tables, by name.
    fn take_tables(&mut self, py: Python) -> PyResult<Vec<(&'static str, Table)>> {
        let (senders, finished) =
            py.detach(|| self.with_tables(|tables, engine| (tables.senders(), tables.finish(engine))))?;
        self.recorder().tables = None;
        let models = self.model_changes(&senders).map(|batch| ("model_changes", batch));
        let own = self.own_changes().map(|batch| ("own_changes", batch));
        Ok(finished.into_iter().chain(models).chain(own).map(|(name, batch)| (name, Table::new(batch))).collect())
    }
}

impl Simulation {
    /// The table of the courses of the controls' models, if any control has one.
    fn model_changes(&mut self, senders: &[AgentId]) -> Option<RecordBatch> {
        let mut rows = Rows::like(|rows| push_model(rows, 0, ["0.0", ""].into_iter()));
        let mut is_empty = true;
        for (flow, sender) in senders.iter().copied().enumerate() {
            let told = self.engine.with_agent(sender, |agent, net| agent.command("model_changes", &[], net));
            for line in told.unwrap_or_default().lines() {
                push_model(&mut rows, flow as u32 + 1, line.split(' '));
                is_empty = false;
            }
        }
        (!is_empty).then(|| rows.finish())
    }

    fn tabulate(&mut self, sender: AgentId, receiver: AgentId, is_tcp: bool) -> PyResult<()> {
        let added = self.with_tables(|tables, engine| {
            tables.add_flow(engine, (sender, receiver), is_tcp).map(|number| (number, tables.wanted.changes))
        })?;
        let (number, has_changes) = added.map_err(|name| unknown_parameter("this agent", name))?;
        if is_tcp && has_changes {
            // A sender without such a model does not know the command.
            let _ = self.engine.with_agent(sender, |agent, net| agent.command("record_model", &[], net));
            for (name, variable) in [("cwnd", Variable::Cwnd), ("ssthresh", Variable::Ssthresh)] {
                let place = self.recorder().add_table_place(Spot::Flow(number, variable));
                self.engine.agents[sender.0 as usize].watch(name, place);
            }
            let place = self.recorder().add_table_place(Spot::Flow(number, Variable::Rtt));
            if let Some(stats) = self.engine.net.endpoint_stats(sender) {
                stats.reports = Some(place);
            }
        }
        Ok(())
    }

    fn tabulate_link(&mut self, id: LinkId) -> PyResult<()> {
        let (number, wanted) = self.with_tables(|tables, engine| (tables.add_link(engine, id), tables.wanted))?;
        let mut events = vec![
            (HookPoint::Head, PacketEvent::Enqueue),
            (HookPoint::Dequeued, PacketEvent::Dequeue),
            (HookPoint::Received, PacketEvent::Receive),
            (HookPoint::Dropped, PacketEvent::Drop),
        ];
        events.retain(|&(_, event)| wanted.packets || wanted.changes && event != PacketEvent::Receive);
        for (place, event) in events {
            let hook = Hook::Trace(self.recorder().add_table_place(Spot::Link(number, event)));
            self.engine.net.links[id.0 as usize].add_hook(place, None, hook);
        }
        Ok(())
    }
}

#[pymethods]
impl Agent {
    /// Lets the flow of this sender end at the instant at which all that it was given is acknowledged.
    fn await_completion(&self, py: Python) -> PyResult<()> {
        let (mut simulation, agent) = (self.0.simulation(py)?, self.0.id);
        simulation.engine.listen(agent, Some(Upcall::Done(agent)));
        if let Some(stats) = simulation.engine.net.endpoint_stats(agent) {
            stats.ends_when_done = true;
        }
        Ok(())
    }

    /// Lets the flow of this sender of a two-way connection end when so many of its bytes are acknowledged.
    fn await_bytes(&self, py: Python, bytes: i64) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        if let Some(tcp) = simulation.engine.net.endpoint_stats(self.0.id).and_then(|stats| stats.tcp.as_mut()) {
            // The SYN counts as a byte, too.
            tcp.awaited = Some(bytes);
        }
        Ok(())
    }
}

/// A row of the table of models, from a line of [`ModelLog`].
fn push_model<'a>(rows: &mut Rows, flow: u32, mut words: impl Iterator<Item = &'a str>) {
    let real = |words: &mut dyn Iterator<Item = &'a str>| words.next().and_then(|word| word.parse::<f64>().ok());
    rows.real("time_s", real(&mut words)).number("flow", flow);
    rows.word("state", words.next().unwrap_or_default());
    for column in ModelLog::COLUMNS {
        rows.real(column, real(&mut words));
    }
    rows.end();
}
