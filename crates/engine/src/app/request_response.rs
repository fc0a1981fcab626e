//! Request-response traffic over a two-way connection.
//!
//! Source: the usual model of a Web client and its server on a persistent connection; in ns-2, scripts over
//! `Application/TcpApp`.
//! What it decides: which side sends next, how much, and when. The server responds after a complete request. The
//! client sends the next request after a complete response, until it has sent `times` requests or is stopped. Then it
//! closes the connection if `closes` is set.
//! Departures: each response is a separate event, also without a server delay.
//! Not implemented: pipelining of requests.
//! Checked against: ns-2.35, byte for byte (tests/oracle/test_two_way.py).

use super::conversation::{Ask, Conversation, Side, Step};

/// One client and one server.
#[derive(Clone, Debug)]
pub struct RequestResponse {
    /// Bytes of a request.
    pub request_bytes: i64,
    /// Bytes of a response.
    pub response_bytes: i64,
    /// Number of requests; `None` for no limit.
    pub times: Option<u32>,
    /// Server delay: from the end of a request to the response, s.
    pub serves_s: f64,
    /// Think time: from the end of a response to the next request, s.
    pub thinks_s: f64,
    /// Whether the client closes the connection after its last response.
    pub closes: bool,
    asked: u32,
    answered: u32,
    is_stopped: bool,
    requested_bytes: i64,
    responded_bytes: i64,
}

impl RequestResponse {
    /// A connection without requests yet.
    pub fn new(
        (request_bytes, response_bytes): (i64, i64),
        times: Option<u32>,
        (serves_s, thinks_s): (f64, f64),
        closes: bool,
    ) -> RequestResponse {
        RequestResponse {
            request_bytes,
            response_bytes,
            times,
            serves_s,
            thinks_s,
            closes,
            asked: 0,
            answered: 0,
            is_stopped: false,
            requested_bytes: 0,
            responded_bytes: 0,
        }
    }
}

impl Conversation for RequestResponse {
    fn ask(&mut self, _now_s: f64) -> Ask {
        let wants = !self.is_stopped && self.times.is_none_or(|times| self.asked < times);
        self.asked += u32::from(wants);
        if wants { Ask::Now(self.request_bytes) } else { Ask::Never }
    }

    fn response_bytes(&self) -> i64 {
        self.response_bytes
    }

    fn receive(&mut self, by: Side, bytes: i64, _now_s: f64) -> Option<(Step, f64)> {
        match by {
            Side::Server => {
                self.requested_bytes += bytes;
                let is_whole = self.requested_bytes >= self.request_bytes;
                is_whole.then(|| {
                    self.requested_bytes -= self.request_bytes;
                    (Step::Answer, self.serves_s)
                })
            }
            Side::Client => {
                self.responded_bytes += bytes;
                if self.responded_bytes < self.response_bytes {
                    return None;
                }
                self.responded_bytes -= self.response_bytes;
                self.answered += 1;
                let is_last = self.is_stopped || self.times.is_some_and(|times| self.asked >= times);
                match (is_last, self.closes) {
                    (false, _) => Some((Step::Ask, self.thinks_s)),
                    (true, true) => Some((Step::Close, 0.0)),
                    (true, false) => None,
                }
            }
        }
    }

    fn stop(&mut self, _now_s: f64) -> bool {
        self.is_stopped = true;
        self.closes && self.answered == self.asked
    }

    fn is_over(&self) -> bool {
        self.times.is_some_and(|times| self.answered >= times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_requests_then_the_end() {
        let mut exchange = RequestResponse::new((300, 1000), Some(2), (0.5, 2.0), true);
        assert_eq!(exchange.ask(0.0), Ask::Now(300));
        assert_eq!(exchange.receive(Side::Server, 299, 0.0), None);
        assert_eq!(exchange.receive(Side::Server, 1, 0.0), Some((Step::Answer, 0.5)));
        assert_eq!(exchange.receive(Side::Client, 536, 0.0), None);
        assert_eq!(exchange.receive(Side::Client, 464, 0.0), Some((Step::Ask, 2.0)));
        assert_eq!(exchange.ask(0.0), Ask::Now(300));
        assert_eq!(exchange.receive(Side::Server, 300, 0.0), Some((Step::Answer, 0.5)));
        assert_eq!(exchange.receive(Side::Client, 1000, 0.0), Some((Step::Close, 0.0)));
        assert_eq!(exchange.ask(0.0), Ask::Never);
        assert!(exchange.is_over());
    }

    #[test]
    fn who_is_stopped_asks_no_more_and_waits_for_what_is_to_come() {
        let mut exchange = RequestResponse::new((300, 1000), None, (0.0, 0.0), true);
        assert_eq!(exchange.ask(0.0), Ask::Now(300));
        assert!(!exchange.stop(0.0));
        assert_eq!(exchange.receive(Side::Server, 300, 0.0), Some((Step::Answer, 0.0)));
        assert_eq!(exchange.receive(Side::Client, 1000, 0.0), Some((Step::Close, 0.0)));
    }
}
