//! What deferred objects of a kind have in common, and what the library answers for them.

use std::collections::HashMap;

use ackclock_engine::params::Value;
use ackclock_trace::ns2::number::push_g;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{LazyObjects, Name};
use crate::convert::Params;

/// Methods that are answered for here, where it is the library whose answer is asked for.
const METHODS: [&str; 18] = [
    "add-neighbor",
    "attach",
    "attach-agent",
    "cost?",
    "create-eventtrace",
    "dump-nam-queueconfig",
    "dump-namconfig",
    "id",
    "is-lan?",
    "queue",
    "queue-limit",
    "register-nam-linkconfig",
    "reset",
    "send",
    "set",
    "simplex-connect",
    "simplex-link",
    "start",
];

/// Some of those methods.
#[derive(Clone, Copy, Default)]
pub(super) struct Answers(u32);

impl Answers {
    /// The only one of this name.
    pub(super) const fn one(name: &str) -> Answers {
        let mut place = 0;
        while place < METHODS.len() {
            if is_same(METHODS[place], name) {
                return Answers(1 << place);
            }
            place += 1;
        }
        panic!("no such method is answered for")
    }

    pub(super) const fn and(self, other: Answers) -> Answers {
        Answers(self.0 | other.0)
    }

    /// Whether all of `others` are among these.
    pub(super) fn include(self, others: Answers) -> bool {
        self.0 & others.0 == others.0
    }

    pub(super) fn named(name: &str) -> PyResult<Answers> {
        let place = METHODS.iter().position(|method| *method == name);
        let place =
            place.ok_or_else(|| PyValueError::new_err(format!("{name} is nothing that is answered for here")))?;
        Ok(Answers(1 << place))
    }
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut place = 0;
    while place < one.len() {
        if one[place] != other[place] {
            return false;
        }
        place += 1;
    }
    true
}

/// A variable of a script's object that is a parameter in the engine.
pub(super) struct Variable {
    /// The engine's name.
    pub(super) name: String,
    shown: Shown,
}

enum Shown {
    Whole,
    Digits(usize),
}

impl Variable {
    /// The number that a script has written, if it takes no closer look.
    pub(super) fn parse(&self, text: &str) -> Option<Value> {
        match self.shown {
            Shown::Whole => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                let is_plain = (1..10).contains(&digits.len()) && digits.bytes().all(|c| c.is_ascii_digit());
                let is_decimal = !digits.starts_with('0') || digits == "0";
                if is_plain && is_decimal { text.parse().ok().map(Value::Int) } else { None }
            }
            Shown::Digits(_) => {
                let is_plain = text.bytes().all(|c| c.is_ascii_digit() || b".+-eE".contains(&c));
                if is_plain { text.parse().ok().map(Value::Real) } else { None }
            }
        }
    }

    /// The value as the script sees it.
    pub(super) fn show(&self, value: Value) -> String {
        match self.shown {
            Shown::Whole => value.int().to_string(),
            Shown::Digits(precision) => {
                let mut out = Vec::new();
                push_g(&mut out, value.real(), precision);
                String::from_utf8(out).expect("numbers are ASCII")
            }
        }
    }
}

/// How the engine's side of a new thing is made.
pub(super) enum Making {
    Network,
    Node { ports: Py<PyTuple> },
    Link { discipline: String, params: Py<Params>, keeps_order: bool, rate_bps: Amounts, delay_s: Amounts },
    Agent { kind: String, params: Option<Params>, is_sender: bool },
    App { kind: String },
}

/// What texts such as 10Mb come to, by a function of Python's; those of before are known.
pub(super) struct Amounts {
    parse: Py<PyAny>,
    known: HashMap<String, f64>,
}

/// Texts that are remembered.
const MOST_KNOWN: usize = 256;

impl Amounts {
    fn new(parse: Py<PyAny>) -> Amounts {
        Amounts { parse, known: HashMap::new() }
    }

    pub(super) fn get(&mut self, py: Python, text: &str) -> PyResult<f64> {
        if let Some(&amount) = self.known.get(text) {
            return Ok(amount);
        }
        let amount: f64 = self.parse.call1(py, (text,))?.extract(py)?;
        if self.known.len() == MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(text.to_owned(), amount);
        Ok(amount)
    }
}

/// What deferred objects of a kind have in common.
pub(super) struct Kind {
    /// Python's side of it: it has plans, finishes objects that are made, and says what the library answers.
    pub(super) python: Py<PyAny>,
    pub(super) plans: Py<PyTuple>,
    pub(super) making: Making,
    pub(super) variables: HashMap<String, Variable>,
    /// What the library answers for them, once that was asked and until it may have changed.
    pub(super) answers: Option<Answers>,
}

impl LazyObjects {
    /// What the library answers for objects of a kind.
    pub(super) fn answers(this: &Bound<LazyObjects>, kind: usize) -> PyResult<Answers> {
        if let Some(known) = this.borrow().kinds[kind].answers {
            return Ok(known);
        }
        let py = this.py();
        let python = this.borrow().kinds[kind].python.clone_ref(py);
        let names: Vec<String> = python.call_method0(py, pyo3::intern!(py, "answers"))?.extract(py)?;
        let mut answers = Answers::default();
        for name in names {
            answers = answers.and(Answers::named(&name)?);
        }
        this.borrow_mut().kinds[kind].answers = Some(answers);
        Ok(answers)
    }

    pub(super) fn learn(
        &mut self,
        py: Python,
        python: Py<PyAny>,
        making: Making,
        variables: Vec<(String, String, String)>,
    ) -> PyResult<usize> {
        let plans = python.getattr(py, pyo3::intern!(py, "plans"))?.extract(py)?;
        let variables = variables.into_iter().filter_map(|(variable, name, kind)| {
            let shown = match kind.as_str() {
                "int" | "traced_int" => Shown::Whole,
                "double" => Shown::Digits(17),
                "traced_double" => Shown::Digits(6),
                _ => return None,
            };
            Some((variable, Variable { name, shown }))
        });
        let variables = variables.collect();
        self.kinds.push(Kind { python, plans, making, variables, answers: None });
        Ok(self.kinds.len() - 1)
    }

    fn make_at(&mut self, word: &str, class: &Name, kind: usize) {
        if !class.0.is_empty() {
            self.makes.insert(format!("{word} {}", class.0), kind);
        }
    }
}

#[pymethods]
impl LazyObjects {
    /// New nodes are of this kind from now on; `ports` is the plan of their tables of ports.
    fn learn_nodes(&mut self, py: Python, kind: Py<PyAny>, ports: Py<PyTuple>) -> PyResult<()> {
        let kind = self.learn(py, kind, Making::Node { ports }, Vec::new())?;
        self.makes.insert("node".into(), kind);
        Ok(())
    }

    /// Links with queues of a class are of this kind from now on. Variables are the queue's: what the script calls them, what the
    /// engine does, their types. The last two find out what is meant by a bandwidth and by a delay.
    fn learn_links(
        &mut self,
        py: Python,
        queue_class: Name,
        kind: Py<PyAny>,
        discipline: String,
        params: Py<Params>,
        keeps_order: bool,
        variables: Vec<(String, String, String)>,
        bandwidth: Py<PyAny>,
        delay: Py<PyAny>,
    ) -> PyResult<()> {
        let making = Making::Link {
            discipline,
            params,
            keeps_order,
            rate_bps: Amounts::new(bandwidth),
            delay_s: Amounts::new(delay),
        };
        let kind = self.learn(py, kind, making, variables)?;
        self.make_at("link", &queue_class, kind);
        Ok(())
    }

    /// New agents of a class are of this kind from now on: the engine's kind, first values, variables as above.
    #[pyo3(signature = (class_name, kind, engine_kind, params, is_sender, variables))]
    fn learn_agents(
        &mut self,
        py: Python,
        class_name: Name,
        kind: Py<PyAny>,
        engine_kind: String,
        params: Option<Py<Params>>,
        is_sender: bool,
        variables: Vec<(String, String, String)>,
    ) -> PyResult<()> {
        let params = params.map(|params| params.borrow(py).new_to(&engine_kind));
        let kind = self.learn(py, kind, Making::Agent { kind: engine_kind, params, is_sender }, variables)?;
        self.make_at("new", &class_name, kind);
        Ok(())
    }

    /// New applications of a class are of this kind from now on.
    fn learn_apps(&mut self, py: Python, class_name: Name, kind: Py<PyAny>, engine_kind: String) -> PyResult<()> {
        let kind = self.learn(py, kind, Making::App { kind: engine_kind }, Vec::new())?;
        self.make_at("new", &class_name, kind);
        Ok(())
    }

    /// Objects made from now on may be of other kinds: a class has other values.
    pub fn values_changed(&mut self) {
        self.makes.clear();
    }

    /// Classes have other methods, too, or what the library answers has changed.
    fn methods_changed(&mut self) {
        self.makes.clear();
        self.kinds.iter_mut().for_each(|kind| kind.answers = None);
    }
}
