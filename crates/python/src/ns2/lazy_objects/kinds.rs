//! What deferred objects of a kind have in common, and what the library answers for them.

use std::collections::HashMap;

use ackclock_engine::params::Value;
use ackclock_trace::ns2::number::push_g;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

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
    pub(super) shown: Shown,
}

pub(super) enum Shown {
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
const MAX_KNOWN: usize = 256;

impl Amounts {
    pub(super) fn new(parse: Py<PyAny>) -> Amounts {
        Amounts { parse, known: HashMap::new() }
    }

    pub(super) fn get(&mut self, py: Python, text: &str) -> PyResult<f64> {
        if let Some(&amount) = self.known.get(text) {
            return Ok(amount);
        }
        let amount: f64 = self.parse.call1(py, (text,))?.extract(py)?;
        if self.known.len() == MAX_KNOWN {
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
