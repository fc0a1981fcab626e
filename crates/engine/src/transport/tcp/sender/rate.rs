//! Delivery rate estimation: the rate at which packets were delivered while one of them was in flight.
//!
//! Source: draft-ietf-ccwg-bbr (August 2026), section 4.1; Y. Cheng, N. Cardwell, S. Hassas Yeganeh, V. Jacobson,
//! draft-cheng-iccrg-delivery-rate-estimation, section 3, whose sections are cited below.
//! What it decides: the delivery rate over the longer of the send interval and the ACK interval; no rate over an
//! interval below the min RTT; whether the rate is application-limited; where a round trip ends.
//! Departures: none. Not implemented: nothing.
//! Checked against: by hand, below.

use super::rtx_queue::{Segment, SendState};
use crate::transport::tcp::cc::Rate;

/// The per-connection state (3.1.1).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivery {
    /// `C.delivered`: packets delivered.
    pub delivered: u64,
    /// `C.delivered_time`: when the last of them was delivered, s.
    pub delivered_time_s: f64,
    /// `C.first_sent_time`: when the first packet of the present sending interval was sent, s.
    pub first_sent_time_s: f64,
    /// Packets marked lost.
    pub lost: u64,
    /// Packets reported with CE.
    pub delivered_ce: u64,
    /// `C.app_limited`: the rate is application-limited until this many packets are delivered; 0 if it is not.
    app_limited: u64,
    /// `next_round_delivered`: a round trip ends with the delivery of a packet that was sent after this many deliveries
    /// (draft-ietf-ccwg-bbr, "Round Counting").
    next_round_delivered: u64,
}

/// The rate sample of one ACK, `rs` (3.1.3): of the packets that it delivers, the one that was sent last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateSample {
    segment: Option<Segment>,
    now_s: f64,
}

impl RateSample {
    /// An empty sample for an ACK that arrives at `now_s`.
    pub fn at(now_s: f64) -> RateSample {
        RateSample { segment: None, now_s }
    }
}

impl Delivery {
    /// `SendPacket`: the state to keep with a segment that is sent now (3.2). `is_restart` if nothing is in flight.
    pub fn on_send(&mut self, now_s: f64, is_restart: bool) -> SendState {
        if is_restart {
            (self.first_sent_time_s, self.delivered_time_s) = (now_s, now_s);
        }
        SendState {
            now_s,
            delivered: self.delivered,
            delivered_time_s: self.delivered_time_s,
            first_sent_time_s: self.first_sent_time_s,
            lost: self.lost,
            delivered_ce: self.delivered_ce,
            is_app_limited: self.app_limited != 0,
        }
    }

    /// `UpdateRateSample`: a segment is delivered (3.3).
    pub fn update_rate_sample(&mut self, segment: &Segment, rs: &mut RateSample) {
        self.delivered += 1;
        self.delivered_time_s = rs.now_s;
        let is_newer = |last: &Segment| (segment.xmit_ts_s, segment.delivered) >= (last.xmit_ts_s, last.delivered);
        if rs.segment.as_ref().is_none_or(is_newer) {
            rs.segment = Some(*segment);
            self.first_sent_time_s = segment.xmit_ts_s;
        }
    }

    /// `GenerateRateSample`: the delivery rate, and whether a round trip ends (3.3).
    pub fn generate_rate_sample(&mut self, rs: &RateSample, min_rtt_s: f64) -> Option<(Rate, bool)> {
        if self.app_limited != 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let segment = rs.segment?;
        let (prior_delivered, prior_time_s) = (segment.delivered, segment.delivered_time_s);
        let ends_round = prior_delivered >= self.next_round_delivered;
        if ends_round {
            self.next_round_delivered = self.delivered;
        }
        let send_elapsed_s = segment.xmit_ts_s - segment.first_sent_time_s;
        let ack_elapsed_s = rs.now_s - prior_time_s;
        let interval_s = send_elapsed_s.max(ack_elapsed_s);
        let delivered = self.delivered - prior_delivered;
        // An interval below the min RTT means compressed ACKs. The tolerance is for rounding of sums.
        let is_valid = interval_s > 0.0 && (!min_rtt_s.is_finite() || interval_s >= min_rtt_s * (1.0 - 1e-9));
        let rate = Rate {
            per_s: is_valid.then(|| delivered as f64 / interval_s),
            delivered,
            prior_delivered,
            lost: self.lost - segment.lost,
            marked: self.delivered_ce - segment.delivered_ce,
            seqno: 0,
            in_flight: segment.tx_in_flight,
            is_app_limited: segment.is_app_limited,
        };
        Some((rate, ends_round))
    }

    /// The application has nothing more to send, with `in_flight` packets in flight (3.4).
    pub fn mark_app_limited(&mut self, in_flight: u32) {
        self.app_limited = (self.delivered + u64::from(in_flight)).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtx_queue::RtxQueue;
    use super::*;

    // By hand: ten packets are sent at 0 s and delivered 10 ms apart from 100 ms on. The rate of the first is 1 / 0.1
    // s, of the tenth 10 / 0.19 s. The next one, sent at 100 ms, is delivered at 200 ms: ten packets in 100 ms.
    #[test]
    fn the_rate_is_over_the_longer_interval() {
        let (mut delivery, mut segments) = (Delivery::default(), RtxQueue::default());
        for seqno in 0..10 {
            let send_state = delivery.on_send(0.0, seqno == 0);
            segments.send(seqno, &send_state);
        }
        let mut rates = Vec::new();
        for seqno in 0..11 {
            let now_s = 0.1 + 0.01 * f64::from(seqno);
            let mut rs = RateSample::at(now_s);
            segments.on_ack(seqno, &[], |_, segment| delivery.update_rate_sample(segment, &mut rs));
            rates.push(delivery.generate_rate_sample(&rs, 0.1).and_then(|(rate, _)| rate.per_s).unwrap());
            if seqno == 0 {
                let send_state = delivery.on_send(now_s, false);
                segments.send(10, &send_state);
            }
        }
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
        close(rates[0], 10.0);
        close(rates[9], 10.0 / 0.19);
        close(rates[10], 100.0);
    }

    #[test]
    fn the_rate_is_app_limited_until_the_packets_in_flight_are_delivered() {
        let (mut delivery, mut segments) = (Delivery::default(), RtxQueue::default());
        segments.send(0, &delivery.on_send(0.0, true));
        delivery.mark_app_limited(1);
        segments.send(1, &delivery.on_send(0.0, false));
        let limited = |delivery: &mut Delivery, segments: &mut RtxQueue, seqno| {
            let mut rs = RateSample::at(1.0);
            segments.on_ack(seqno, &[], |_, segment| delivery.update_rate_sample(segment, &mut rs));
            delivery.generate_rate_sample(&rs, 0.1).unwrap().0.is_app_limited
        };
        assert!(!limited(&mut delivery, &mut segments, 0));
        assert!(limited(&mut delivery, &mut segments, 1));
        assert!(!delivery.on_send(2.0, true).is_app_limited);
    }
}
