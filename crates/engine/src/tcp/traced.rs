//! State variables that an observer can watch, each change at the moment it is made.
//!
//! A change goes into the sender's [`Log`]; the sender empties its log into the observer before it sends a packet and when
//! it has handled an event, so that changes and packets are reported in the order in which they happened.

use std::ops::Deref;

use super::report::AllVariables;
use crate::observe::TraceId;
use crate::params::{Field, Value};

/// The variable's name.
pub type Name = &'static str;

/// What a sender has to report.
#[derive(Clone, Copy, Debug)]
pub enum Note {
    /// A variable was set to another value; it is watched if there is a place.
    Changed(Option<TraceId>, Name, Value),
    /// Something happened: flow id, next sequence number, window.
    Happened(TraceId, &'static str, [f64; 3]),
    /// The control from outside cannot go on.
    Trouble,
}

/// What a sender has to report, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Reported but not yet handed over.
    pub notes: Vec<Note>,
    /// If all variables are reported together: their values when the log was last empty.
    pub everything: Option<AllVariables>,
    /// Where happenings are reported, if anybody listens.
    pub happenings: Option<TraceId>,
}

/// A variable that can be watched.
#[derive(Clone, Debug)]
pub struct Traced<T> {
    value: T,
    name: Name,
    place: Option<TraceId>,
}

impl<T: Field + Copy + PartialEq> Traced<T> {
    /// A variable of this name that nobody watches.
    pub fn new(name: Name, value: T) -> Traced<T> {
        Traced { value, name, place: None }
    }

    /// Sets the variable; a change is reported.
    #[inline]
    pub fn set(&mut self, value: T, log: &mut Log) {
        if self.value != value {
            self.value = value;
            if self.place.is_some() || log.everything.is_some() {
                log.notes.push(self.note());
            }
        }
    }

    /// What is noted of the present value.
    pub fn note(&self) -> Note {
        Note::Changed(self.place, self.name, self.value.value())
    }

    /// The variable's name.
    pub fn name(&self) -> Name {
        self.name
    }

    /// From now on changes are reported as `place`.
    pub fn watch(&mut self, place: TraceId) {
        self.place = Some(place);
    }
}

impl<T> Deref for Traced<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

/// Set through a [`Value`], a variable reports nothing.
impl<T: Field> Field for Traced<T> {
    fn value(&self) -> Value {
        self.value.value()
    }
    fn assign(&mut self, value: Value) {
        self.value.assign(value);
    }
}
