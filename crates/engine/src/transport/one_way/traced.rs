//! State variables that an observer can watch, each change at the moment it is made.
//!
//! A change goes into the sender's [`Log`]; the sender empties its log into the observer before it sends a packet and when
//! it has handled an event, so that changes and packets are reported in the order in which they happened.

use std::ops::Deref;

use super::report::AllVariables;
use crate::measure::observe::TraceId;
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
    /// Packets retransmitted.
    Nrexmitpack,
    /// Bytes retransmitted.
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

/// Every variable, with its name.
const ALL: [(Variable, &str); 21] = [
    (Variable::TSeqno, "t_seqno"),
    (Variable::Dupacks, "dupacks"),
    (Variable::Seqno, "seqno"),
    (Variable::Ack, "ack"),
    (Variable::Cwnd, "cwnd"),
    (Variable::Ssthresh, "ssthresh"),
    (Variable::Maxseq, "maxseq"),
    (Variable::Rtt, "rtt"),
    (Variable::Srtt, "srtt"),
    (Variable::Rttvar, "rttvar"),
    (Variable::Backoff, "backoff"),
    (Variable::Ndatapack, "ndatapack"),
    (Variable::Ndatabytes, "ndatabytes"),
    (Variable::Nackpack, "nackpack"),
    (Variable::Nrexmit, "nrexmit"),
    (Variable::Nrexmitpack, "nrexmitpack"),
    (Variable::Nrexmitbytes, "nrexmitbytes"),
    (Variable::Necnresponses, "necnresponses"),
    (Variable::Ncwndcuts, "ncwndcuts"),
    (Variable::Ncwndcuts1, "ncwndcuts1"),
    (Variable::NextPktsInFlight, "next_pkts_in_flight"),
];

impl Variable {
    /// Its name.
    pub fn name(self) -> &'static str {
        ALL[self as usize].1
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

/// What a sender has to report, oldest first. Most senders have no listener, and nothing but that to remember of it.
#[derive(Clone, Debug, Default)]
pub struct Log(Option<Box<Listeners>>);

/// Who listens to a sender, and what they are still to be told.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    /// A bit for each variable of which changes are reported.
    heeded: u32,
    /// Reported but not yet handed over.
    pub notes: Vec<Note>,
    /// Where variables are watched.
    places: Vec<(Variable, TraceId)>,
    /// If all variables are reported together: their values when the log was last empty.
    pub everything: Option<AllVariables>,
    /// Where happenings are reported, if anybody listens.
    happenings: Option<TraceId>,
}

impl Log {
    /// From now on changes of a variable are reported as `place`.
    pub fn watch(&mut self, variable: Variable, place: TraceId) {
        let listeners = self.0.get_or_insert_default();
        listeners.places.retain(|known| known.0 != variable);
        listeners.places.push((variable, place));
        listeners.heeded |= 1 << variable as u8;
    }

    /// From now on happenings are reported as `place`.
    pub(super) fn listen(&mut self, place: TraceId) {
        self.0.get_or_insert_default().happenings = Some(place);
    }

    /// Where happenings are reported, if anybody listens.
    pub fn happenings(&self) -> Option<TraceId> {
        self.0.as_ref()?.happenings
    }

    /// From now on all variables are reported together with these values, or not.
    pub(super) fn follow(&mut self, everything: Option<AllVariables>) {
        if everything.is_none() && self.0.is_none() {
            return;
        }
        let listeners = self.0.get_or_insert_default();
        let watched = listeners.places.iter().map(|known| 1 << known.0 as u8).sum();
        listeners.heeded = if everything.is_some() { u32::MAX } else { watched };
        listeners.everything = everything;
    }

    /// Whether changes of a variable are reported.
    #[inline]
    pub(super) fn is_traced(&self, variable: Variable) -> bool {
        self.0.as_ref().is_some_and(|listeners| listeners.heeded & 1 << variable as u8 != 0)
    }

    /// Adds what is to be reported.
    #[cold]
    pub fn note(&mut self, note: Note) {
        self.0.get_or_insert_default().notes.push(note);
    }

    /// Whether anything is to be reported.
    #[inline]
    pub(super) fn has_notes(&self) -> bool {
        self.0.as_ref().is_some_and(|listeners| !listeners.notes.is_empty())
    }

    /// Who is to be told, taken out until [`Log::told`].
    pub(super) fn take(&mut self) -> Option<Box<Listeners>> {
        self.0.take()
    }

    /// They were told.
    pub(super) fn told(&mut self, mut listeners: Box<Listeners>) {
        listeners.notes.clear();
        self.0 = Some(listeners);
    }
}

impl Listeners {
    /// Where a variable is watched, if it is.
    pub fn place_of(&self, variable: Variable) -> Option<TraceId> {
        self.places.iter().find(|known| known.0 == variable).map(|known| known.1)
    }
}

/// A variable that can be watched, the one with number `V` of [`Variable`]. Which one it is takes no memory.
#[derive(Clone, Debug, Default)]
pub struct Traced<T, const V: u8>(T);

impl<T: Field + Copy + PartialEq, const V: u8> Traced<T, V> {
    const VARIABLE: Variable = ALL[V as usize].0;

    /// Sets the variable; a change is reported.
    #[inline]
    pub fn set(&mut self, value: T, log: &mut Log) {
        if self.0 != value {
            self.0 = value;
            if log.is_traced(Self::VARIABLE) {
                log.note(self.note());
            }
        }
    }

    /// What is noted of the present value.
    pub fn note(&self) -> Note {
        Note::Changed(Self::VARIABLE, self.0.value())
    }

    /// Which one it is.
    pub fn variable(&self) -> Variable {
        Self::VARIABLE
    }

    /// The variable's name.
    pub fn name(&self) -> &'static str {
        Self::VARIABLE.name()
    }
}

impl<T, const V: u8> Deref for Traced<T, V> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Set through a [`Value`], a variable reports nothing.
impl<T: Field, const V: u8> Field for Traced<T, V> {
    fn value(&self) -> Value {
        self.0.value()
    }
    fn assign(&mut self, value: Value) {
        self.0.assign(value);
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn variables_stand_at_their_numbers() {
        for (number, (variable, _)) in ALL.into_iter().enumerate() {
            assert_eq!(variable as usize, number);
        }
    }
}
