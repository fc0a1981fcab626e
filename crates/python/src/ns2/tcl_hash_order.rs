//! The order of arrays' elements, which is that of Tcl's hash tables, for variables of objects that Python keeps.
//!
//! A table grows when it has three elements for each of its places, and then has them in another order. To look for an
//! element that is not there makes room for it while Tcl looks, so that a table may grow by being asked.
//!
//! Source: Tcl 8.6's tclHash.c and tclObj.c.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// Elements at which a new table grows; then the same times `TIMES`, and so on.
const FIRST_GROWTH: usize = 12;
const TIMES: usize = 4;
/// Places of a new table.
const FIRST_PLACES: usize = 4;

/// Variables from which on a look for an element that is not there may make an array's table grow.
pub const MANY_VARIABLES: usize = FIRST_GROWTH - 1;

/// No element.
const NONE: usize = usize::MAX;

/// What Tcl makes of a key before it takes the table's size into account.
fn hash(key: &str) -> u32 {
    let add = |hash: u32, byte: u8| hash.wrapping_mul(9).wrapping_add(u32::from(byte));
    // Tcl has two bytes for NUL.
    key.bytes().fold(0, |hash, byte| if byte == 0 { add(add(hash, 0xc0), 0x80) } else { add(hash, byte) })
}

/// An array as it came to be.
struct Array {
    /// Its elements as they came: the variables, and the hashes of their keys.
    came: Vec<(Py<PyString>, u32)>,
    /// Elements at which it grows next.
    growth: usize,
    /// How many elements it had when it grew by a look.
    looks: Vec<usize>,
    /// The elements in Tcl's order, while that is known.
    order: Option<Vec<usize>>,
}

impl Array {
    fn add(&mut self, variable: &Bound<PyString>, key: &str) {
        self.came.push((variable.clone().unbind(), hash(key)));
        self.order = None;
        if self.came.len() == self.growth {
            self.growth *= TIMES;
        }
    }

    /// Somebody looks for an element that is not there.
    fn look(&mut self) {
        if self.came.len() + 1 == self.growth {
            self.growth *= TIMES;
            self.looks.push(self.came.len());
            self.order = None;
        }
    }

    /// The elements in the order of Tcl's table: by places, and what is new in a place before what is there.
    fn find_order(&self) -> Vec<usize> {
        let mut heads = vec![NONE; FIRST_PLACES];
        let mut next = vec![NONE; self.came.len()];
        let mut looks = self.looks.iter().peekable();
        for element in 0..self.came.len() {
            self.put(element, &mut heads, &mut next);
            let count = element + 1;
            if count == heads.len() * FIRST_GROWTH / FIRST_PLACES || looks.next_if_eq(&&count).is_some() {
                let larger = vec![NONE; heads.len() * TIMES];
                for mut element in std::mem::replace(&mut heads, larger) {
                    while element != NONE {
                        let following = next[element];
                        self.put(element, &mut heads, &mut next);
                        element = following;
                    }
                }
            }
        }
        let mut order = Vec::with_capacity(self.came.len());
        for mut element in heads {
            while element != NONE {
                order.push(element);
                element = next[element];
            }
        }
        order
    }

    fn put(&self, element: usize, heads: &mut [usize], next: &mut [usize]) {
        let place = self.came[element].1 as usize % heads.len();
        next[element] = std::mem::replace(&mut heads[place], element);
    }

    /// Its elements' variables in Tcl's order.
    fn ordered(&mut self) -> impl Iterator<Item = &Py<PyString>> {
        let order = self.order.take().unwrap_or_else(|| self.find_order());
        self.order.insert(order).iter().map(|&element| &self.came[element].0)
    }
}

/// The arrays among an object's variables, as long as none is taken away.
#[pyclass(module = "ackclock._native")]
#[derive(Default)]
pub struct TclHashOrder {
    /// How many variables and looks were followed.
    seen: usize,
    heard: usize,
    arrays: HashMap<String, Array>,
}

impl TclHashOrder {
    /// Looks while there were so many variables; how many there are at the next one, if one follows.
    fn hear(&mut self, looked: &Bound<PyList>, count: usize) -> PyResult<Option<usize>> {
        while self.heard < looked.len() {
            let then: usize = looked.get_item(self.heard)?.extract()?;
            if then > count {
                return Ok(Some(then));
            }
            let element = looked.get_item(self.heard + 1)?;
            let element = element.cast::<PyString>()?.to_string_lossy();
            let (array, _) = split(&element);
            self.heard += 2;
            if let Some(array) = self.arrays.get_mut(array) {
                array.look();
            }
        }
        Ok(None)
    }
}

/// An array and the name of an element, of a variable such as link_(0:1).
fn split(variable: &str) -> (&str, &str) {
    variable.strip_suffix(')').unwrap_or(variable).split_once('(').unwrap_or((variable, ""))
}

#[pymethods]
impl TclHashOrder {
    #[new]
    fn new() -> TclHashOrder {
        TclHashOrder::default()
    }

    /// Takes in what has come since the last time. `looked` says what was looked for in vain: how many variables there were then,
    /// the element, and so on.
    fn follow(&mut self, variables: &Bound<PyDict>, looked: &Bound<PyList>) -> PyResult<()> {
        if self.seen == variables.len() && self.heard == looked.len() {
            return Ok(());
        }
        let mut next_look = self.hear(looked, self.seen)?;
        for (count, (variable, _)) in variables.iter().enumerate().skip(self.seen) {
            if next_look.is_some_and(|next| next <= count) {
                next_look = self.hear(looked, count)?;
            }
            let variable = variable.cast_into::<PyString>()?;
            let name = variable.to_string_lossy();
            if name.ends_with(')') {
                let (array, key) = split(&name);
                if !self.arrays.contains_key(array) {
                    let new = Array { came: Vec::new(), growth: FIRST_GROWTH, looks: Vec::new(), order: None };
                    self.arrays.insert(array.to_owned(), new);
                }
                self.arrays.get_mut(array).expect("is there").add(&variable, key);
            }
        }
        self.hear(looked, variables.len())?;
        self.seen = variables.len();
        Ok(())
    }

    /// Names of an array's elements in Tcl's order.
    fn names(&mut self, py: Python, array: &str) -> Vec<String> {
        let key = |variable: &Py<PyString>| split(&variable.bind(py).to_string_lossy()).1.to_owned();
        self.arrays.get_mut(array).map_or(Vec::new(), |array| array.ordered().map(key).collect())
    }

    /// The elements of an array in that order.
    fn elements<'py>(&mut self, array: &str, variables: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyList>> {
        let py = variables.py();
        let Some(array) = self.arrays.get_mut(array) else { return Ok(PyList::empty(py)) };
        let values = array.ordered().map(|variable| variables.as_any().get_item(variable.bind(py)));
        PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)
    }

    /// How many elements the arrays had that grew by a look, when they did.
    fn looks(&self) -> Vec<(String, Vec<usize>)> {
        let grown = self.arrays.iter().filter(|(_, array)| !array.looks.is_empty());
        grown.map(|(name, array)| (name.clone(), array.looks.clone())).collect()
    }
}
