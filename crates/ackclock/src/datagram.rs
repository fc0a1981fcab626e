//! Datagrams on their way in and out.

use std::time::Duration;

use ackclock_engine::packet::segment::EcnCodepoint as Ecn;

use crate::ids::Endpoint;

/// A datagram to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Where it goes.
    pub to: Endpoint,
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// Its bytes, without headers.
    pub payload: Vec<u8>,
}

impl Datagram {
    /// A datagram without ECN.
    pub fn new(to: Endpoint, payload: impl Into<Vec<u8>>) -> Datagram {
        Datagram { to, ecn: Ecn::NotEct, payload: payload.into() }
    }

    /// The same with this ECN field.
    pub fn ecn(mut self, ecn: Ecn) -> Datagram {
        self.ecn = ecn;
        self
    }
}

/// A datagram that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The endpoint at which it arrived.
    pub at: Endpoint,
    /// The endpoint that sent it.
    pub from: Endpoint,
    /// When it was sent, since the start.
    pub sent: Duration,
    /// When it arrived, since the start: rounded up to whole nanoseconds.
    pub time: Duration,
    /// The ECN field; [`Ecn::Ce`] if a queue has marked it.
    pub ecn: Ecn,
    /// Its bytes.
    pub payload: Vec<u8>,
}
