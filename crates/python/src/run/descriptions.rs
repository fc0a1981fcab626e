//! Descriptions between Python and `crates/scenario`: values, and what is wrong with them.

use ackclock_scenario::ScenarioError;
use ackclock_scenario::tree::{Table, Tree};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};

/// A value of a description. A part of a description is the table of its fields, without those that are None.
pub fn tree(value: &Bound<PyAny>) -> PyResult<Tree> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Tree::Text(text.to_string_lossy().into_owned()));
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Tree::Flag(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(match value.extract() {
            Ok(whole) => Tree::Whole(whole),
            Err(_) => Tree::Large(value.str()?.to_string()),
        });
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Tree::Real(value.extract()?));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| tree(&item?));
        return items.collect::<PyResult<_>>().map(Tree::List);
    }
    if let Ok(table) = value.cast::<PyDict>() {
        return entries(table, Table::new()).map(Tree::Table);
    }
    if let Ok(class) = value.cast::<PyType>() {
        // As `ackclock.plugins.classes.name_of` has it.
        let name = |attribute| class.getattr(attribute)?.extract::<String>();
        return Ok(Tree::Text(format!("{}:{}", name("__module__")?, name("__qualname__")?)));
    }
    let fields = value.getattr("__dict__")?.cast_into::<PyDict>()?;
    let mut table = Table::new();
    if !fields.contains("kind")?
        && let Ok(kind) = value.get_type().getattr("kind")
    {
        table.push(("kind".into(), Tree::Text(kind.extract()?)));
    }
    entries(&fields, table).map(Tree::Table)
}

fn entries(dict: &Bound<PyDict>, mut table: Table) -> PyResult<Table> {
    for (key, value) in dict {
        if !value.is_none() {
            table.push((key.str()?.to_string_lossy().into_owned(), tree(&value)?));
        }
    }
    Ok(table)
}

/// A value of a description, for Python.
fn value<'py>(py: Python<'py>, tree: &Tree) -> PyResult<Bound<'py, PyAny>> {
    Ok(match tree {
        Tree::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Tree::Whole(whole) => whole.into_pyobject(py)?.into_any(),
        Tree::Large(digits) => py.get_type::<PyInt>().call1((digits,))?,
        Tree::Real(real) => real.into_pyobject(py)?.into_any(),
        Tree::Text(text) | Tree::Instant(text) => text.into_pyobject(py)?.into_any(),
        Tree::List(items) => {
            let items = items.iter().map(|item| value(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Tree::Table(entries) => {
            let dict = PyDict::new(py);
            for (key, item) in entries {
                dict.set_item(key, value(py, item)?)?;
            }
            dict.into_any()
        }
    })
}

/// Python's `ScenarioError` or `RenamedError`. Its class is in Python, where attributes and message are defined.
pub fn scenario_error(py: Python, error: &ScenarioError) -> PyErr {
    let make = || {
        let class = if error.is_renamed { "RenamedError" } else { "ScenarioError" };
        let fields = PyDict::new(py);
        fields.set_item("key", &error.key)?;
        fields.set_item("value", error.value.as_ref().map(|tree| value(py, tree)).transpose()?)?;
        fields.set_item("nearest", &error.nearest)?;
        py.import("ackclock.scenario.errors")?.getattr(class)?.call((&error.expected,), Some(&fields))
    };
    make().map_or_else(|failure| failure, PyErr::from_value)
}
