//! Tables of many runs as one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_trace::table_files::arrow;
use ackclock_trace::table_files::parquet::{self, ParquetError};
use ackclock_trace::tables::merged_runs::{self, Batches, Merged};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::process::files::{os_error, shown};
use crate::run::tables::Table;

fn value_error(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// One table of those of many runs, which are given by their points, their seeds and their tables: it has the columns
/// `point` and `seed` in front, and its rows are in their order; of a run that is there twice the first counts. `ValueError`
/// for tables of different columns.
#[pyfunction]
pub fn join_runs(py: Python, of_runs: Vec<(String, i64, Py<Table>)>) -> PyResult<Table> {
    let joined = py.detach(|| {
        let rows = of_runs.iter().map(|(point, seed, table)| Ok((point.as_str(), *seed, table.get().whole()?)));
        merged_runs::join(&rows.collect::<Result<Vec<_>, ArrowError>>()?)
    });
    Ok(Table::new(joined.map_err(|error| value_error(&error))?))
}

/// How the name of a file ends that `write_arrow` wrote.
const SHORT: &str = ".arrow";

fn is_short(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(SHORT.as_bytes())
}

/// How many rows of a Parquet file are read at a time.
const PART: usize = 128;

/// The runs of several tables that `join_runs` gave, as one table in the order of point and seed. Each is in a file, or in
/// several of which each begins after the end of the one before, and is read as it is wanted. A run that is in two tables
/// counts where it comes first. With `points`, runs of other points may be left out, which is quick where a file is Parquet.
/// `OSError` for a file that is not there; `ValueError`, with its name, for one that is damaged;
/// `ValueError` for tables of different columns.
#[pyclass(module = "ackclock._native", frozen)]
pub struct MergedRuns(Mutex<Merged>);

impl MergedRuns {
    fn of(tables: Vec<(SchemaRef, Batches)>) -> PyResult<MergedRuns> {
        let schema = tables.first().map_or_else(|| Arc::new(Schema::empty()), |(schema, _)| schema.clone());
        let merged = Merged::new(schema).and_then(|mut merged| {
            tables.into_iter().rev().try_for_each(|(schema, batches)| merged.put_first(&schema, batches))?;
            Ok(merged)
        });
        Ok(MergedRuns(Mutex::new(merged.map_err(|error| value_error(&error))?)))
    }

    fn merged(&self) -> MutexGuard<'_, Merged> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Columns and rows of a file.
fn open(path: &Path, points: Option<&[String]>) -> PyResult<(SchemaRef, Batches)> {
    let file = File::open(path).map_err(|error| os_error(path, &error))?;
    let read = if is_short(path) {
        arrow::read_parts(file)
    } else {
        parquet::read_parts(file, PART, points).map_err(ArrowError::from)
    };
    let (schema, batches) = read.map_err(|error| PyValueError::new_err(format!("{}: {error}", shown(path))))?;
    let path = shown(path);
    let batches = batches.map(move |batch| batch.map_err(|error| ArrowError::ParquetError(format!("{path}: {error}"))));
    Ok((schema, Box::new(batches)))
}

/// Columns and rows of files of which each begins after the end of the one before; it is opened when that is through.
fn open_all(paths: Vec<PathBuf>, points: Option<Arc<[String]>>) -> PyResult<(SchemaRef, Batches)> {
    let mut paths = paths.into_iter();
    let first = paths.next().ok_or_else(|| PyValueError::new_err("a table needs at least one file"))?;
    let (schema, batches) = open(&first, points.as_deref())?;
    let others = paths.flat_map(move |path| match open(&path, points.as_deref()) {
        Ok((_, batches)) => batches,
        Err(error) => Box::new(std::iter::once(Err(ArrowError::ParquetError(error.to_string())))),
    });
    Ok((schema, Box::new(batches.chain(others))))
}

#[pymethods]
impl MergedRuns {
    #[new]
    #[pyo3(signature = (tables, points = None))]
    fn new(py: Python, tables: Vec<Vec<PathBuf>>, points: Option<Vec<String>>) -> PyResult<MergedRuns> {
        let points: Option<Arc<[String]>> = points.map(|mut points| {
            points.sort_unstable();
            points.into()
        });
        let open = |paths| open_all(paths, points.clone());
        let tables: PyResult<Vec<_>> = py.detach(|| tables.into_iter().map(open).collect());
        MergedRuns::of(tables?)
    }

    /// Those of tables in memory.
    #[staticmethod]
    fn of_tables(tables: Vec<Py<Table>>) -> PyResult<MergedRuns> {
        let parts = |table: &Table| -> Batches { Box::new(table.parts().into_iter().map(Ok)) };
        MergedRuns::of(tables.iter().map(|table| (table.get().schema(), parts(table.get()))).collect())
    }

    /// One table more, in a file. It counts before the others, and none of its runs comes before those that were taken.
    fn put_first(&self, py: Python, path: PathBuf) -> PyResult<()> {
        let (schema, batches) = open(&path, None)?;
        py.detach(|| self.merged().put_first(&schema, batches)).map_err(|error| value_error(&error))
    }

    /// The point of the next run; `None` at the end.
    #[getter]
    fn point(&self) -> Option<String> {
        self.merged().run().map(|(point, _)| point.to_owned())
    }

    /// Writes the runs that come next and whose points begin so into a Parquet file. Also `OSError` when that fails.
    fn write_parquet(&self, py: Python, path: PathBuf, begin: &str) -> PyResult<()> {
        py.detach(|| {
            let file = File::create(&path).map_err(|error| os_error(&path, &error))?;
            parquet::write_runs(&file, &mut self.merged(), begin).map_err(|error| match error {
                // What is read is Arrow's, what is written the system's.
                ParquetError::External(read) if read.is::<ArrowError>() => PyValueError::new_err(read.to_string()),
                other => os_error(&path, &other),
            })?;
            file.sync_all().map_err(|error| os_error(&path, &error))
        })
    }

    /// Writes all runs that come next into a file whose name ends in `.arrow`, to be read again soon.
    /// `ValueError` for another name; also `OSError` when writing fails.
    fn write_arrow(&self, py: Python, path: PathBuf) -> PyResult<()> {
        if !is_short(&path) {
            return Err(PyValueError::new_err(format!("{}: expected a name that ends in {SHORT}", shown(&path))));
        }
        py.detach(|| {
            let file = File::create(&path).map_err(|error| os_error(&path, &error))?;
            arrow::write_runs(&file, &mut self.merged()).map_err(|error| match error {
                error @ ArrowError::IoError(..) => os_error(&path, &error),
                read => value_error(&read),
            })?;
            file.sync_all().map_err(|error| os_error(&path, &error))
        })
    }

    fn __iter__(this: Py<MergedRuns>) -> Py<MergedRuns> {
        this
    }

    /// Point, seed and table of the next run.
    fn __next__(&self, py: Python) -> PyResult<Option<(String, i64, Table)>> {
        let run = py.detach(|| self.merged().take_run()).map_err(|error| value_error(&error))?;
        Ok(run.map(|(point, seed, rows)| (point, seed, Table::new(rows))))
    }
}

#[pymethods]
impl Table {
    /// A table of words: `columns` has their names with their values, as many in each. `ValueError` if they are not.
    #[staticmethod]
    fn of_words(columns: Vec<(String, Vec<String>)>) -> PyResult<Table> {
        let columns = columns.into_iter().map(|(name, words)| (name, Arc::new(StringArray::from(words)) as ArrayRef));
        Ok(Table::new(RecordBatch::try_from_iter(columns).map_err(|error| value_error(&error))?))
    }

    /// A table of typed columns: `columns` has their names, types and values, as many in each, `None` for what is missing. A
    /// type is "real", "count", "number", "integer" or "long" (`f64`, `u64`, `u32`, `i32` and `i64`), or "word". `ValueError` for
    /// others, and if a value is not of its column's type.
    #[staticmethod]
    fn of_columns(columns: Vec<(String, String, Bound<PyList>)>) -> PyResult<Table> {
        let columns = columns.into_iter().map(|(name, kind, values)| {
            let column: ArrayRef = match kind.as_str() {
                "real" => Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?)),
                "count" => Arc::new(UInt64Array::from(values.extract::<Vec<Option<u64>>>()?)),
                "number" => Arc::new(UInt32Array::from(values.extract::<Vec<Option<u32>>>()?)),
                "integer" => Arc::new(Int32Array::from(values.extract::<Vec<Option<i32>>>()?)),
                "long" => Arc::new(Int64Array::from(values.extract::<Vec<Option<i64>>>()?)),
                "word" => {
                    let words = values.extract::<Vec<String>>()?;
                    Arc::new(words.iter().map(|word| Some(word.as_str())).collect::<DictionaryArray<Int8Type>>())
                }
                _ => return Err(PyValueError::new_err(format!("unknown type of a column: {kind}"))),
            };
            Ok((name, column, true))
        });
        let columns = columns.collect::<PyResult<Vec<_>>>()?;
        Ok(Table::new(RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| value_error(&error))?))
    }

    /// The table that `to_bytes` gave as `content`. `ValueError` for other bytes.
    #[staticmethod]
    fn of_bytes(py: Python, content: &[u8]) -> PyResult<Table> {
        let read = py.detach(|| parquet::read_bytes(content));
        let (schema, batches) = read.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Table::of_parts(schema, batches))
    }

    /// The table as a Parquet file's content.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut content = Vec::new();
        let written = py.detach(|| self.push_parquet(&mut content));
        written.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &content))
    }

    /// How it is pickled: as Parquet.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let read = py.get_type::<Table>().getattr("of_bytes")?;
        (read, (self.to_bytes(py)?,)).into_pyobject(py)
    }
}
