//! Tables as Python and notebooks look at them: rows, columns, a text, HTML, data frames.

use std::fmt::Write;

use arrow_array::RecordBatch;
use pyo3::exceptions::{PyImportError, PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PySlice, PyString};

use crate::run::tables::Table;

/// Rows of a text, and of HTML.
const ROWS: usize = 10;
const HTML_ROWS: usize = 20;
/// Characters of a line of a text.
const WIDTH: usize = 100;

/// A value of Python's of any type.
type Anything<'py> = Bound<'py, PyAny>;

impl Table {
    /// Some rows in a row.
    fn part(&self, mut first: usize, mut count: usize) -> Table {
        let mut found = Vec::new();
        for batch in self.parts() {
            let here = batch.num_rows();
            if first < here && count > 0 {
                let taken = count.min(here - first);
                found.push(batch.slice(first, taken));
                count -= taken;
                first = 0;
            } else {
                first = first.saturating_sub(here);
            }
        }
        Table::of_parts(self.schema(), found)
    }

    fn names(&self) -> Vec<String> {
        self.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn height(&self) -> usize {
        self.parts().iter().map(RecordBatch::num_rows).sum()
    }

    /// Columns as they are shown: of each its name and its first values.
    fn shown(&self, py: Python, rows: usize) -> PyResult<Vec<(String, Vec<String>)>> {
        let part = self.part(0, rows);
        let columns = self.names().into_iter().map(|name| {
            let values = part.values(py, &name)?.iter().map(|value| cell(&value)).collect::<PyResult<_>>()?;
            Ok((name, values))
        });
        columns.collect()
    }
}

/// A value in a few digits; an empty text for what is missing.
fn cell(value: &Bound<PyAny>) -> PyResult<String> {
    if value.is_none() {
        return Ok(String::new());
    }
    if value.is_instance_of::<pyo3::types::PyFloat>() {
        return value.call_method1("__format__", (".6g",))?.extract();
    }
    Ok(value.str()?.to_string())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[pymethods]
impl Table {
    /// `table["goodput_bps"]` is a column as a list, `table[0]` a row as a dict, `table[2:5]` a table of these rows.
    /// `KeyError` for a column that is not there, `IndexError` for a row.
    fn __getitem__<'py>(this: &Bound<'py, Self>, key: &Anything<'py>) -> PyResult<Anything<'py>> {
        let (py, table) = (this.py(), this.get());
        if let Ok(name) = key.cast::<PyString>() {
            return Ok(table.values(py, &name.to_cow()?)?.into_any());
        }
        let height = table.height();
        if let Ok(slice) = key.cast::<PySlice>() {
            let chosen = slice.indices(height as isize)?;
            if chosen.step != 1 {
                return Err(PyIndexError::new_err("rows of a table are taken one after the other: table[2:5]"));
            }
            let part = table.part(chosen.start as usize, chosen.slicelength);
            return Ok(Bound::new(py, part)?.into_any());
        }
        let Ok(index) = key.extract::<isize>() else {
            return Err(PyTypeError::new_err("expected the name of a column, the number of a row, or a slice of rows"));
        };
        let row = if index < 0 { index + height as isize } else { index };
        if !(0..height as isize).contains(&row) {
            return Err(PyIndexError::new_err(format!("row {index}: the table has {height} rows")));
        }
        table.part(row as usize, 1).rows(py)?.get_item(0)
    }

    /// The rows, a dict each.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.rows(py)?.try_iter()
    }

    /// Whether there is a column of this name.
    fn __contains__(&self, name: &Anything) -> bool {
        name.extract::<String>().is_ok_and(|name| self.names().contains(&name))
    }

    /// All rows, a dict each; for a table of few rows.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let names = self.names();
        let columns = names.iter().map(|name| self.values(py, name)).collect::<PyResult<Vec<_>>>()?;
        let keys: Vec<_> = names.iter().map(|name| PyString::new(py, name)).collect();
        let rows = PyList::empty(py);
        for row in 0..self.height() {
            let made = PyDict::new(py);
            for (key, column) in keys.iter().zip(&columns) {
                made.set_item(key, column.get_item(row)?)?;
            }
            rows.append(made)?;
        }
        Ok(rows)
    }

    /// The table as a polars `DataFrame`. `ImportError` where polars is not installed.
    fn to_polars<'py>(this: &Bound<'py, Self>) -> PyResult<Anything<'py>> {
        library(this.py(), "polars")?.getattr("DataFrame")?.call1((this,))
    }

    /// The table as a pandas `DataFrame`. `ImportError` where pandas is not installed.
    fn to_pandas<'py>(this: &Bound<'py, Self>) -> PyResult<Anything<'py>> {
        let (py, table) = (this.py(), this.get());
        let columns = PyDict::new(py);
        for name in table.names() {
            columns.set_item(&name, table.values(py, &name)?)?;
        }
        library(py, "pandas")?.getattr("DataFrame")?.call1((columns,))
    }

    /// Sizes, and a line for each column with its first values.
    fn __repr__(&self, py: Python) -> PyResult<String> {
        let columns = self.shown(py, ROWS)?;
        let height = self.height();
        let mut text = format!("<Table of {height} rows and {} columns>", columns.len());
        let width = columns.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, values) in columns {
            let values: Vec<_> = values.iter().map(|value| if value.is_empty() { "-" } else { value }).collect();
            let mut line = format!("  {name:width$}  {}", values.join(", "));
            if height > ROWS {
                line.push_str(", ...");
            }
            if line.chars().count() > WIDTH {
                line = line.chars().take(WIDTH - 3).chain("...".chars()).collect();
            }
            let _ = write!(text, "\n{line}");
        }
        Ok(text)
    }

    /// The first rows as HTML, for notebooks.
    fn _repr_html_(&self, py: Python) -> PyResult<String> {
        let columns = self.shown(py, HTML_ROWS)?;
        let height = self.height();
        let mut html = String::from(r#"<div style="overflow-x:auto"><table><thead><tr>"#);
        for (name, _) in &columns {
            let _ = write!(html, "<th>{}</th>", escaped(name));
        }
        html.push_str("</tr></thead><tbody>");
        for row in 0..height.min(HTML_ROWS) {
            html.push_str("<tr>");
            for (_, values) in &columns {
                let _ = write!(html, "<td>{}</td>", escaped(&values[row]));
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table></div>");
        if height > HTML_ROWS {
            let _ = write!(html, "<p>and {} more rows</p>", height - HTML_ROWS);
        }
        Ok(html)
    }

    /// What a notebook completes in `table["`.
    fn _ipython_key_completions_(&self) -> Vec<String> {
        self.names()
    }
}

/// A library that is not ours. `ImportError` that says how to get it.
fn library<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|_| PyImportError::new_err(format!("{name} is not installed: pip install {name}")))
}
