//! The traced variables of the TCP agent: which are watched, and their values when they change.

use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::params::Value;
use crate::transport::tcp::socket::Progress;

/// The traced variables. Sequence numbers count bytes from the SYN on.
pub(super) const VARIABLES: [&str; 7] = ["cwnd", "ssthresh", "t_seqno", "seqno", "ack", "srtt", "nrexmitpack"];

/// The values of the traced variables at one time.
pub(super) struct Values {
    pub state: Progress,
    /// Bytes that the application has produced.
    pub seqno: f64,
    pub t_seqno: f64,
    pub ack: f64,
    /// Packets retransmitted, by former connections too.
    pub retransmitted: f64,
}

impl Values {
    /// The value of the variable with this place in [`VARIABLES`].
    pub fn of(&self, which: usize) -> f64 {
        match VARIABLES[which] {
            "cwnd" => self.state.cwnd,
            "ssthresh" => self.state.ssthresh,
            "t_seqno" => self.t_seqno,
            "seqno" => self.seqno,
            "ack" => self.ack,
            "srtt" => self.state.srtt_s,
            _ => self.retransmitted,
        }
    }
}

/// A traced variable: its place in [`VARIABLES`], its trace, and the value last reported.
#[derive(Clone, Copy, Debug)]
struct Watched {
    which: usize,
    place: TraceId,
    last: f64,
}

/// The variables that are watched.
#[derive(Debug, Default)]
pub(super) struct Trace {
    watched: Vec<Watched>,
}

impl Trace {
    /// Whether any variable is watched.
    pub fn is_on(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Changes of the variable are reported as `place`. Returns whether there is such a variable.
    pub fn watch(&mut self, name: &str, place: TraceId) -> bool {
        let Some(which) = VARIABLES.iter().position(|&known| known == name) else { return false };
        self.watched.push(Watched { which, place, last: f64::NAN });
        true
    }

    /// Reports what has changed.
    pub fn report(&mut self, values: &Values, net: &mut Network) {
        for watched in &mut self.watched {
            let value = values.of(watched.which);
            if value != watched.last {
                watched.last = value;
                net.observer.variable(watched.place, net.now(), VARIABLES[watched.which], Value::Real(value));
            }
        }
    }
}
