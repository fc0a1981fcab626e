//! Delivery rate: how fast packets arrived while one of them was on its way.
//!
//! Source: draft-ietf-ccwg-bbr (August 2026), section 4.1; Y. Cheng, N. Cardwell, S. Hassas Yeganeh, V. Jacobson,
//! draft-cheng-iccrg-delivery-rate-estimation.
//! What it decides: the rate over the longer of the interval in which the packets were sent and the one in which they were
//! acknowledged; no rate over less than the least round trip; whether the application held it down; where a round trip ends.
//! Departures: none. Not implemented: nothing.
//! Checked against: by hand, below.

use super::rtx_queue::{Segment, Sending};
use crate::transport::tcp::cc::Rate;

/// The connection's count of what was delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivery {
    /// Packets delivered.
    pub delivered: u64,
    /// When the last of them was, s.
    pub delivered_s: f64,
    /// When the first packet of the present interval was sent, s.
    pub first_sent_s: f64,
    /// Packets marked lost.
    pub lost: u64,
    /// Until so many are delivered, the application is what limits the sender; 0 if it does not.
    app_limited_until: u64,
    /// The present round trip ends with a packet sent when at least so many were delivered.
    round_at: u64,
}

/// Of the packets that one ACK delivers, the one that was sent last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    segment: Option<Segment>,
    now_s: f64,
}

impl Sample {
    /// The sample of an ACK that comes now.
    pub fn at(now_s: f64) -> Sample {
        Sample { segment: None, now_s }
    }
}

impl Delivery {
    /// What a segment that is sent now is to remember; `starts` if nothing is in flight.
    pub fn sending(&mut self, now_s: f64, starts: bool) -> Sending {
        if starts {
            (self.first_sent_s, self.delivered_s) = (now_s, now_s);
        }
        Sending {
            now_s,
            delivered: self.delivered,
            delivered_s: self.delivered_s,
            first_sent_s: self.first_sent_s,
            lost: self.lost,
            is_app_limited: self.app_limited_until != 0,
        }
    }

    /// A segment is delivered.
    pub fn delivers(&mut self, segment: &Segment, sample: &mut Sample) {
        self.delivered += 1;
        self.delivered_s = sample.now_s;
        let is_newer = |last: &Segment| (segment.sent_s, segment.delivered) >= (last.sent_s, last.delivered);
        if sample.segment.as_ref().is_none_or(is_newer) {
            sample.segment = Some(*segment);
            self.first_sent_s = segment.sent_s;
        }
    }

    /// The rate that the ACK tells, and whether a round trip ends.
    pub fn rate(&mut self, sample: &Sample, min_rtt_s: f64) -> Option<(Rate, bool)> {
        if self.app_limited_until != 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let segment = sample.segment?;
        let ends_round = segment.delivered >= self.round_at;
        if ends_round {
            self.round_at = self.delivered;
        }
        let sending_s = segment.sent_s - segment.first_sent_s;
        let acking_s = sample.now_s - segment.delivered_s;
        let interval_s = sending_s.max(acking_s);
        let delivered = self.delivered - segment.delivered;
        // An interval shorter than the least round trip compresses ACKs; a sum of rounded times may be so by a last digit.
        let is_sound = interval_s > 0.0 && (!min_rtt_s.is_finite() || interval_s >= min_rtt_s * (1.0 - 1e-9));
        let rate = Rate {
            per_s: is_sound.then(|| delivered as f64 / interval_s),
            delivered,
            prior_delivered: segment.delivered,
            lost: self.lost - segment.lost,
            in_flight: segment.in_flight,
            is_app_limited: segment.is_app_limited,
        };
        Some((rate, ends_round))
    }

    /// The application has nothing more to send, with `in_flight` packets on their way.
    pub fn limit_by_application(&mut self, in_flight: u32) {
        self.app_limited_until = (self.delivered + u64::from(in_flight)).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtx_queue::RtxQueue;
    use super::*;

    // By hand: ten packets are sent at once, at 0 s; they arrive 10 ms apart from 100 ms on. The first tells 1 / 0.1 s, the
    // tenth 10 / 0.19 s. The next, sent at 100 ms when the first was delivered, comes at 200 ms: ten packets in 100 ms.
    #[test]
    fn rates_are_of_the_longer_interval() {
        let (mut delivery, mut segments) = (Delivery::default(), RtxQueue::default());
        for seqno in 0..10 {
            let sending = delivery.sending(0.0, seqno == 0);
            segments.send(seqno, &sending);
        }
        let mut rates = Vec::new();
        for seqno in 0..11 {
            let now_s = 0.1 + 0.01 * f64::from(seqno);
            let mut sample = Sample::at(now_s);
            segments.take(seqno, &[], |_, segment| delivery.delivers(segment, &mut sample));
            rates.push(delivery.rate(&sample, 0.1).and_then(|(rate, _)| rate.per_s).unwrap());
            if seqno == 0 {
                let sending = delivery.sending(now_s, false);
                segments.send(10, &sending);
            }
        }
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
        close(rates[0], 10.0);
        close(rates[9], 10.0 / 0.19);
        close(rates[10], 100.0);
    }

    #[test]
    fn an_application_limits_until_what_was_in_flight_is_delivered() {
        let (mut delivery, mut segments) = (Delivery::default(), RtxQueue::default());
        segments.send(0, &delivery.sending(0.0, true));
        delivery.limit_by_application(1);
        segments.send(1, &delivery.sending(0.0, false));
        let limited = |delivery: &mut Delivery, segments: &mut RtxQueue, seqno| {
            let mut sample = Sample::at(1.0);
            segments.take(seqno, &[], |_, segment| delivery.delivers(segment, &mut sample));
            delivery.rate(&sample, 0.1).unwrap().0.is_app_limited
        };
        assert!(!limited(&mut delivery, &mut segments, 0));
        assert!(limited(&mut delivery, &mut segments, 1));
        assert!(!delivery.sending(2.0, true).is_app_limited);
    }
}
