//! Traced state variables, like ns-2's: an observer receives each change when it happens.
//!
//! Changes are stored in the sender's [`Log`]. The sender flushes the log to the observer before each packet and after
//! each event, so changes and packets are reported in order.

use std::ops::Deref;

use crate::measure::observe::TraceId;
use crate::params::{Field, Value};

/// A traceable variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Variable {
    /// The next packet to send.
    TSeqno,
    /// Duplicate ACKs.
    Dupacks,
    /// Number of packets that the application has produced.
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
    /// The smoothed round-trip time.
    Srtt,
    /// The deviation of the round-trip time.
    Rttvar,
    /// The back-off factor of the timeout.
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
    /// Window cuts because of ECN echoes.
    Necnresponses,
    /// All window cuts.
    Ncwndcuts,
    /// Window cuts because of congestion.
    Ncwndcuts1,
    /// Linux: limit of packets in flight.
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
    /// The variable's name.
    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }
}

/// The variables of a combined report (`trace_all_oneline`).
pub type AllVariables = [(&'static str, Value); 10];

/// A report to the observer.
#[derive(Clone, Copy, Debug)]
pub enum Note {
    /// A variable has a new value.
    Changed(Variable, Value),
    /// An event: flow id, next sequence number, window.
    Happened(TraceId, &'static str, [f64; 3]),
    /// The external control failed.
    ControlFailed,
}

/// Pending reports, oldest first. Most senders have no listener, and then the log is one null pointer.
#[derive(Clone, Debug, Default)]
pub struct Log(Option<Box<Listeners>>);

/// The listeners of a sender, and the reports pending for them.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    /// A bit set of the traced variables.
    heeded: u32,
    /// Reports not yet sent to the observer.
    pub notes: Vec<Note>,
    /// The trace of each variable.
    places: Vec<(Variable, TraceId)>,
    /// A bit set of the round-trip times that are reported in ticks.
    in_ticks: u32,
    /// For combined reports: the values of all variables when the log was last empty.
    pub everything: Option<AllVariables>,
    /// The event trace, if any.
    happenings: Option<TraceId>,
}

impl Log {
    /// Reports a round-trip time in clock ticks, or in seconds.
    pub(super) fn report_in_ticks(&mut self, variable: Variable, in_ticks: bool) {
        let listeners = self.0.get_or_insert_default();
        let bit = 1 << variable as u8;
        listeners.in_ticks = if in_ticks { listeners.in_ticks | bit } else { listeners.in_ticks & !bit };
    }

    /// Reports changes of a variable as `place` from now on.
    pub fn watch(&mut self, variable: Variable, place: TraceId) {
        let listeners = self.0.get_or_insert_default();
        listeners.places.retain(|known| known.0 != variable);
        listeners.places.push((variable, place));
        listeners.heeded |= 1 << variable as u8;
    }

    /// Reports events as `place` from now on.
    pub(super) fn listen(&mut self, place: TraceId) {
        self.0.get_or_insert_default().happenings = Some(place);
    }

    /// The event trace, if any.
    pub fn happenings(&self) -> Option<TraceId> {
        self.0.as_ref()?.happenings
    }

    /// Enables combined reports, starting with these values; `None` disables them.
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

    /// Adds a report.
    #[cold]
    pub fn note(&mut self, note: Note) {
        self.0.get_or_insert_default().notes.push(note);
    }

    /// Whether reports are pending.
    #[inline]
    pub(super) fn has_notes(&self) -> bool {
        self.0.as_ref().is_some_and(|listeners| !listeners.notes.is_empty())
    }

    /// Takes the listeners out of the log; [`Log::restore`] puts them back.
    pub(super) fn take(&mut self) -> Option<Box<Listeners>> {
        self.0.take()
    }

    /// Puts the listeners back, without the reports just sent.
    pub(super) fn restore(&mut self, mut listeners: Box<Listeners>) {
        listeners.notes.clear();
        self.0 = Some(listeners);
    }
}

impl Listeners {
    /// Whether a round-trip time is reported in clock ticks.
    pub(super) fn is_in_ticks(&self, variable: Variable) -> bool {
        self.in_ticks & 1 << variable as u8 != 0
    }

    /// The trace of a variable, if it has one.
    pub fn place_of(&self, variable: Variable) -> Option<TraceId> {
        self.places.iter().find(|known| known.0 == variable).map(|known| known.1)
    }
}

/// The traceable variable with number `V` of [`Variable`]. The number takes no memory.
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

    /// The report of the current value.
    pub fn note(&self) -> Note {
        Note::Changed(Self::VARIABLE, self.0.value())
    }

    /// Which variable it is.
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

/// An assignment through a [`Value`] reports nothing.
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
