//! Reports to the observer: changes of traced variables, in order with the packets.

use super::connection::Connection;
use super::traced::{AllVariables, Note};
use crate::measure::endpoint_stats::Progress;
use crate::measure::observe::TraceId;
use crate::net::{Network, SimulationError};
use crate::params::Value;

impl Connection {
    /// The state that statistics follow.
    #[inline]
    pub fn progress(&self) -> Progress {
        Progress {
            cwnd: *self.cwnd,
            ssthresh: f64::from(*self.ssthresh),
            next: i64::from(*self.t_seqno),
            produced: i64::from(*self.seqno),
            acknowledged: i64::from(*self.ack),
        }
    }

    /// The report of the traced variable `name`.
    fn note_of(&self, name: &str) -> Option<Note> {
        let all = [
            self.t_seqno.note(),
            self.dupacks.note(),
            self.seqno.note(),
            self.ack.note(),
            self.cwnd.note(),
            self.ssthresh.note(),
            self.maxseq.note(),
            self.rtt.rtt.note(),
            self.rtt.srtt.note(),
            self.rtt.rttvar.note(),
            self.rtt.backoff.note(),
            self.ndatapack.note(),
            self.ndatabytes.note(),
            self.nackpack.note(),
            self.nrexmit.note(),
            self.nrexmitpack.note(),
            self.nrexmitbytes.note(),
            self.necnresponses.note(),
            self.ncwndcuts.note(),
            self.ncwndcuts1.note(),
        ];
        all.into_iter().find(|note| matches!(note, Note::Changed(variable, _) if variable.name() == name))
    }

    /// Reports changes of the variable `name` as `place`, or events if `name` is `event`. `rtt_ticks`, `srtt_ticks` and
    /// `rttvar_ticks` are the round-trip times in clock ticks, not in seconds. Returns false for an unknown name.
    pub fn watch(&mut self, name: &str, place: TraceId) -> bool {
        let (name, in_ticks) = name.strip_suffix("_ticks").map_or((name, false), |name| (name, true));
        if name == "event" {
            self.log.listen(place);
        } else if name == "remarks" {
            self.rare.get_or_insert_default().quick_start.remarks = Some(place);
        } else if let Some(Note::Changed(variable, _)) = self.note_of(name) {
            self.log.watch(variable, place);
            self.log.report_in_ticks(variable, in_ticks);
        } else {
            return false;
        }
        self.follow_all();
        true
    }

    /// Updates the log's copy of all variables, if they are reported together.
    pub(super) fn follow_all(&mut self) {
        let everything = self.config.trace_all_oneline.then(|| self.all_variables());
        self.log.follow(everything);
    }

    fn all_variables(&self) -> AllVariables {
        let whole = |name, value: i32| (name, Value::Int(i64::from(value)));
        [
            whole(self.maxseq.name(), *self.maxseq),
            whole(self.ack.name(), *self.ack),
            whole(self.t_seqno.name(), *self.t_seqno),
            (self.cwnd.name(), Value::Real(*self.cwnd)),
            whole(self.ssthresh.name(), *self.ssthresh),
            whole(self.dupacks.name(), *self.dupacks),
            whole(self.rtt.rtt.name(), *self.rtt.rtt),
            whole(self.rtt.srtt.name(), *self.rtt.srtt),
            whole(self.rtt.rttvar.name(), *self.rtt.rttvar),
            whole(self.rtt.backoff.name(), *self.rtt.backoff),
        ]
    }

    /// Reports the current value of a traced variable, as if it had just been set.
    pub(crate) fn note_present_value(&mut self, name: &str) {
        if let Some(note @ Note::Changed(variable, _)) = self.note_of(name)
            && self.log.is_traced(variable)
        {
            self.log.note(note);
        }
    }

    /// Sends the pending reports to the observer.
    #[inline]
    pub fn flush(&mut self, net: &mut Network) {
        if self.log.has_notes() {
            self.hand_over_log(net);
        }
    }

    #[cold]
    fn hand_over_log(&mut self, net: &mut Network) {
        let now = net.now();
        let Some(mut listeners) = self.log.take() else { return };
        let mut all = listeners.everything.take();
        for note in &listeners.notes {
            match *note {
                Note::Changed(variable, value) => {
                    let name = variable.name();
                    if let Some(known) = all.iter_mut().flat_map(|all| all.iter_mut()).find(|known| known.0 == name) {
                        known.1 = value;
                    }
                    match (listeners.place_of(variable), &all) {
                        (Some(place), Some(all)) if !self.config.nam_tracevar => {
                            let reported = all.map(|(name, value)| (name, self.reported(name, value)));
                            net.observer.variables(place, now, &reported);
                        }
                        (Some(place), _) => {
                            let shown =
                                if listeners.is_in_ticks(variable) { value } else { self.reported(name, value) };
                            net.observer.variable(place, now, name, shown);
                        }
                        (None, _) => {}
                    }
                }
                Note::Happened(place, what, fields) => net.observer.happening(place, now, what, &fields),
                Note::ControlFailed => {
                    let error = self.outside().and_then(|outside| outside.error.clone());
                    net.fail(SimulationError::Broken(error.unwrap_or_default()));
                }
            }
        }
        listeners.everything = all;
        self.log.restore(listeners);
    }

    /// The value to report: round-trip times in seconds.
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
