//! Tables of a run, handed to Python as Arrow.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use ackclock_trace::table_files::csv;
use ackclock_trace::table_files::parquet;
use ackclock_trace::tables::merged_runs;
use ackclock_trace::tabulate;
use arrow_array::cast::AsArray;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int8Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use crate::process::files::{os_error, shown};
use crate::simulation::Simulation;

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
    /// Takes a sample of the series. Whether signals should be looked at.
    pub fn take_sample(&mut self) -> bool {
        tabulate::sample(&mut self.engine)
    }

    fn check_tables(&mut self) -> PyResult<()> {
        let has_some = self.recorder().tables.is_some();
        if has_some { Ok(()) } else { Err(PyRuntimeError::new_err("keep_tables comes first")) }
    }
}

#[pymethods]
impl Simulation {
    /// The run is over: its tables, by name.
    fn take_tables(&mut self, py: Python) -> PyResult<Vec<(&'static str, Table)>> {
        self.check_tables()?;
        self.schedule.finish(&mut self.engine);
        let finished = py.detach(|| tabulate::take(&mut self.engine));
        let own = self.own_changes().map(|batch| ("own_changes", Table::new(batch)));
        let made = finished.into_iter().map(|(name, table)| (name, Table::new(table.into_batch())));
        Ok(made.chain(own).collect())
    }
}
