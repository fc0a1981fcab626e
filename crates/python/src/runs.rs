//! Tables of many runs as one.

use ackclock_trace::{parquet_file, runs};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::sync::Arc;

use crate::tables::Table;

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
        runs::join(&rows.collect::<Result<Vec<_>, ArrowError>>()?)
    });
    Ok(Table::new(joined.map_err(|error| value_error(&error))?))
}

/// One table of several that `join_runs` gave. A run that is in two of them counts where it comes first. With `letters`,
/// only points that begin with one of these. `ValueError` for other tables.
#[pyfunction]
#[pyo3(signature = (tables, letters = None))]
pub fn merge_runs(py: Python, tables: Vec<Py<Table>>, letters: Option<&str>) -> PyResult<Table> {
    let merged = py.detach(|| {
        let batches: Result<Vec<_>, _> = tables.iter().map(|table| table.get().whole()).collect();
        runs::merge(&batches?, letters)
    });
    Ok(Table::new(merged.map_err(|error| value_error(&error))?))
}

/// Point, seed and table of each run in a table that `join_runs` gave. `ValueError` for another table.
#[pyfunction]
pub fn split_runs(py: Python, table: Py<Table>) -> PyResult<Vec<(String, i64, Table)>> {
    let split = py.detach(|| runs::split(&table.get().whole()?));
    let split = split.map_err(|error| value_error(&error))?;
    Ok(split.into_iter().map(|(point, seed, rows)| (point, seed, Table::new(rows))).collect())
}

#[pymethods]
impl Table {
    /// A table of words: names of columns with their values, as many in each. `ValueError` if they are not.
    #[staticmethod]
    fn of_words(columns: Vec<(String, Vec<String>)>) -> PyResult<Table> {
        let columns = columns.into_iter().map(|(name, words)| (name, Arc::new(StringArray::from(words)) as ArrayRef));
        Ok(Table::new(RecordBatch::try_from_iter(columns).map_err(|error| value_error(&error))?))
    }

    /// The table that `to_bytes` gave. `ValueError` for other bytes.
    #[staticmethod]
    fn of_bytes(py: Python, content: &[u8]) -> PyResult<Table> {
        let read = py.detach(|| parquet_file::read_bytes(content));
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
