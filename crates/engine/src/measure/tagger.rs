//! Token bucket tagger of RIO (in/out marking): tags the packets that conform to their flow's profile as in.
//!
//! Source: ns-2.35's `QueueMonitor/ED/Tagger` and `QueueMonitor/ED/Flow/TB`, after D. D. Clark and W. Fang, "Explicit
//! allocation of best-effort packet delivery service", IEEE/ACM Transactions on Networking 6(4), 1998.
//! What it decides: a packet smaller than the content of its flow's bucket is in, and takes its bytes from the
//! bucket.
//! Departures: none.
//! Not implemented: the time sliding window tagger (`maketswtagger`).
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use crate::time::Time;

/// A flow's token bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tagger {
    /// Token rate, bit/s.
    pub rate_bps: f64,
    /// Maximum content of the bucket, bytes.
    pub depth: f64,
    /// Content of the bucket, bytes.
    pub tokens: f64,
    /// When the last packet arrived.
    last: Time,
}

impl Tagger {
    /// A bucket with `tokens` bytes in it.
    pub fn new(rate_bps: f64, depth: f64, tokens: f64) -> Tagger {
        Tagger { rate_bps, depth, tokens, last: Time::ZERO }
    }

    /// Whether a packet of `size` bytes that arrives now is in.
    pub fn is_in(&mut self, size: i32, now: Time) -> bool {
        self.tokens = (self.tokens + (now - self.last) * self.rate_bps / 8.0).min(self.depth);
        self.last = now;
        let is_in = f64::from(size) < self.tokens;
        if is_in {
            self.tokens -= f64::from(size);
        }
        is_in
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 8000 bit/s are 1000 bytes/s. From 1500 bytes a packet of 1000 leaves 500. After half a second there are 1000,
    // which is not more than the packet; after another millisecond it is more.
    #[test]
    fn a_packet_is_in_while_there_are_more_bytes_in_the_bucket() {
        let mut tagger = Tagger::new(8000.0, 2000.0, 1500.0);
        let came = [0.0, 0.5, 0.501, 10.0].map(|at_s| tagger.is_in(1000, Time(at_s)));
        assert_eq!(came, [true, false, true, true]);
        assert_eq!(tagger.tokens, 1000.0);
    }
}
