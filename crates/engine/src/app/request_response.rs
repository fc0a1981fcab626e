//! Requests and responses over a two-way connection: who is to send next, how much, after how long.
//!
//! Source: the usual model of a Web client and its server on a persistent connection; ns-2 has it as scripts over
//! `Application/TcpApp`.
//! What it decides: the server answers when it has all of a request, the client asks again when it has all of a response,
//! until it has asked `times` times or is stopped; then the connection is closed, if that is wanted.
//! Departures: who answers does so in an event of its own, also when that is at once.
//! Not implemented: requests that do not wait for the response before (pipelining).
//! Checked against: ns-2.35, byte for byte (tests/oracle/test_two_way.py).

/// Which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Who asks.
    Client,
    /// Who answers.
    Server,
}

/// What is to happen after a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The client sends a request.
    Ask,
    /// The server sends a response.
    Answer,
    /// The client closes the connection.
    Close,
}

/// One client and one server.
#[derive(Clone, Debug)]
pub struct RequestResponse {
    /// Bytes of a request.
    pub request_bytes: i64,
    /// Bytes of a response.
    pub response_bytes: i64,
    /// How often the client asks; without end if `None`.
    pub times: Option<u32>,
    /// From the end of a request to the response, s.
    pub serves_s: f64,
    /// From the end of a response to the next request, s.
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
    /// One that has not begun.
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

    /// The client is about to ask: whether it still wants to.
    pub fn asks(&mut self) -> bool {
        let wants = !self.is_stopped && self.times.is_none_or(|times| self.asked < times);
        self.asked += u32::from(wants);
        wants
    }

    /// The client asks no more; whether it closes now, since nothing is awaited.
    pub fn stop(&mut self) -> bool {
        self.is_stopped = true;
        self.closes && self.answered == self.asked
    }

    /// Whether the client has all the responses that it wanted.
    pub fn is_over(&self) -> bool {
        self.times.is_some_and(|times| self.answered >= times)
    }

    /// Bytes have come to one of the ends: what that leads to, and after how many seconds.
    pub fn receive(&mut self, by: Side, bytes: i64) -> Option<(Step, f64)> {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_requests_then_the_end() {
        let mut exchange = RequestResponse::new((300, 1000), Some(2), (0.5, 2.0), true);
        assert!(exchange.asks());
        assert_eq!(exchange.receive(Side::Server, 299), None);
        assert_eq!(exchange.receive(Side::Server, 1), Some((Step::Answer, 0.5)));
        assert_eq!(exchange.receive(Side::Client, 536), None);
        assert_eq!(exchange.receive(Side::Client, 464), Some((Step::Ask, 2.0)));
        assert!(exchange.asks());
        assert_eq!(exchange.receive(Side::Server, 300), Some((Step::Answer, 0.5)));
        assert_eq!(exchange.receive(Side::Client, 1000), Some((Step::Close, 0.0)));
        assert!(!exchange.asks() && exchange.is_over());
    }

    #[test]
    fn who_is_stopped_asks_no_more_and_waits_for_what_is_to_come() {
        let mut exchange = RequestResponse::new((300, 1000), None, (0.0, 0.0), true);
        assert!(exchange.asks());
        assert!(!exchange.stop());
        assert_eq!(exchange.receive(Side::Server, 300), Some((Step::Answer, 0.0)));
        assert_eq!(exchange.receive(Side::Client, 1000), Some((Step::Close, 0.0)));
    }
}
