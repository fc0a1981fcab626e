//! Descriptions between Python and `crates/scenario`: values, and what is wrong with them.

use ackclock_scenario::model::declared;
use ackclock_scenario::tree::{Table, Tree};
use ackclock_scenario::units::{self, Kind};
use ackclock_scenario::{ScenarioError, error};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};

/// A value of a description. A part of a description is the table of its fields, without those that are None. What no
/// description has, such as a date, is what messages show of it.
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
    let py = value.py();
    let Some(fields) = value.getattr_opt(intern!(py, "__dict__"))? else {
        return Ok(Tree::Instant(value.str()?.to_string()));
    };
    let fields = fields.cast_into::<PyDict>()?;
    let mut table = Table::new();
    if !fields.contains(intern!(py, "kind"))?
        && let Some(kind) = value.get_type().getattr_opt(intern!(py, "kind"))?
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

/// Any object of Python's.
type Anything<'py> = Bound<'py, PyAny>;

/// A constant of descriptions: its name, what it is, its value.
type Constant<'py> = (&'static str, &'static str, Anything<'py>);

/// The parts of descriptions as `crates/scenario` declares them, each behind those that its keys take: `name`, `module`, `about`,
/// `kind` (with the name of the type of all kinds, and its module; empty where there is none), `renamed`, `belongs`, `short`,
/// `keys` (`name`, `about`, `shape`, `is_required`; `words`, `code` and `default` where it has any).
#[pyfunction]
pub fn scenario_parts<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
    Ok(value(py, &declared::tree())?.cast_into()?)
}

/// Words and numbers that descriptions are read with: name, what it is, value of each.
#[pyfunction]
pub fn scenario_constants<'py>(py: Python<'py>) -> PyResult<Vec<Constant<'py>>> {
    let all = declared::constants().into_iter();
    all.map(|(name, about, constant)| Ok((name, about, value(py, &constant)?))).collect()
}

/// Checks a part of a description, an object of the class that is called `name`. `ScenarioError` for what is wrong with it.
#[pyfunction]
pub fn check_part(py: Python, name: &str, part: &Anything) -> PyResult<()> {
    let Tree::Table(keys) = tree(part)? else {
        return Err(PyValueError::new_err("expected a part of a description"));
    };
    declared::check(name, &keys).map_err(|error| scenario_error(py, &error))
}

/// A rate's bits per second. `ScenarioError` for anything else than a positive number with a unit.
#[pyfunction]
pub fn rate_bps(text: &Bound<PyString>) -> PyResult<f64> {
    units::rate_bps(&text.to_string_lossy()).map_err(|error| scenario_error(text.py(), &error))
}

/// A time's seconds, not negative. `ScenarioError` for anything else than a number with a unit.
#[pyfunction]
pub fn time_s(text: &Bound<PyString>) -> PyResult<f64> {
    units::time_s(&text.to_string_lossy()).map_err(|error| scenario_error(text.py(), &error))
}

/// A size's bytes, a whole positive number. `ScenarioError` for anything else than a number with a unit.
#[pyfunction]
pub fn size_bytes(text: &Bound<PyString>) -> PyResult<i64> {
    units::size_bytes(&text.to_string_lossy()).map_err(|error| scenario_error(text.py(), &error))
}

/// A positive number and what it counts: `packets`, `bytes` or, where `kind` is `amount`, `BDP`; `data` has the first two,
/// `window` the first. `ScenarioError` for anything else.
#[pyfunction]
pub fn amount(text: &Bound<PyString>, kind: &str) -> PyResult<(f64, &'static str)> {
    let Some(kind) = Kind::ALL.into_iter().find(|known| known.name() == kind) else {
        return Err(PyValueError::new_err("expected amount, data or window"));
    };
    let found = units::amount(&text.to_string_lossy(), kind).map_err(|error| scenario_error(text.py(), &error))?;
    Ok((found.number, found.unit.word()))
}

/// The known name that looks most like this one, if any does.
#[pyfunction]
pub fn nearest_name(name: &str, known: Vec<String>) -> Option<String> {
    error::nearest(name, &known)
}
