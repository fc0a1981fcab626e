//! TCP Westwood and Westwood+ as in ns-3.25: the threshold after congestion is the measured rate times the minimum
//! round-trip time.
//!
//! Source: C. Casetti et al., "TCP Westwood: bandwidth estimation for enhanced transport over wireless links", MobiCom
//! 2001; L. Grieco and S. Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP
//! congestion control", Computer Communication Review 34(2), 2004; ns-3.25's `TcpWestwood`.
//! What it decides: after congestion the threshold is the rate times the minimum round-trip time, at least two
//! segments. Westwood+ measures the data acknowledged per round trip. Both smooth the rate with Tustin's filter, in
//! which the past has a weight of 0.9.
//! Departures: Westwood divides the data that *one ACK* acknowledges by a whole round trip (the paper: by the time
//! since the last ACK). Its rate is one or two segments per round trip on any link, and its threshold two segments. The
//! minimum round-trip time is that of the smoothed one.
//! Not implemented: running without the filter.
//! Checked against: ns-3.25 (tests/oracle/test_ns3.py).

use super::{Entry, Ns3CongestionOps, Socket};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "westwood",
    about: "Westwood with ns-3.25's estimate: one or two segments a round trip",
    make: || Box::new(Westwood::new(Sampling::EachAck)),
};

/// The registry entry of Westwood+.
pub const PLUS: Entry = Entry {
    id: "westwood_plus",
    about: "Westwood+: after congestion, the window that the measured rate fills",
    make: || Box::new(Westwood::new(Sampling::RoundTrip { of_ns: 0, ends_ns: None })),
};

/// Weight of the past in the filtered rate.
const PAST: f64 = 0.9;

enum Sampling {
    EachAck,
    /// A measurement over one round trip of `of_ns`, until `ends_ns`; `None` if no measurement is in progress.
    RoundTrip {
        of_ns: i64,
        ends_ns: Option<i64>,
    },
}

struct Westwood {
    sampling: Sampling,
    /// Segments acknowledged since the last sample.
    segments: u32,
    /// The filtered rate, bytes/s; `sample` is the last sample.
    rate: f64,
    sample: f64,
    least_rtt_ns: Option<i64>,
}

impl Westwood {
    fn new(sampling: Sampling) -> Westwood {
        Westwood { sampling, segments: 0, rate: 0.0, sample: 0.0, least_rtt_ns: None }
    }

    fn take_sample(&mut self, segment: u32, rtt_ns: i64) {
        let bytes = f64::from(self.segments) * f64::from(segment);
        let sample = bytes / (rtt_ns as f64 / 1e9);
        self.rate = PAST * self.rate + (1.0 - PAST) * ((sample + self.sample) / 2.0);
        self.sample = sample;
        self.segments = 0;
    }

    /// Takes a sample if the measured round trip is over.
    fn end_round_trip(&mut self, socket: &Socket) {
        if let Sampling::RoundTrip { of_ns, ends_ns } = &mut self.sampling
            && ends_ns.is_some_and(|end| end <= socket.now_ns)
        {
            let rtt_ns = *of_ns;
            *ends_ns = None;
            self.take_sample(socket.segment, rtt_ns);
        }
    }
}

impl Ns3CongestionOps for Westwood {
    fn ssthresh(&mut self, socket: &Socket, _in_flight: u32) -> u32 {
        self.end_round_trip(socket);
        let least_s = self.least_rtt_ns.unwrap_or(0) as f64 / 1e9;
        (2 * socket.segment).max((self.rate * least_s) as u32)
    }

    fn acked(&mut self, socket: &Socket, segments: u32) {
        let rtt_ns = socket.rtt_ns;
        if rtt_ns == 0 {
            return;
        }
        self.end_round_trip(socket);
        self.segments += segments;
        self.least_rtt_ns = Some(self.least_rtt_ns.map_or(rtt_ns, |least| least.min(rtt_ns)));
        match &mut self.sampling {
            Sampling::EachAck => self.take_sample(socket.segment, rtt_ns),
            Sampling::RoundTrip { of_ns, ends_ns } if ends_ns.is_none() => {
                *of_ns = rtt_ns;
                *ends_ns = Some(socket.now_ns + rtt_ns);
            }
            Sampling::RoundTrip { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ACKs of two segments of 1000 bytes every 10 ms, round trips of 100 ms: 200 kB/s, 20 segments per round trip.
    fn threshold_after_a_long_time(entry: &Entry) -> u32 {
        let mut law = (entry.make)();
        let mut socket = Socket { segment: 1000, cwnd: 20_000, ssthresh: 0, rtt_ns: 100_000_000, now_ns: 0 };
        for ack in 0..1000 {
            socket.now_ns = ack * 10_000_000;
            law.acked(&socket, 2);
        }
        law.ssthresh(&socket, 20_000)
    }

    /// 200 kB/s times 100 ms; a sample covers one round trip, plus or minus one ACK.
    #[test]
    fn westwood_plus_finds_the_rate() {
        let threshold = threshold_after_a_long_time(&PLUS);
        assert!((18_000..=22_000).contains(&threshold), "{threshold} bytes, not about 20000");
    }

    /// The same network: one ACK's two segments, divided by a round trip, times a round trip.
    #[test]
    fn westwood_finds_two_segments() {
        assert_eq!(threshold_after_a_long_time(&ENTRY), 2000);
    }
}
