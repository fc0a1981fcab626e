//! What traces and tables see of the TCP agent: its variables, and the bits of its packets.

use crate::measure::connection::{ConnectionEvent, ConnectionState};
use crate::measure::endpoint_stats::Progress;
use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::packet::flag;
use crate::packet::segment::{Segment, flag as tcp_flag};
use crate::packet::seq::SeqNum;
use crate::params::Value;
use crate::transport::tcp::socket::{self, Socket};

/// The traced variables. Sequence numbers count bytes from the SYN on.
pub(super) const VARIABLES: [&str; 7] = ["cwnd", "ssthresh", "t_seqno", "seqno", "ack", "srtt", "nrexmitpack"];

/// The values of the traced variables at one time.
pub(super) struct Values {
    pub state: socket::Progress,
    /// Bytes that the application has produced.
    pub seqno: f64,
    pub t_seqno: f64,
    pub ack: f64,
    /// Packets retransmitted, by former connections too.
    pub retransmitted: f64,
}

impl Values {
    /// The values of a socket whose sequence numbers begin at `iss`. The application has `backlog` bytes more, or data
    /// without end; `retransmitted` counts the packets of former connections.
    pub fn new(socket: &Socket, iss: SeqNum, backlog: Option<u64>, retransmitted: u64) -> Values {
        let state = socket.progress();
        Values {
            seqno: backlog.map_or(1e15, |bytes| f64::from(state.write_seq.since(iss)) + bytes as f64),
            t_seqno: state.snd_nxt.since(iss).into(),
            ack: state.snd_una.since(iss).into(),
            retransmitted: (retransmitted + u64::from(state.total_retrans)) as f64,
            state,
        }
    }

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

impl Values {
    /// What tables follow.
    pub fn progress(&self) -> Progress {
        Progress {
            cwnd: self.state.cwnd,
            ssthresh: self.state.ssthresh,
            next: self.t_seqno as i64,
            produced: self.seqno as i64,
            acknowledged: self.ack as i64,
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
    /// Where what happens to the connection is reported, and the state last reported.
    connection: Option<(TraceId, ConnectionState)>,
}

impl Trace {
    /// Whether any variable is watched.
    pub fn is_on(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Whether nothing at all is reported.
    #[inline]
    pub fn is_silent(&self) -> bool {
        self.watched.is_empty() && self.connection.is_none()
    }

    /// Changes of the variable are reported as `place`, or, for the name `connection`, what happens to the connection.
    /// Returns whether there is such a variable.
    pub fn watch(&mut self, name: &str, place: TraceId) -> bool {
        if name == "connection" {
            self.connection = Some((place, ConnectionState::default()));
            return true;
        }
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

    /// Reports that a segment is sent.
    #[inline]
    pub fn sent(&self, segment: &Segment, net: &mut Network) {
        if let Some((place, _)) = self.connection {
            net.observer.connection(place, net.now(), ConnectionEvent::Sent(segment));
        }
    }

    /// Reports that a segment has arrived.
    #[inline]
    pub fn received(&self, segment: &Segment, net: &mut Network) {
        if let Some((place, _)) = self.connection {
            net.observer.connection(place, net.now(), ConnectionEvent::Received(segment));
        }
    }

    /// Reports what was marked lost, and the state of the connection if it has changed.
    #[inline]
    pub fn report_connection(&mut self, socket: &mut Socket, net: &mut Network) {
        if let Some((place, last)) = &mut self.connection {
            for range in socket.take_lost_ranges() {
                net.observer.connection(*place, net.now(), ConnectionEvent::Lost(range));
            }
            let state = socket.connection_state();
            if state != *last {
                *last = state;
                net.observer.connection(*place, net.now(), ConnectionEvent::State(&state));
            }
        }
    }
}

/// The bits of a segment's header that traces read in a packet.
pub(super) fn bits(segment: &Segment) -> u16 {
    let bit = |of: u16, is: u16| if segment.has(of) { is } else { 0 };
    bit(tcp_flag::ECE, flag::ECN_ECHO) | bit(tcp_flag::CWR, flag::CONG_ACTION) | bit(tcp_flag::AE, flag::ACCURATE)
}
