//! What a sender tells its observer: each change of a watched variable, in the order of changes and packets.

use super::connection::Connection;
use super::traced::{Note, Traced};
use crate::network::{Network, Trouble};
use crate::observe::TraceId;
use crate::params::Value;

/// The variables that are reported together if all are asked for.
pub type AllVariables = [(&'static str, Value); 10];

impl Connection {
    /// The traced variable of this name, of those that hold whole numbers.
    fn watchable(&self, name: &str) -> Option<&Traced<i32>> {
        let all = [
            &self.t_seqno,
            &self.dupacks,
            &self.seqno,
            &self.ack,
            &self.ssthresh,
            &self.maxseq,
            &self.rtt.rtt,
            &self.rtt.srtt,
            &self.rtt.rttvar,
            &self.rtt.backoff,
            &self.ndatapack,
            &self.ndatabytes,
            &self.nackpack,
            &self.nrexmit,
            &self.nrexmitpack,
            &self.nrexmitbytes,
            &self.necnresponses,
            &self.ncwndcuts,
            &self.ncwndcuts1,
        ];
        all.into_iter().find(|variable| variable.name() == name)
    }

    /// From now on changes of the variable are reported as `place`, or happenings if it is called `event`; whether there
    /// is such a variable.
    pub fn watch(&mut self, name: &str, place: TraceId) -> bool {
        if name == "event" {
            self.log.happenings = Some(place);
        } else if name == "remarks" {
            self.quick_start.remarks = Some(place);
        } else if name == self.cwnd.name() {
            self.log.watch(self.cwnd.variable(), place);
        } else if let Some(variable) = self.watchable(name).map(Traced::variable) {
            self.log.watch(variable, place);
        } else {
            return false;
        }
        self.follow_all();
        true
    }

    /// Keeps the log's picture of all variables, if all are reported together.
    pub(super) fn follow_all(&mut self) {
        let everything = self.config.trace_all_oneline.then(|| self.all_variables());
        self.log.follow(everything);
    }

    fn all_variables(&self) -> AllVariables {
        let whole = |variable: &Traced<i32>| (variable.name(), Value::Int(i64::from(**variable)));
        [
            whole(&self.maxseq),
            whole(&self.ack),
            whole(&self.t_seqno),
            (self.cwnd.name(), Value::Real(*self.cwnd)),
            whole(&self.ssthresh),
            whole(&self.dupacks),
            whole(&self.rtt.rtt),
            whole(&self.rtt.srtt),
            whole(&self.rtt.rttvar),
            whole(&self.rtt.backoff),
        ]
    }

    /// Notes a watched variable's present value, as if it had just been set.
    pub(crate) fn note_present_value(&mut self, name: &str) {
        let note =
            if name == self.cwnd.name() { Some(self.cwnd.note()) } else { self.watchable(name).map(Traced::note) };
        self.log.notes.extend(note);
    }

    /// Hands over what is to be reported.
    #[inline]
    pub fn flush(&mut self, net: &mut Network) {
        if !self.log.notes.is_empty() {
            self.hand_over_log(net);
        }
    }

    #[cold]
    fn hand_over_log(&mut self, net: &mut Network) {
        let now = net.now();
        let notes = std::mem::take(&mut self.log.notes);
        let mut all = self.log.everything.take();
        for note in &notes {
            match *note {
                Note::Changed(variable, value) => {
                    let name = variable.name();
                    if let Some(known) = all.iter_mut().flat_map(|all| all.iter_mut()).find(|known| known.0 == name) {
                        known.1 = value;
                    }
                    match (self.log.place_of(variable), &all) {
                        (Some(place), Some(all)) if !self.config.nam_tracevar => {
                            let reported = all.map(|(name, value)| (name, self.reported(name, value)));
                            net.observer.variables(place, now, &reported);
                        }
                        (Some(place), _) => net.observer.variable(place, now, name, self.reported(name, value)),
                        (None, _) => {}
                    }
                }
                Note::Happened(place, what, fields) => net.observer.happening(place, now, what, &fields),
                Note::Trouble => {
                    let trouble = self.outside.as_ref().and_then(|outside| outside.trouble.clone());
                    net.fail(Trouble::Broken(trouble.unwrap_or_default()));
                }
            }
        }
        self.log.everything = all;
        self.log.notes = notes;
        self.log.notes.clear();
    }

    /// A variable's value as it is reported: round-trip times in seconds.
    fn reported(&self, name: &str, value: Value) -> Value {
        let tick = self.config.tcp_tick;
        match (name, value) {
            _ if self.config.nam_tracevar => value,
            ("rtt", Value::Int(ticks)) => Value::Real(ticks as f64 * tick),
            ("srtt", Value::Int(ticks)) => Value::Real((ticks >> self.config.t_srtt_bits) as f64 * tick),
            ("rttvar", Value::Int(ticks)) => Value::Real(ticks as f64 * tick / 4.0),
            _ => value,
        }
    }
}
