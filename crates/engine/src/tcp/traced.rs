//! State variables that an observer can watch, each change at the moment it is made.
//!
//! A change goes into the sender's [`Log`]; the sender empties its log into the observer before it sends a packet and when
//! it has handled an event, so that changes and packets are reported in the order in which they happened.

use std::ops::Deref;

use super::report::AllVariables;
use crate::observe::TraceId;
use crate::params::{Field, Value};

/// A variable that can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Variable {
    /// The next packet to send.
    TSeqno,
    /// Duplicate ACKs.
    Dupacks,
    /// How many packets the application has produced.
    Seqno,
    /// The highest packet acknowledged.
    Ack,
    /// The congestion window.
    Cwnd,
    /// The slow-start threshold.
    Ssthresh,
    /// The highest packet sent.
    Maxseq,
    /// The last round-trip time.
    Rtt,
    /// The smoothed one.
    Srtt,
    /// Its deviation.
    Rttvar,
    /// What the timeout is multiplied by.
    Backoff,
    /// Packets sent.
    Ndatapack,
    /// Bytes sent.
    Ndatabytes,
    /// ACKs received.
    Nackpack,
    /// Timeouts.
    Nrexmit,
    /// Packets sent again.
    Nrexmitpack,
    /// Bytes sent again.
    Nrexmitbytes,
    /// Cuts because of an echoed mark.
    Necnresponses,
    /// All cuts of the window.
    Ncwndcuts,
    /// Cuts because of congestion.
    Ncwndcuts1,
    /// Linux: packets that may be in flight.
    NextPktsInFlight,
}

const NAMES: [&str; 21] = [
    "t_seqno",
    "dupacks",
    "seqno",
    "ack",
    "cwnd",
    "ssthresh",
    "maxseq",
    "rtt",
    "srtt",
    "rttvar",
    "backoff",
    "ndatapack",
    "ndatabytes",
    "nackpack",
    "nrexmit",
    "nrexmitpack",
    "nrexmitbytes",
    "necnresponses",
    "ncwndcuts",
    "ncwndcuts1",
    "next_pkts_in_flight",
];

impl Variable {
    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// What a sender has to report.
#[derive(Clone, Copy, Debug)]
pub enum Note {
    /// A variable was set to another value.
    Changed(Variable, Value),
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
    /// A bit for each variable of which changes are reported.
    heeded: u32,
    /// Where variables are watched.
    places: Vec<(Variable, TraceId)>,
    /// If all variables are reported together: their values when the log was last empty.
    pub everything: Option<Box<AllVariables>>,
    /// Where happenings are reported, if anybody listens.
    pub happenings: Option<TraceId>,
}

impl Log {
    /// From now on changes of a variable are reported as `place`.
    pub fn watch(&mut self, variable: Variable, place: TraceId) {
        self.places.retain(|known| known.0 != variable);
        self.places.push((variable, place));
        self.heeded |= 1 << variable as u8;
    }

    /// Where a variable is watched, if it is.
    pub fn place_of(&self, variable: Variable) -> Option<TraceId> {
        self.places.iter().find(|known| known.0 == variable).map(|known| known.1)
    }

    /// From now on all variables are reported together with these values, or not.
    pub(super) fn follow(&mut self, everything: Option<AllVariables>) {
        let watched = self.places.iter().map(|known| 1 << known.0 as u8).sum();
        self.heeded = if everything.is_some() { u32::MAX } else { watched };
        self.everything = everything.map(Box::new);
    }
}

/// A variable that can be watched.
#[derive(Clone, Debug)]
pub struct Traced<T> {
    value: T,
    variable: Variable,
}

impl<T: Field + Copy + PartialEq> Traced<T> {
    /// A variable that nobody watches.
    pub fn new(variable: Variable, value: T) -> Traced<T> {
        Traced { value, variable }
    }

    /// Sets the variable; a change is reported.
    #[inline]
    pub fn set(&mut self, value: T, log: &mut Log) {
        if self.value != value {
            self.value = value;
            if log.heeded & 1 << self.variable as u8 != 0 {
                log.notes.push(self.note());
            }
        }
    }

    /// What is noted of the present value.
    pub fn note(&self) -> Note {
        Note::Changed(self.variable, self.value.value())
    }

    /// Which one it is.
    pub fn variable(&self) -> Variable {
        self.variable
    }

    /// The variable's name.
    pub fn name(&self) -> &'static str {
        self.variable.name()
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
